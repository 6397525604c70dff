// SPDX-License-Identifier: Apache-2.0
// Every rule of ring_mla: asked for by name, what breaks it is an error that says
// what was expected and what was found. A case has no other error without it.

// RUN: split-file %s %t
// RUN: ring-opt %t/pattern.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/columns.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/queries.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/value-tiles.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/key-tiles.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/keys-of-f32.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/sink.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/window.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/mask.mlir --ring-plan="strategy=ring_mla layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/lse.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/one-device.mlir --ring-plan="strategy=ring_mla" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/striped.mlir --ring-plan="strategy=ring_mla layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/chunk.mlir --ring-plan="strategy=ring_mla layout=zigzag q-chunk=96" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/length.mlir --ring-plan="strategy=ring_mla layout=zigzag" --verify-diagnostics -o /dev/null

// The device op is the one of the attention: who asks for the other is told so.
// RUN: not ring-opt %t/taken.mlir --ring-plan="strategy=ring_joint" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JOINT
// JOINT: cannot use strategy ring (fused): expects ring_mla for values that are the first columns of one key head, but got ring_joint
// RUN: not ring-opt %t/two-heads.mlir --ring-plan="strategy=ring_mla" -o /dev/null 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: cannot use strategy ring (fused): expects values that are the first columns of one key head for ring_mla

// Asked for, and chosen where it is fastest: on a chip, never on a processor.
// RUN: ring-opt %t/taken.mlir --ring-plan="strategy=ring_mla" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: ring-opt %t/taken.mlir --ring-plan 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: ring-opt %t/mixed.mlir --ring-plan="strategy=ring_mla layout=contiguous" 2>&1 | FileCheck %s --check-prefix=MIXED
// TAKEN: remark: ring-plan: zigzag ring_mla, q
// TAKEN: ring-plan: values are the first 64 of the 96 columns of the keys
// TAKEN: plan(<strategy = ring, {{.*}}layout = zigzag, {{.*}}form = fused
// MIXED: remark: ring-plan: ring_mla, q
// RUN: ring-opt %t/taken.mlir --ring-plan="machine=cpu-mesh" 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: ring.attention
// CPU-NOT: fused

// Left to itself, the planner takes something else.
// RUN: ring-opt %t/pattern.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/sink.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/value-tiles.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// AUTO: ring.attention
// AUTO-SAME: plan(<strategy =
// AUTO-NOT: fused

//--- pattern.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects a causal pattern: ring_mla has no other}}
    %0 = ring.attention %q, %k, %v parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- columns.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x96xbf16>
!O = tensor<1x8x4096x96xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 96 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects values of fewer columns than the 96 of the keys, but got 96}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- queries.mlir
!Q = tensor<1x8x4096x96x!ttcore.tile<32x32, bfp_bf8>>
!K = tensor<1x1x4096x96x!ttcore.tile<32x32, bfp_bf8>>
!V = tensor<1x1x4096x64x!ttcore.tile<32x32, bfp_bf8>>
!O = tensor<1x8x4096x64x!ttcore.tile<32x32, bfp_bf8>>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects bf16 queries, but got !ttcore.tile<32x32, bfp_bf8>}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- value-tiles.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x48xbf16>
!O = tensor<1x8x4096x48xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 48 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects heads of whole tiles, multiples of 32, but got 48}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- key-tiles.mlir
!Q = tensor<1x8x4096x80xbf16>
!K = tensor<1x1x4096x80xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects heads of whole tiles, multiples of 32, but got 80}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- keys-of-f32.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xf32>
!V = tensor<1x1x4096x64xf32>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects bf16 or a block float, but got f32}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- sink.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K, %s: tensor<1x8x1x1xbf16>) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects no sink beside values in keys}}
    %0 = ring.attention %q, %k, %v sink(%s : tensor<1x8x1x1xbf16>) pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- window.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects no window: the device op takes one only for a chunk}}
    %0 = ring.attention %q, %k, %v pattern(#ring.window<before = 99, after = 0>) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- mask.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K, %m: tensor<1x1x4096x4096xbf16>) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects no mask}}
    %0 = ring.attention %q, %k, %v mask(%m : tensor<1x1x4096x4096xbf16>) pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- lse.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects no log-sum-exp to be asked for}}
    %0, %l = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O lse(tensor<1x8x4096x1xf32>)
    return %0 : !O
  }
}

//--- one-device.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x1>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects a ring of at least 2, but got 1}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- striped.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects a contiguous or zigzag layout, but got striped}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- chunk.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects a query chunk to divide half a shard, 256, but got 96}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- length.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    // expected-error @below {{attention cannot use strategy ring (fused): expects a contiguous layout beside a length, but got zigzag and 4000 of 4096 keys}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) length(4000) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- taken.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96xbf16>
!V = tensor<1x1x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- mixed.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x1x4096x96x!ttcore.tile<32x32, bfp_bf8>>
!V = tensor<1x1x4096x64x!ttcore.tile<32x32, bfp_bf8>>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}

//--- two-heads.mlir
!Q = tensor<1x8x4096x96xbf16>
!K = tensor<1x2x4096x96xbf16>
!V = tensor<1x2x4096x64xbf16>
!O = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 4096 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}
