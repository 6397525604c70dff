// SPDX-License-Identifier: Apache-2.0
// ring_mla over a cache: a chunk of a prompt whose rows are the last block of a
// cache that is dealt out in blocks; every rule of it, the call, and the explicit
// ring that it may be replaced by.

// RUN: split-file %s %t
// RUN: ring-opt %t/taken.mlir --ring-plan="strategy=ring_mla" --ring-outline-fused 2>/dev/null | FileCheck %s
// RUN: ring-run %t/taken.mlir --ring-attention-pipeline="strategy=ring_mla target=ttir" --bisect 2>/dev/null | FileCheck %s --check-prefix=RUNS
// RUN: ring-run %t/taken.mlir --ring-attention-pipeline="strategy=ring_mla target=ttnn" --check 2>/dev/null | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/dense<256>/dense<0>/' %t/taken.mlir > %t/first.mlir
// RUN: ring-run %t/first.mlir --ring-attention-pipeline="strategy=ring_mla target=ttir" --check 2>/dev/null | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/dense<256>/dense<384>/' %t/taken.mlir > %t/last.mlir
// RUN: ring-run %t/last.mlir --ring-attention-pipeline="strategy=ring_mla target=ttnn" --check 2>/dev/null | FileCheck %s --check-prefix=RUNS
// RUNS: ok

// What it takes is predicted: keys up to the chunk's end arrive, three shards of
// three blocks.
// RUN: ring-run %t/taken.mlir --ring-attention-pipeline="strategy=ring_mla target=ttir" --backend=sim --machine=t3000 2>/dev/null | FileCheck %s --check-prefix=SIM
// SIM: @chunk on t3000, mesh 4x2: {{.*}} us predicted
// SIM: 108.0 KiB sent

// RUN: ring-opt %t/start.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/users.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/layout.mlir --ring-plan="strategy=ring_mla layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/tiles.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/blocks.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/cache.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/rounds.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/end.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/sums.mlir --ring-plan="strategy=ring_mla layout=contiguous fp32-accumulation" --verify-diagnostics -o /dev/null

// CHECK-LABEL: func.func @chunk
// CHECK: %[[Q:.+]] = ring.shard %arg0 as <[_, 1, 0, _] in 4x2, sequence = 2 as <contiguous, 128 over 4>> : {{.+}} -> tensor<1x4x32x96xbf16>
// CHECK: %[[K:.+]] = ring.shard %{{.+}} as <[_, _, 0, _] in 4x2, sequence = 2 as <block_cyclic, 512 over 4{{.*}}32>> : {{.+}} -> tensor<1x1x128x96xbf16>
// CHECK: "ttcore.composite"(%[[Q]], %[[K]]) <{composite_attributes = {
// CHECK-SAME: is_balanced = false
// CHECK-SAME: kv_actual_isl = 256 : i64
// CHECK-SAME: logical_n = 384 : i64
// CHECK-SAME: persistent_output_buffer_kv = tensor<1x1x512x96xbf16>
// CHECK-SAME: composite_name = "ring_mla", decomposition = @ring_attention
// CHECK-SAME: -> tensor<1x4x32x64xbf16>

// CHECK-LABEL: func.func private @ring_attention
// CHECK: ring.attention %{{.+}} start({{.+}}) pattern(#ring.causal) {{.*}}cache_block = 32{{.*}}plan(<strategy = ring

//--- taken.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- start.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K, %start: tensor<1xi32>) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{cannot use strategy ring (fused): expects a chunk whose start is a constant}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- users.mlir
!Q = tensor<2x8x128x96xbf16>
!K = tensor<2x1x512x96xbf16>
!V = tensor<2x1x512x64xbf16>
!O = tensor<2x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects one user in a chunk over a cache, but got 2}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- layout.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a contiguous layout of a chunk over a cache, but got zigzag}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- tiles.mlir
!Q = tensor<1x8x64x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x64x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<128> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a chunk of whole tiles on each of 4 devices, multiples of 128 queries, but got 64}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 16>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- blocks.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a cache in blocks of the 32 queries that a device has, but got blocks of 64}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 64>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- cache.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x448x96xbf16>
!V = tensor<1x1x448x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 448 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a cache of several chunks of 128 rows, but got 448}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- rounds.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<192> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a chunk that starts behind whole chunks of 128 rows, but got 192}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- end.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects a chunk within the 352 rows of its cache, but it ends at 384}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) length(352) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- sums.mlir
!Q = tensor<1x8x128x96xbf16>
!K = tensor<1x1x512x96xbf16>
!V = tensor<1x1x512x64xbf16>
!O = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @chunk(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %start = "ttir.constant"() <{value = dense<256> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{cannot use strategy ring (fused): expects fp32-accumulation off for a chunk over a cache, but got it on}}
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, heads = 1, cache_block = 32>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}
