// SPDX-License-Identifier: Apache-2.0
// Gradients have no form in TTIR, which is said by name.

// RUN: ring-opt %s --split-input-file --convert-ring-to-ttir --verify-diagnostics

func.func @block(%t: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @+1 {{'ring.partial_backward' op has no form in TTIR: sdpa_bw neither takes one block of keys nor hands back gradients in f32}}
  %dq, %dk, %dv = ring.partial_backward %t, %t, %lse, %t, %t, %t
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xf32>, tensor<1x4x64x64xf32>, tensor<1x4x64x64xf32>
  return
}

// -----

func.func @whole(%t: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @+1 {{'ring.attention_backward' op expects ring-plan and ring-shard to have run}}
  %dq, %dk, %dv = ring.attention_backward %t, %t, %lse, %t, %t, %t
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
  return
}
