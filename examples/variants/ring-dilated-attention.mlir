// SPDX-License-Identifier: Apache-2.0
// RingDilatedAttention: the sequence is the segments behind each other, each with
// its rate, and all residues of the rate are attended to among themselves.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: ring_concat ring_concat_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> tensor<1x4x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [128, 384], rates = [1, 2], segmentation = concat, phase = all_residues, mix = lse, norm = none>)
        parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32>
    return %out : tensor<1x4x512x16xf32>
  }
}
