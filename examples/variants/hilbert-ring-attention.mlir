// SPDX-License-Identifier: Apache-2.0
// HilbertRingAttention: every device visits keys along a Hilbert curve. A softmax
// does not depend on the order of keys and masks follow the original positions,
// so the result is that of dense causal attention, which the order only costs
// time; the compiler says so.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: full_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> tensor<1x4x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [512], rates = [1], order = hilbert, causal = true>)
        parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32>
    return %out : tensor<1x4x512x16xf32>
  }
}
