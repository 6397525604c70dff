// SPDX-License-Identifier: Apache-2.0
// Self-attention of Wan2.2 14B at 480p: 32 760 tokens on 2 x 4 devices.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: tensor<1x40x32760x128xbf16>, %k: tensor<1x40x32760x128xbf16>, %v: tensor<1x40x32760x128xbf16>) -> tensor<1x40x32760x128xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (tensor<1x40x32760x128xbf16>, tensor<1x40x32760x128xbf16>, tensor<1x40x32760x128xbf16>) -> tensor<1x40x32760x128xbf16>
    return %0 : tensor<1x40x32760x128xbf16>
  }
}
