// SPDX-License-Identifier: Apache-2.0
// Wan2.2 at 720p, one sixteenth of its tokens and a fifth of its heads: small
// enough to run and check on a laptop, with the same odd tail.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: tensor<1x8x4725x128xbf16>, %k: tensor<1x8x4725x128xbf16>, %v: tensor<1x8x4725x128xbf16>) -> tensor<1x8x4725x128xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (tensor<1x8x4725x128xbf16>, tensor<1x8x4725x128xbf16>, tensor<1x8x4725x128xbf16>) -> tensor<1x8x4725x128xbf16>
    return %0 : tensor<1x8x4725x128xbf16>
  }
}
