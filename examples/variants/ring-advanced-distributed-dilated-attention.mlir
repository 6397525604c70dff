// SPDX-License-Identifier: Apache-2.0
// RingAdvancedDistributedDilatedAttention: heads over one axis of the mesh, the
// sequence over the other.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 2x1 2x2 2x4
// golden: three_groups
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> tensor<1x4x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [128, 512], rates = [1, 4]>)
        parallel(<sequence = 1, heads = 0>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32>
    return %out : tensor<1x4x512x16xf32>
  }
}
