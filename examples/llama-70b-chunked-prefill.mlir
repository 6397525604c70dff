// SPDX-License-Identifier: Apache-2.0
// One chunk of a prefill of Llama 70B: 8192 queries from position
// 65536 on, over a cache of 2048 pages of 64 keys, on a ring of 8. The start is a
// constant, so the device op for pages takes it as a parameter.
!q = tensor<1x64x8192x128xbf16>
!pages = tensor<2048x8x64x128xbf16>
!table = tensor<1x1152xi32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x1>]>} {
  func.func @attention(%q: !q, %k: !pages, %v: !pages, %table: !table) -> !q {
    %start = "ttir.constant"() <{value = dense<65536> : tensor<1xi32>}> : () -> tensor<1xi32>
    %out = ttir.empty() : !q
    %0 = "ttir.chunked_scaled_dot_product_attention"(%q, %k, %v, %table, %start, %out) {ring.parallel = #ring.parallel<sequence = 0>} : (!q, !pages, !pages, !table, tensor<1xi32>, !q) -> !q
    return %0 : !q
  }
}
