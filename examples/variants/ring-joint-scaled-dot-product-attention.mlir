// SPDX-License-Identifier: Apache-2.0
// The device op ring_joint_scaled_dot_product_attention: joint tokens (a prompt)
// that every device has, behind the sequence; 1000 of the 1024 tokens are real.
//
// compile: strategy=ring_joint target=ttir
// meshes: 1x1 1x2 1x4 1x8
// alone: strategy=replicate target=ttir
// counts: strategy=ring directions=forward
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x4x1024x32xbf16>, %k: tensor<1x4x1024x32xbf16>, %v: tensor<1x4x1024x32xbf16>, %jq: tensor<1x4x64x32xbf16>, %jk: tensor<1x4x64x32xbf16>, %jv: tensor<1x4x64x32xbf16>) -> (tensor<1x4x1024x32xbf16>, tensor<1x4x64x32xbf16>) {
    %out, %joint = ring.attention %q, %k, %v
        joint(%jq, %jk, %jv : tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
        length(1000) parallel(<sequence = 1>)
        : tensor<1x4x1024x32xbf16>, tensor<1x4x1024x32xbf16>, tensor<1x4x1024x32xbf16> -> tensor<1x4x1024x32xbf16> joint(tensor<1x4x64x32xbf16>)
    return %out, %joint : tensor<1x4x1024x32xbf16>, tensor<1x4x64x32xbf16>
  }
}
