// SPDX-License-Identifier: Apache-2.0
// Self-attention of Wan2.2 14B at 720p: 75 600 tokens, 40 heads, on a Galaxy of
// 8 x 4 devices; the sequence on axis 0, the heads on axis 1. 75 600 is no
// multiple of 8 tiles, so the last shard is partly padding.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: tensor<1x40x75600x128xbf16>, %k: tensor<1x40x75600x128xbf16>, %v: tensor<1x40x75600x128xbf16>) -> tensor<1x40x75600x128xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (tensor<1x40x75600x128xbf16>, tensor<1x40x75600x128xbf16>, tensor<1x40x75600x128xbf16>) -> tensor<1x40x75600x128xbf16>
    return %0 : tensor<1x40x75600x128xbf16>
  }
}
