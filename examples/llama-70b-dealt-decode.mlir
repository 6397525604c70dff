// SPDX-License-Identifier: Apache-2.0
// A decoding step of Llama 70B for 32 users of up to 32 Ki tokens each on an 8 x 4
// Galaxy. Pages of 64 keys are dealt round the ring of 8; every user is at a position
// of its own.
!q = tensor<1x32x64x128xbf16>
!pages = tensor<16384x8x64x128xbf16>
!table = tensor<32x512xi32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !q, %k: !pages, %v: !pages, %table: !table, %at: tensor<32xi32>) -> !q {
    %out = ttir.empty() : !q
    %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %v, %table, %out, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1, cache_block = 64>} : (!q, !pages, !pages, !table, !q, tensor<32xi32>) -> !q
    return %0 : !q
  }
}
