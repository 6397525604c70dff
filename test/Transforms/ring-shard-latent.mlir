// SPDX-License-Identifier: Apache-2.0
// Values that are the first columns of the keys: every strategy sends, gathers and
// keeps the keys alone, and takes the values out of what is there.

// RUN: split-file %s %t
// RUN: ring-opt %t/latent.mlir --ring-plan="strategy=ring directions=both layout=zigzag" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=RING
// RUN: ring-opt %t/latent.mlir --ring-plan="strategy=all_gather" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=GATHER
// RUN: ring-opt %t/latent.mlir --ring-plan="strategy=ulysses" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=TRADE
// RUN: ring-opt %t/window.mlir --ring-plan="strategy=halo" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=HALO
// RUN: ring-opt %t/pages.mlir --ring-plan="strategy=split_kv" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=PAGES
// RUN: ring-opt %t/gradients.mlir --ring-plan="strategy=ring" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=GRAD
// RUN: ring-opt %t/gradients.mlir --ring-plan="strategy=all_gather" --ring-shard --canonicalize 2>/dev/null | FileCheck %s --check-prefix=SUMS

// RING: %[[K:.+]] = ring.shard %arg1 as
// RING-NOT: ring.shard
// RING: %[[V:.+]] = "ttir.slice_static"(%[[K]]) {{.*}} -> tensor<1x1x64x64xbf16>
// RING: ring.partial %{{.+}}, %[[K]], %[[V]]
// RING: %[[FORWARD:.+]] = ring.shift %[[K]] by 1
// RING: %[[BACK:.+]] = ring.shift %[[K]] by -1
// RING: %[[V1:.+]] = "ttir.slice_static"(%[[FORWARD]]) {{.*}} -> tensor<1x1x64x64xbf16>
// RING: ring.partial %{{.+}}, %[[FORWARD]], %[[V1]]
// Half of the shard across the ring from either side, put together once.
// RING: ring.shift %{{.+}} by 1 on <1 in 1x4> : tensor<1x1x32x96xbf16>
// RING: ring.shift %{{.+}} by -1 on <1 in 1x4> : tensor<1x1x32x96xbf16>
// RING: %[[ACROSS:.+]] = "ttir.concat"
// RING-NOT: concat
// RING: %[[V3:.+]] = "ttir.slice_static"(%[[ACROSS]])
// RING: ring.partial %{{.+}}, %[[ACROSS]], %[[V3]]

// GATHER: %[[K:.+]] = ring.all_gather
// GATHER-NOT: ring.all_gather
// GATHER: %[[V:.+]] = "ttir.slice_static"(%[[K]]) {{.*}} -> tensor<1x1x256x64xbf16>
// GATHER: ring.partial %{{.+}}, %[[K]], %[[V]]

// Queries and the output are traded; the one head of keys is gathered.
// TRADE: ring.all_to_all
// TRADE: %[[K:.+]] = ring.all_gather {{.*}} -> tensor<1x1x256x96xbf16>
// TRADE: "ttir.slice_static"({{.*}} -> tensor<1x1x256x64xbf16>
// TRADE: ring.partial
// TRADE: ring.all_to_all
// TRADE-NOT: ring.all_to_all

// HALO: ring.gather %{{.+}} -> tensor<1x1x32x96xbf16>
// HALO-NOT: ring.gather
// HALO: return

// PAGES: "ttir.embedding"
// PAGES-NOT: "ttir.embedding"
// PAGES: "ttir.slice_static"({{.*}} -> tensor<1x1x64x64xbf16>
// PAGES: return

// The first hop has keys, the next ones keys and the sum of gradients, the last
// two the sum alone.
// GRAD: ring.shift %{{[^,]+}} by 1 on <1 in 1x4> : tensor<1x1x64x96xbf16>
// GRAD: ring.partial_backward
// GRAD: "ttir.pad"{{.*}} -> tensor<1x1x64x96xf32>
// GRAD: ring.shift %{{[^,]+}}, %{{[^,]+}} by 1 on <1 in 1x4> : tensor<1x1x64x96xbf16>, tensor<1x1x64x96xf32>
// GRAD: ring.shift %{{[^,]+}}, %{{[^,]+}} by 1
// GRAD: ring.shift %{{[^,]+}} by 1 on <1 in 1x4> : tensor<1x1x64x96xf32>
// GRAD: ring.shift %{{[^,]+}} by 1 on <1 in 1x4> : tensor<1x1x64x96xf32>
// GRAD-NOT: ring.shift
// GRAD: return

// SUMS: ring.all_gather
// SUMS-NOT: ring.all_gather
// SUMS: ring.all_to_all {{.*}}tensor<1x1x256x96xf32>
// SUMS-NOT: ring.all_to_all
// SUMS: return

//--- latent.mlir
!Q = tensor<1x8x256x96xbf16>
!K = tensor<1x1x256x96xbf16>
!V = tensor<1x1x256x64xbf16>
!O = tensor<1x8x256x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- window.mlir
!Q = tensor<1x8x256x96xbf16>
!K = tensor<1x1x256x96xbf16>
!V = tensor<1x1x256x64xbf16>
!O = tensor<1x8x256x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.window<before = 32, after = 0>) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- pages.mlir
!Q = tensor<1x8x1x96xbf16>
!K = tensor<16x1x32x96xbf16>
!V = tensor<16x1x32x64xbf16>
!O = tensor<1x8x1x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: !Q, %k: !K, %table: tensor<1x8xi32>, %start: tensor<1xi32>) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [16 : i32, 1 : i32, 32 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pages(%table : tensor<1x8xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- gradients.mlir
!Q = tensor<1x8x256x96xbf16>
!K = tensor<1x1x256x96xbf16>
!V = tensor<1x1x256x64xbf16>
!O = tensor<1x8x256x64xbf16>
!L = tensor<1x8x256x1xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @gradients(%g: !O, %o: !O, %l: !L, %q: !Q, %k: !K) -> (!Q, !K) {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %dq, %dk, %dv = ring.attention_backward %g, %o, %l, %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !O, !O, !L, !Q, !K, !V -> !Q, !K, !V
    %wide = "ttir.pad"(%dv) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 32>, value = 0.0 : f32}> : (!V) -> !K
    %sum = "ttir.add"(%dk, %wide) : (!K, !K) -> !K
    return %dq, %sum : !Q, !K
  }
}
