// SPDX-License-Identifier: Apache-2.0
// The step of deepseek-v3-mla-decode.mlir, small enough to run and check: 4 users of up
// to 512 tokens, one without a query and one with three pages, on a ring of 4.
!q = tensor<1x4x8x96xbf16>
!pages = tensor<64x1x32x96xbf16>
!table = tensor<4x16xi32>
!o = tensor<1x4x8x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @attention(%q: !q, %k: !pages) -> !o {
    %table = "ttir.constant"() <{value = dense<[[15, 31, 47, 63, 14, 30, 46, 62, 13, 29, 45, 61, 12, 28, 44, 60], [11, 27, 43, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1], [7, 23, 39, 55, 6, 22, 38, 54, 5, 21, 37, 53, 4, 20, 36, 52], [3, 19, 35, 51, 2, 18, 34, 50, 1, 17, 33, 49, 0, 16, 32, 48]]> : !table}> : () -> !table
    %at = "ttir.constant"() <{value = dense<[300, 90, -1, 511]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %table, %at) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1, cache_block = 32>} : (!q, !pages, !table, tensor<4xi32>) -> !o
    return %0 : !o
  }
}
