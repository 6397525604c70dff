// SPDX-License-Identifier: Apache-2.0
// ImprovedDilatedAttention: heads that are left over go to the last groups, and
// nothing is divided. The softmax is over tokens.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: uneven_heads_last
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x5x512x16xf32>, %k: tensor<1x5x512x16xf32>, %v: tensor<1x5x512x16xf32>) -> tensor<1x5x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [64, 128, 512], rates = [1, 2, 4], extra = last, norm = none>)
        parallel(<sequence = 1>)
        : tensor<1x5x512x16xf32>, tensor<1x5x512x16xf32>, tensor<1x5x512x16xf32> -> tensor<1x5x512x16xf32>
    return %out : tensor<1x5x512x16xf32>
  }
}
