// SPDX-License-Identifier: Apache-2.0
// The ring of gradients of 4096 tokens on 8 devices, in documents of 768, 256, 1024 and
// 2048: shards of 512 rows, 65536 bytes of K and V, and 131072 of their gradients in f32.
//
// No row sees keys from further away than 3 shards: keys take 3 hops and not 7, their
// gradients as many one hop behind, and one transfer takes these home.
// 3 * 65536 + 4 * 131072 = 720896.

// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring" 2>&1 | FileCheck %s
// CHECK: a device sends 720896 bytes on #ring.axis<1 in 1x8>
// CHECK-COUNT-4: ring.partial_backward
// CHECK-NOT: ring.partial_backward

!t = tensor<1x1x4096x32xbf16>
!lse = tensor<1x1x4096x1xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @gradients(%d: !t, %o: !t, %lse: !lse, %q: !t, %k: !t, %v: !t) -> (!t, !t, !t) {
    %dq, %dk, %dv = ring.attention_backward %d, %o, %lse, %q, %k, %v pattern(#ring.documents<ends = [768, 1024, 2048, 4096], causal = true>) parallel(<sequence = 1>) : !t, !t, !lse, !t, !t, !t -> !t, !t, !t
    return %dq, %dk, %dv : !t, !t, !t
  }
}
