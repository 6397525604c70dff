// SPDX-License-Identifier: Apache-2.0
// Plans that gradients have no form for, each refused with its reason.

// RUN: ring-opt %s --split-input-file --ring-shard --verify-diagnostics

func.func @head_trade(
    %o: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @+1 {{cannot use strategy ulysses: expects ring, all_gather or replicate for gradients, but got ulysses}}
  %dq, %dk, %dv = ring.attention_backward %o, %o, %lse, %o, %o, %o plan(<strategy = ulysses, axis = <0 in 2>>)
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
  return
}

// -----

func.func @both_directions(
    %o: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @+1 {{cannot use strategy ring: expects gradients to travel forward, one hop behind their keys, but got both directions}}
  %dq, %dk, %dv = ring.attention_backward %o, %o, %lse, %o, %o, %o
      plan(<strategy = ring, axis = <0 in 4>, directions = both>)
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
  return
}

// -----

func.func @fused(
    %o: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>) {
  // expected-error @+1 {{cannot use strategy ring: expects the explicit form for gradients: no device op fuses them with transfers}}
  %dq, %dk, %dv = ring.attention_backward %o, %o, %lse, %o, %o, %o
      plan(<strategy = ring, axis = <0 in 2x2>, form = fused>)
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
  return
}

// -----

func.func @mask_out_of_order(
    %o: tensor<1x4x64x64xbf16>, %lse: tensor<1x4x64x1xf32>, %mask: tensor<1x1x64x64xbf16>) {
  // expected-error @+1 {{cannot use strategy ring: expects a contiguous layout beside a mask}}
  %dq, %dk, %dv = ring.attention_backward %o, %o, %lse, %o, %o, %o
      mask(%mask : tensor<1x1x64x64xbf16>) plan(<strategy = ring, axis = <0 in 2>, layout = striped>)
      : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>,
        tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
      -> tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>
  return
}
