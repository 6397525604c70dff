// SPDX-License-Identifier: Apache-2.0
// LongNet as in the paper: every head runs every pair, shifted by the head modulo
// the rate, and the pairs are mixed by their softmax denominators.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: longnet_paper
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> (tensor<1x4x512x16xf32>, tensor<1x4x512x1xf32>) {
    %out, %lse = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [64, 128, 512], rates = [1, 2, 4], phase = head_mod, mix = lse, norm = none>)
        parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32> lse(tensor<1x4x512x1xf32>)
    return %out, %lse : tensor<1x4x512x16xf32>, tensor<1x4x512x1xf32>
  }
}
