// SPDX-License-Identifier: Apache-2.0
// ring_mla: a call with the queries and the one tensor of keys, whose first columns
// are the values, and the explicit ring as what it may be replaced by.

// RUN: ring-opt %s --ring-plan="strategy=ring_mla layout=contiguous" --ring-outline-fused 2>/dev/null | FileCheck %s
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring_mla layout=contiguous target=ttir" --bisect
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring_mla layout=zigzag target=ttir" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring_mla target=ttnn" --check

!Q = tensor<1x8x500x96xbf16>
!K = tensor<1x1x500x96xbf16>
!V = tensor<1x1x500x64xbf16>
!O = tensor<1x8x500x64xbf16>

// CHECK-LABEL: func.func @attention
// CHECK: %[[Q:.+]] = ring.shard %arg0 as <[_, 1, 0, _] in 4x2, sequence = 2 as <contiguous, 512 over 4>> : {{.+}} -> tensor<1x4x128x96xbf16>
// CHECK: %[[K:.+]] = ring.shard %arg1 as <[_, _, 0, _] in 4x2, {{.+}} -> tensor<1x1x128x96xbf16>
// CHECK: "ttcore.composite"(%[[Q]], %[[K]]) <{composite_attributes = {
// CHECK-SAME: cluster_axis = 0 : ui32
// CHECK-SAME: dim = 2 : si32
// CHECK-SAME: head_dim_v = 64 : ui32
// CHECK-SAME: is_balanced = false
// CHECK-SAME: logical_n = 500 : i64
// CHECK-SAME: num_global_semaphores = 2 : ui32
// CHECK-SAME: persistent_output_buffer_kv = tensor<1x1x512x96xbf16>
// CHECK-SAME: ring_size = 4 : ui32
// CHECK-SAME: composite_name = "ring_mla", decomposition = @ring_attention
// CHECK-SAME: -> tensor<1x4x128x64xbf16>

// CHECK-LABEL: func.func private @ring_attention
// CHECK-SAME: (%[[Q:.+]]: tensor<1x4x128x96xbf16>, %[[K:.+]]: tensor<1x1x128x96xbf16>) -> tensor<1x4x128x64xbf16>
// CHECK: %[[ALL:.+]] = ring.unshard %[[K]]
// CHECK: %[[V:.+]] = "ttir.slice_static"(%[[ALL]]) {{.*}} -> tensor<1x1x512x64xbf16>
// CHECK: ring.attention %{{.+}}, %[[ALL]], %[[V]] pattern(#ring.causal) {{.*}}plan(<strategy = ring
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @attention(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 500 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) : !Q, !K, !V -> !O
    return %0 : !O
  }
}
