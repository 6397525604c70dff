// SPDX-License-Identifier: Apache-2.0
// One decoding step of Llama 70B against a cache of 128 Ki tokens: the keys are
// split over a ring of 8 and the parts merged in a tree.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x1>]>} {
  func.func @attention(%q: tensor<1x64x1x128xbf16>, %k: tensor<1x8x131072x128xbf16>, %v: tensor<1x8x131072x128xbf16>) -> tensor<1x64x1x128xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0>} : (tensor<1x64x1x128xbf16>, tensor<1x8x131072x128xbf16>, tensor<1x8x131072x128xbf16>) -> tensor<1x64x1x128xbf16>
    return %0 : tensor<1x64x1x128xbf16>
  }
}
