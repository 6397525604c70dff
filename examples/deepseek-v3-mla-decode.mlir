// SPDX-License-Identifier: Apache-2.0
// A decoding step of DeepSeek V3 for 32 users of up to 32 Ki tokens each on an 8 x 4
// Galaxy, in its absorbed form: 128 query heads over one latent head of 576 columns,
// of which the first 512 are the values. Pages of 64 rows are dealt round the ring of
// 8; every user is at a position of its own.
!q = tensor<1x32x128x576xbf16>
!pages = tensor<16384x1x64x576xbf16>
!table = tensor<32x512xi32>
!o = tensor<1x32x128x512xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !q, %k: !pages, %table: !table, %at: tensor<32xi32>) -> !o {
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %table, %at) <{head_dim_v = 512 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>, scale = 0.0721687824 : f32}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1, cache_block = 64>} : (!q, !pages, !table, tensor<32xi32>) -> !o
    return %0 : !o
  }
}
