// SPDX-License-Identifier: Apache-2.0
// A chunk of a prompt and a decoding step over one cache that is dealt to a ring of 4,
// small enough to run and check: 4 users of up to 512 tokens, of whom one has no query
// this time and one has begun only three of its pages.
!x = tensor<4x8x24x64xbf16>
!q = tensor<1x4x8x64xbf16>
!pages = tensor<64x2x32x64xbf16>
!table = tensor<4x16xi32>
#dealt = #ring.parallel<sequence = 0, heads = 1, cache_block = 32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @attention(%x: !x, %q: !q, %k: !pages, %v: !pages) -> (!x, !q) {
    %table = "ttir.constant"() <{value = dense<[[15, 31, 47, 63, 14, 30, 46, 62, 13, 29, 45, 61, 12, 28, 44, 60], [11, 27, 43, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1], [7, 23, 39, 55, 6, 22, 38, 54, 5, 21, 37, 53, 4, 20, 36, 52], [3, 19, 35, 51, 2, 18, 34, 50, 1, 17, 33, 49, 0, 16, 32, 48]]> : !table}> : () -> !table
    %start = "ttir.constant"() <{value = dense<70> : tensor<1xi32>}> : () -> tensor<1xi32>
    %at = "ttir.constant"() <{value = dense<[300, 90, -1, 511]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %room = ttir.empty() : !x
    %0 = "ttir.chunked_scaled_dot_product_attention"(%x, %k, %v, %table, %start, %room) {ring.parallel = #dealt} : (!x, !pages, !pages, !table, tensor<1xi32>, !x) -> !x
    %more = ttir.empty() : !q
    %1 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %v, %table, %more, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, !pages, !table, !q, tensor<4xi32>) -> !q
    return %0, %1 : !x, !q
  }
}
