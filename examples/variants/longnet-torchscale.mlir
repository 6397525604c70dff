// SPDX-License-Identifier: Apache-2.0
// LongNet as torchscale runs it: neighbouring heads share a shift. Causal.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: longnet_torchscale_causal
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> (tensor<1x4x512x16xf32>, tensor<1x4x512x1xf32>) {
    %out, %lse = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [64, 128, 512], rates = [1, 2, 4], phase = head_block, mix = lse, norm = none, causal = true>)
        parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32> lse(tensor<1x4x512x1xf32>)
    return %out, %lse : tensor<1x4x512x16xf32>, tensor<1x4x512x1xf32>
  }
}
