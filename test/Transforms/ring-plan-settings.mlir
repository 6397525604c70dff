// SPDX-License-Identifier: Apache-2.0
// Settings of the kernel reach the device op that a fused plan names: those that
// were asked for as they are, the others as the planner chose them.

// RUN: ring-opt %s --ring-attention-pipeline="target=ttir strategy=ring_joint q-chunk=64 k-chunk=128 exp-approx=true fidelity=hifi4 fp32-accumulation=true grid=6x7 ccl-offset=6x0 num-links=1 topology=linear" 2>/dev/null | FileCheck %s --check-prefix=ASKED
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir machine=wormhole-galaxy" 2>/dev/null | FileCheck %s --check-prefix=CHOSEN
// RUN: ring-opt %s --ring-attention-pipeline="explain=true machine=blackhole-galaxy" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// ASKED: composite_attributes = {
// ASKED-SAME: ccl_core_grid_offset = array<i64: 6, 0>
// ASKED-SAME: compute_with_storage_grid_size = array<i64: 6, 7>
// ASKED-SAME: exp_approx_mode = true
// ASKED-SAME: fp32_dest_acc_en = true
// ASKED-SAME: k_chunk_size = 128 : i64
// ASKED-SAME: math_fidelity = "hifi4"
// ASKED-SAME: num_links = 1 : ui32
// ASKED-SAME: q_chunk_size = 64 : i64
// ASKED-SAME: topology = #ttcore.topology<linear>, use_column_major_ccl = true

// Who asks for one of the two groups of cores gets the other beside it or below it.
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir strategy=ring_joint grid=8x4" 2>/dev/null | FileCheck %s --check-prefix=GRID
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir strategy=ring_joint ccl-offset=0x6" 2>/dev/null | FileCheck %s --check-prefix=OFFSET
// RUN: ring-opt %s --ring-attention-pipeline="target=ttir strategy=ring_distributed" 2>/dev/null | FileCheck %s --check-prefix=ALL
// GRID: ccl_core_grid_offset = array<i64: 0, 4>
// GRID-SAME: compute_with_storage_grid_size = array<i64: 8, 4>
// GRID-SAME: use_column_major_ccl = false
// OFFSET: ccl_core_grid_offset = array<i64: 0, 6>
// OFFSET-SAME: compute_with_storage_grid_size = array<i64: 8, 6>
// OFFSET-SAME: use_column_major_ccl = false
// ALL-NOT: ccl_core_grid_offset
// ALL: compute_with_storage_grid_size = array<i64: 8, 9>

// CHOSEN: composite_attributes = {
// CHOSEN-SAME: ccl_core_grid_offset = array<i64: {{7, 0|0, 8}}>
// CHOSEN-SAME: compute_with_storage_grid_size = array<i64: {{7, 9|8, 8}}>
// CHOSEN-SAME: exp_approx_mode = false
// CHOSEN-SAME: num_links = 4 : ui32
// CHOSEN-SAME: q_chunk_size =
// CHOSEN-SAME: topology = #ttcore.topology<ring>

// The table comes before the plan, and the schedule of target=ring fuses nothing.
// EXPLAIN: on blackhole-galaxy, 8x4:
// EXPLAIN-NOT: ring_joint
// EXPLAIN: ring-plan: {{.*}} on blackhole-galaxy

!t = tensor<1x8x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}
