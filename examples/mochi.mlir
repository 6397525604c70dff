// SPDX-License-Identifier: Apache-2.0
// Joint attention of Mochi: 44 520 video tokens and 118 text tokens, 24 heads,
// on 8 x 4 devices. The text takes part in every attention from both sides.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: tensor<1x24x44520x128xbf16>, %k: tensor<1x24x44520x128xbf16>, %v: tensor<1x24x44520x128xbf16>,
                       %jq: tensor<1x24x118x128xbf16>, %jk: tensor<1x24x118x128xbf16>, %jv: tensor<1x24x118x128xbf16>) -> (tensor<1x24x44520x128xbf16>, tensor<1x24x118x128xbf16>) {
    %out, %joint = ring.attention %q, %k, %v
        joint(%jq, %jk, %jv : tensor<1x24x118x128xbf16>, tensor<1x24x118x128xbf16>, tensor<1x24x118x128xbf16>)
        parallel(<sequence = 0, heads = 1>)
        : tensor<1x24x44520x128xbf16>, tensor<1x24x44520x128xbf16>, tensor<1x24x44520x128xbf16> -> tensor<1x24x44520x128xbf16> joint(tensor<1x24x118x128xbf16>)
    return %out, %joint : tensor<1x24x44520x128xbf16>, tensor<1x24x118x128xbf16>
  }
}
