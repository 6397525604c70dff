// SPDX-License-Identifier: Apache-2.0
// RingDilatedAttentionSDPA: the first rows of every rank's chunk, thinned by the
// rate, attend to each other across all chunks; groups are averaged, softmax parts
// are merged by their denominators. The chunks are part of the pattern, so that
// the result does not depend on the mesh.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
// golden: ring_prefix_p1 ring_prefix_p2_exact
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x512x16xf32>, %k: tensor<1x4x512x16xf32>, %v: tensor<1x4x512x16xf32>) -> tensor<1x4x512x16xf32> {
    %out = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [32, 64], rates = [1, 2], segmentation = prefix, chunks = 4, phase = zero, mix = mean, norm = none>)
        parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32>
    return %out : tensor<1x4x512x16xf32>
  }
}
