// SPDX-License-Identifier: Apache-2.0
// DistributedRingAttention: dense and causal with fewer heads of keys than of
// queries, balanced by a zigzag.
//
// compile: strategy=ring layout=zigzag directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: full_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x2x512x16xf32>, %v: tensor<1x2x512x16xf32>) -> tensor<1x4x512x16xf32> {
    %out = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>}
        : (tensor<1x4x512x16xf32>, tensor<1x2x512x16xf32>, tensor<1x2x512x16xf32>) -> tensor<1x4x512x16xf32>
    return %out : tensor<1x4x512x16xf32>
  }
}
