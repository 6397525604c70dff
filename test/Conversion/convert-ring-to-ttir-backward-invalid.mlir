// SPDX-License-Identifier: Apache-2.0
// Gradients of which the stages before are missing.

// RUN: ring-opt %s --split-input-file --convert-ring-to-ttir --verify-diagnostics

func.func @block(%t: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @below {{'ring.partial_backward' op expects ring-split-blocks to have run: the length depends on the rank, and TTIR has no masks that do}}
  // expected-error @below {{failed to legalize operation 'ring.partial_backward'}}
  %dq, %dk, %dv = ring.partial_backward %t, %t, %lse, %t, %t, %t length(50)
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
