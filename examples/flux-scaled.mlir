// SPDX-License-Identifier: Apache-2.0
// Joint attention of Flux.1 with 4 of its 24 heads: 4096 image tokens and 512
// text tokens on 2 x 4 devices, small enough to check in double precision.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: tensor<1x4x4096x128xbf16>, %k: tensor<1x4x4096x128xbf16>, %v: tensor<1x4x4096x128xbf16>,
                       %jq: tensor<1x4x512x128xbf16>, %jk: tensor<1x4x512x128xbf16>, %jv: tensor<1x4x512x128xbf16>) -> (tensor<1x4x4096x128xbf16>, tensor<1x4x512x128xbf16>) {
    %out, %joint = ring.attention %q, %k, %v
        joint(%jq, %jk, %jv : tensor<1x4x512x128xbf16>, tensor<1x4x512x128xbf16>, tensor<1x4x512x128xbf16>)
        parallel(<sequence = 0, heads = 1>)
        : tensor<1x4x4096x128xbf16>, tensor<1x4x4096x128xbf16>, tensor<1x4x4096x128xbf16> -> tensor<1x4x4096x128xbf16> joint(tensor<1x4x512x128xbf16>)
    return %out, %joint : tensor<1x4x4096x128xbf16>, tensor<1x4x512x128xbf16>
  }
}
