// SPDX-License-Identifier: Apache-2.0
// A chunk of 8192 tokens of a prompt of Llama 70B over a cache of 128 Ki tokens that
// no chip of an 8 x 4 Galaxy holds whole: its pages of 64 keys are dealt round the
// ring of 8. Where the chunk starts, the running program knows.
!q = tensor<1x64x8192x128xbf16>
!pages = tensor<2048x8x64x128xbf16>
!table = tensor<1x2048xi32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !q, %k: !pages, %v: !pages, %table: !table, %start: tensor<1xi32>) -> !q {
    %out = ttir.empty() : !q
    %0 = "ttir.chunked_scaled_dot_product_attention"(%q, %k, %v, %table, %start, %out) {ring.parallel = #ring.parallel<sequence = 0, heads = 1, cache_block = 64>} : (!q, !pages, !pages, !table, tensor<1xi32>, !q) -> !q
    return %0 : !q
  }
}
