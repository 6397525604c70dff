// SPDX-License-Identifier: Apache-2.0
// RingDilatedAttentionCorrect: shards come in, packed rows go round, both ways.
//
// compile: strategy=ring directions=both
// meshes: 1x1 1x2 1x4 1x8
// golden: three_groups three_groups_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x6x512x16xf32>, %k: tensor<1x6x512x16xf32>, %v: tensor<1x6x512x16xf32>) -> tensor<1x6x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [64, 128, 512], rates = [1, 2, 4], causal = true>)
        parallel(<sequence = 1>)
        : tensor<1x6x512x16xf32>, tensor<1x6x512x16xf32>, tensor<1x6x512x16xf32> -> tensor<1x6x512x16xf32>
    return %out : tensor<1x6x512x16xf32>
  }
}
