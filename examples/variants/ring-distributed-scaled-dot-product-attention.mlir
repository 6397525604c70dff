// SPDX-License-Identifier: Apache-2.0
// The device op ring_distributed_scaled_dot_product_attention: the second chunk of
// a prompt, its keys and values in a paged cache, page_table and chunk_start_idx
// saying where. Causal, two query heads to a head of keys.
//
// compile: strategy=ring_distributed target=ttir
// meshes: 1x1 1x2 1x4 1x8
// alone: strategy=replicate target=ttir
// counts: strategy=ring layout=contiguous directions=forward
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x1024x32xbf16>, %k: tensor<26x2x64x32xbf16>, %v: tensor<26x2x64x32xbf16>) -> tensor<1x4x1024x32xbf16> {
    %table = "ttir.constant"() <{value = dense<[[25, 22, 19, 16, 13, 10, 7, 4, 1, 24, 21, 18, 15, 12, 9, 6, 3, 0, 23, 20, 17, 14, 11, 8]]> : tensor<1x24xi32>}> : () -> tensor<1x24xi32>
    %start = "ttir.constant"() <{value = dense<512> : tensor<1xi32>}> : () -> tensor<1xi32>
    %out = ring.attention %q, %k, %v
        pages(%table : tensor<1x24xi32>) start(%start : tensor<1xi32>)
        pattern(#ring.causal) parallel(<sequence = 1>)
        : tensor<1x4x1024x32xbf16>, tensor<26x2x64x32xbf16>, tensor<26x2x64x32xbf16> -> tensor<1x4x1024x32xbf16>
    return %out : tensor<1x4x1024x32xbf16>
  }
}
