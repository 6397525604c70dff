// SPDX-License-Identifier: Apache-2.0
// Two attentions, of which the second has the first one's output as queries and
// a sink.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @two(%q: tensor<1x4x250x64xbf16>, %k: tensor<1x2x250x64xbf16>, %v: tensor<1x2x250x64xbf16>, %sink: tensor<1x4x1x1xbf16>)
      -> (tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>, tensor<1x4x250x1xf32>) {
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
        : tensor<1x4x250x64xbf16>, tensor<1x2x250x64xbf16>, tensor<1x2x250x64xbf16> -> tensor<1x4x250x64xbf16>
    %1, %lse = ring.attention %0, %k, %v sink(%sink : tensor<1x4x1x1xbf16>) parallel(<sequence = 1>)
        : tensor<1x4x250x64xbf16>, tensor<1x2x250x64xbf16>, tensor<1x2x250x64xbf16> -> tensor<1x4x250x64xbf16> lse(tensor<1x4x250x1xf32>)
    return %0, %1, %lse : tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>, tensor<1x4x250x1xf32>
  }
}
