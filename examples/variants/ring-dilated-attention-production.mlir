// SPDX-License-Identifier: Apache-2.0
// RingDilatedAttentionProduction: a segment that is longer than the sequence is
// cut to it; each group takes the cheaper of ring and all-to-all.
//
// compile: strategy=usp directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: three_groups three_groups_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x12x512x16xf32>, %k: tensor<1x12x512x16xf32>, %v: tensor<1x12x512x16xf32>) -> tensor<1x12x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [64, 256, 2048], rates = [1, 2, 4], shorter = clamp, causal = true>)
        parallel(<sequence = 1>)
        : tensor<1x12x512x16xf32>, tensor<1x12x512x16xf32>, tensor<1x12x512x16xf32> -> tensor<1x12x512x16xf32>
    return %out : tensor<1x12x512x16xf32>
  }
}
