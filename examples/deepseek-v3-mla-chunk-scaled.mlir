// SPDX-License-Identifier: Apache-2.0
// A later chunk of a DeepSeek V3 prompt: 256 new tokens behind 768, over a latent
// cache of 1280 rows that is dealt to the devices in blocks of a chunk's share. An
// eighth of the query heads, and small enough to run and check on a laptop.
!Q = tensor<1x16x256x576xbf16>
!K = tensor<1x1x1280x576xbf16>
!V = tensor<1x1x1280x512xbf16>
!O = tensor<1x16x256x512xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @chunk(%q: !Q, %cache: !K) -> !O {
    %latent = "ttir.slice_static"(%cache) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 1280 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<768> : tensor<1xi32>}> : () -> tensor<1xi32>
    %0 = ring.attention %q, %cache, %latent start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}
