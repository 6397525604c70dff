// SPDX-License-Identifier: Apache-2.0
// Every rule of the device ops behind the fused forms: asked for by name, what
// breaks it is an error that says what was expected and what was found. A case
// has no other error, or another one, without its rule.

// RUN: split-file %s %t
// RUN: ring-opt %t/fused-mesh.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-ring-size.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-mask.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-lse.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-f32.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-f16.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-element-types.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-joint-element-types.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-dim.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-value-dim.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-one-device.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-striped.mlir --ring-plan="strategy=ring_joint layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-pages.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-window.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-wide-values.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-more-queries.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-tiles.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-key-heads.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-cross-joint.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-shares.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-share-tiles.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-share-sums.mlir --ring-plan="strategy=ring_joint fp32-accumulation=true" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-joint-padding.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-sink.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-sink-type.mlir --ring-plan="strategy=ring_joint" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-sink-sums.mlir --ring-plan="strategy=ring_joint fp32-accumulation=true" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-zigzag.mlir --ring-plan="strategy=ring_joint layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-zigzag-length.mlir --ring-plan="strategy=ring_joint layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-chunk.mlir --ring-plan="strategy=ring_joint layout=zigzag q-chunk=96" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-key-chunk.mlir --ring-plan="strategy=ring_joint layout=zigzag k-chunk=256" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-overlapping-cores.mlir --ring-plan="strategy=ring_joint grid=8x7 ccl-offset=7x0" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-movers-below.mlir --ring-plan="strategy=ring_joint grid=8x7 ccl-offset=5x7 num-links=2" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-movers-beside.mlir --ring-plan="strategy=ring_joint grid=7x8 ccl-offset=7x6 num-links=2" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-no-movers.mlir --ring-plan="strategy=ring_joint grid=8x8" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-joint-l1.mlir --ring-plan="strategy=ring_joint q-chunk=512 k-chunk=512" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-l1.mlir --ring-plan="strategy=ring_distributed q-chunk=512 k-chunk=512" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-layout.mlir --ring-plan="strategy=ring_distributed layout=contiguous" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-pattern.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-window.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-sink.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-length.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-wide-values.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-odd.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-square.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-divides.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-short.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-chunk.mlir --ring-plan="strategy=ring_distributed q-chunk=96" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-distributed-rows.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-table.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-tiles.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-queries.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-dynamic.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-start.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-query-chunk.mlir --ring-plan="strategy=ring_distributed q-chunk=128" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-key-chunk.mlir --ring-plan="strategy=ring_distributed k-chunk=192" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-end.mlir --ring-plan="strategy=ring_distributed" --verify-diagnostics -o /dev/null

// Left to itself, the planner takes something else.
// RUN: ring-opt %t/fused-mask.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/fused-f32.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/fused-element-types.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/fused-dim.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/fused-value-dim.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-window.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-wide-values.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-more-queries.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-key-heads.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-cross-joint.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-shares.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-joint-padding.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-sink.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/ring-joint-sink-type.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/pages-dynamic.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: ring-opt %t/pages-tiles.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=AUTO
// AUTO: ring.attention
// AUTO-SAME: plan(<strategy =
// AUTO-NOT: fused

// Where one op stands in its own way, the other may do.
// RUN: ring-opt %t/ring-distributed-square.mlir --ring-plan 2>/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER: plan(<strategy = ring, axis = <1 in 4x4>, {{.*}}layout = zigzag, {{.*}}form = fused

//--- fused-mesh.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x8x2>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a 2-D mesh, but got 3-D}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-ring-size.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x64>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a ring of at most 32, but got 64}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-mask.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects no mask}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-lse.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects no log-sum-exp to be asked for: the device op has none to give}}
    %0, %1 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t lse(tensor<1x8x4096x1xf32>)
    return %0 : !t
  }
}

//--- fused-f32.mlir
!t = tensor<1x8x4096x64xf32>
!kv = tensor<1x8x4096x64xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects bf16 or a block float, but got f32}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-f16.mlir
!t = tensor<1x8x4096x64xf16>
!kv = tensor<1x4x4096x64xf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects bf16 or a block float, but got f16}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-element-types.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects one element type for all operands, but got bf16 and f32}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-joint-element-types.mlir
!t = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x128x64xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !t, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects one element type for all operands, but got bf16 and f32}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 1>) : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- fused-dim.mlir
// The device pads no heads.
!t = tensor<1x8x4096x72xbf16>
!kv = tensor<1x4x4096x72xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects heads of whole tiles, multiples of 32, but got 72}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-value-dim.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!v = tensor<1x4x4096x48xbf16>
!o = tensor<1x8x4096x48xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %v: !v) -> !o {
    // expected-error @below {{attention cannot use strategy ring (fused): expects heads of whole tiles, multiples of 32, but got 48}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !v -> !o
    return %0 : !o
  }
}

//--- ring-joint-one-device.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a ring of at least 2, but got 1}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-striped.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a contiguous or zigzag layout, but got striped}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-pages.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<128> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy ring (fused): expects no pages}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- ring-joint-window.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects no window: the device op takes one only for a chunk of a longer prompt, with keys and values in bfp8 and a buffer for what is in reach}}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 255, after = 0>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-wide-values.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!v = tensor<1x4x4096x128xbf16>
!o = tensor<1x8x4096x128xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %v: !v) -> !o {
    // expected-error @below {{attention cannot use strategy ring (fused): expects values as wide as keys without a causal pattern, but got 128 and 64}}
    %0 = ring.attention %q, %k, %v parallel(<sequence = 1>) : !t, !kv, !v -> !o
    return %0 : !o
  }
}

//--- ring-joint-more-queries.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x512x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects no more queries than keys on a device, but got 512 and 64}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-tiles.mlir
// Shards that are there already are not padded.
!t = tensor<1x8x128x64xbf16>
!kv = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects whole tiles of 32 rows on a device, but got 16}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) per_device : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-key-heads.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
!jkv = tensor<1x4x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %j: !j, %jk: !jkv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects as many key heads as query heads beside joint tokens, but got 4 and 8}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %jk, %jk : !j, !jkv, !jkv) parallel(<sequence = 1>) : !t, !kv, !kv -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-cross-joint.mlir
!t = tensor<1x8x512x64xbf16>
!kv = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects as many queries as keys on a device beside joint tokens, but got 64 and 512}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 1>) : !t, !kv, !kv -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-shares.mlir
!t = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x20x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !t, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects more joint tokens than the 32 rows of a device's share, but got 20}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 1, joint = sharded>) : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-share-tiles.mlir
// Shares that are there already are not padded.
!t = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !t, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a device's share of the joint tokens to be whole tiles of 32 rows, but got 16}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 1, joint = sharded>) per_device : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-share-sums.mlir
!t = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x300x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !t, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects fp32-accumulation off where shares of joint tokens are padded, but got it on and 300 tokens in 512 rows}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 1, joint = sharded>) : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-joint-padding.mlir
!t = tensor<1x8x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !t, %j: !j) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects no padding among joint tokens that every device has, but got 120 tokens in 128 rows}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %j, %j : !j, !j, !j) joint_length(120) parallel(<sequence = 1>) : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- ring-joint-sink.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!sink = tensor<1x8x1x1xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %s: !sink) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a sink only beside a causal pattern}}
    %0 = ring.attention %q, %k, %k sink(%s : !sink) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-sink-type.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!sink = tensor<1x8x1x1xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %s: !sink) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a bf16 sink, but got f32}}
    %0 = ring.attention %q, %k, %k sink(%s : !sink) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-sink-sums.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!sink = tensor<1x8x1x1xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %s: !sink) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects fp32-accumulation off beside a sink, but got it on}}
    %0 = ring.attention %q, %k, %k sink(%s : !sink) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-zigzag.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a zigzag layout only beside a causal pattern}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-zigzag-length.mlir
// The device takes padding to be the last rows of the last rank.
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a contiguous layout beside a length, but got zigzag and 4000 of 4096 keys}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) length(4000) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-chunk.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a query chunk to divide half a shard, 256, but got 96}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-key-chunk.mlir
// The device would let queries see late keys of the rank before.
!t = tensor<1x8x1024x64xbf16>
!kv = tensor<1x4x1024x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects a key chunk of at most the 128 rows of a shard with a zigzag layout, but got 256}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-overlapping-cores.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects the cores that move data outside the 8x7 that compute, but got them from 7x0 on}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-movers-below.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects 4 cores that move data, two for a link, within the 8x8 of the chip, but got 8x7 among those from 5x7 on}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-movers-beside.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects 4 cores that move data, two for a link, within the 8x8 of the chip, but got 7x8 among those from 7x6 on}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-no-movers.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): expects 2 cores that move data, two for a link, within the 8x8 of the chip, but got 8x0 among those from 8x0 on}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-joint-l1.mlir
// 8 heads of 2 chunks are 16, one a core: 981 tiles and 80 bytes beside the 104 KiB that are reserved.
!t = tensor<1x8x8192x128xbf16>
!kv = tensor<1x8x8192x128xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ring (fused): needs 2067 KiB of L1 a core, there are 1464}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-l1.mlir
!t = tensor<1x8x8192x128xbf16>
!kv = tensor<1x8x8192x128xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): needs 1936 KiB of L1 a core, there are 1464}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a zigzag layout, but got contiguous}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-pattern.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a causal pattern without a window}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-window.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a causal pattern without a window}}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 255, after = 0>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-sink.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!sink = tensor<1x8x1x1xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %s: !sink) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects no sink and no joint tokens}}
    %0 = ring.attention %q, %k, %k sink(%s : !sink) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-length.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects no length: the device op counts all keys}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) length(4000) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-wide-values.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!v = tensor<1x4x4096x128xbf16>
!o = tensor<1x8x4096x128xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %v: !v) -> !o {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects values as wide as keys, but got 128 and 64}}
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !v -> !o
    return %0 : !o
  }
}

//--- ring-distributed-odd.mlir
!t = tensor<1x8x4608x64xbf16>
!kv = tensor<1x4x4608x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x3>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects an even ring, but got 3}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-square.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x4>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects the sequence on mesh axis 0 where both have 4 devices, but got axis 1: the device op would take a device's place from axis 0}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-divides.mlir
!t = tensor<1x8x4100x64xbf16>
!kv = tensor<1x8x4100x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects twice the ring to divide the queries, but got 4100}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-short.mlir
!t = tensor<1x8x256x64xbf16>
!kv = tensor<1x8x256x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects at least 16 tiles of queries, but got 8}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-chunk.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a query chunk to divide 256 rows, but got 96}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-distributed-rows.mlir
// Without a chunk of its own a plan has one tile.
!t = tensor<1x8x4224x64xbf16>
!kv = tensor<1x4x4224x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a query chunk to divide 264 rows, but got 32}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- pages-table.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi64>) -> !t {
    %start = "ttir.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a page table of i32, but got i64}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi64>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-tiles.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x16x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x256xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects pages of whole tiles of 32 rows, but got 16}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x256xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-queries.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a page of 4096 keys to divide the queries, but got 2048}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-dynamic.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>, %start: tensor<1xi32>) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a chunk start that is a constant: it is a parameter of the device op}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-start.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<64> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a page of 128 keys to divide the chunk start, but got 64}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-query-chunk.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x32x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x128xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<96> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a query chunk of 128 to divide the chunk start, but got 96}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x128xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-key-chunk.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<128> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects a key chunk of 192 to divide the end of the chunk, but got 2176}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-end.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<2176> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy all_gather (fused): expects pages for all 4224 positions, but got 4096 keys}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}
