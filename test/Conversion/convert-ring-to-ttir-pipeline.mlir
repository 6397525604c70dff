// SPDX-License-Identifier: Apache-2.0
// A causal attention as a zigzag ring of 4 in TTIR: three quarters of its own
// keys and two per further step, nine in all, and no block that counts nowhere.

// RUN: ring-opt %s --ring-attention-pipeline="target=ttir mesh-shape=1x4 sequence-axis=1 strategy=ring layout=zigzag directions=forward" 2>/dev/null | FileCheck %s --implicit-check-not="ring."
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir mesh-shape=1x4 sequence-axis=1 strategy=ring_joint layout=zigzag directions=forward" 2>/dev/null | FileCheck %s --check-prefix=FUSED
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir mesh-shape=1x4 sequence-axis=1 strategy=all_gather layout=contiguous" 2>/dev/null | FileCheck %s --check-prefix=GATHER

!q = tensor<1x8x512x64xbf16>
!k = tensor<1x2x512x64xbf16>

// CHECK: module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>}
// The host's rows are split as they lie, and dealt on the devices by exchanges of
// half shards, two each for queries, keys, values and the output.
// CHECK-LABEL: func.func @causal(
// CHECK-NOT:     "ttir.pad"
// CHECK:         "ttir.mesh_shard"(%arg0)
// CHECK-COUNT-2: "ttir.collective_permute"
// CHECK:         "ttir.mesh_shard"(%arg1)
// CHECK-COUNT-2: "ttir.collective_permute"
// CHECK:         "ttir.mesh_shard"(%arg2)
// CHECK-COUNT-2: "ttir.collective_permute"
// CHECK:         "ttir.sdpa_fw"{{.*}}mask_type = #ttcore.attention_mask_type<causal>
// CHECK:         "ttir.sdpa_fw"{{.*}}mask_type = #ttcore.attention_mask_type<arbitrary>
// CHECK:         "ttir.sdpa_fw"{{.*}}mask_type = #ttcore.attention_mask_type<causal>
// CHECK-NOT:     "ttir.sdpa_fw"
// CHECK:         "ttir.collective_permute"
// CHECK-COUNT-2: "ttir.sdpa_fw"
// CHECK-NOT:     "ttir.sdpa_fw"
// CHECK:         "ttir.collective_permute"
// CHECK-COUNT-2: "ttir.sdpa_fw"
// CHECK-NOT:     "ttir.sdpa_fw"
// CHECK:         "ttir.collective_permute"
// CHECK-COUNT-2: "ttir.sdpa_fw"
// CHECK-NOT:     "ttir.sdpa_fw"
// CHECK-COUNT-2: "ttir.collective_permute"
// CHECK-NOT:     "ttir.collective_permute"
// CHECK:         %[[WHOLE:.+]] = "ttir.mesh_shard"
// CHECK-NEXT:    return %[[WHOLE]]

// The ring is in the function to fall back on, and only there.
// FUSED-LABEL: func.func @causal(
// FUSED-NOT:     "ttir.sdpa_fw"
// FUSED:         "ttcore.composite"{{.*}}is_balanced = true, is_causal = true{{.*}}decomposition = @[[RING:[a-z_0-9]+]]
// FUSED-NOT:     "ttir.sdpa_fw"
// FUSED:       func.func private @[[RING]](%{{.+}}: tensor<1x8x128x64xbf16>, %{{.+}}: tensor<1x2x128x64xbf16>, %{{.+}}: tensor<1x2x128x64xbf16>) -> tensor<1x8x128x64xbf16>
// FUSED-NOT:     "ttir.mesh_shard"
// FUSED-COUNT-9: "ttir.sdpa_fw"
// FUSED-NOT:     "ttir.sdpa_fw"

// All keys at once are still square blocks: no scores in memory.
// GATHER-LABEL: func.func @causal(
// GATHER-COUNT-2: "ttir.all_gather"
// GATHER-NOT:     "ttir.matmul"
// GATHER-COUNT-4: "ttir.sdpa_fw"
// GATHER-NOT:     "ttir.sdpa_fw"
func.func @causal(%q: !q, %k: !k, %v: !k) -> !q {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, is_causal = true}> : (!q, !k, !k) -> !q
  return %0 : !q
}
