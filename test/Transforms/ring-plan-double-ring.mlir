// SPDX-License-Identifier: Apache-2.0
// When the planner takes the ring of rings: where the sequence is on two axes, on
// request, and by itself where links between hosts are slow.

// RUN: ring-opt %s --ring-plan 2>/dev/null | FileCheck %s
// RUN: ring-opt %s --ring-plan="strategy=double_ring inner-ranks=4" 2>/dev/null | FileCheck %s --check-prefix=INNER
// RUN: ring-opt %s --ring-plan="strategy=double_ring layout=striped directions=forward" 2>/dev/null | FileCheck %s --check-prefix=HOST
// RUN: ring-opt %s --ring-plan="strategy=double_ring" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not ring-opt %s --ring-plan="strategy=double_ring inner-ranks=5" 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not ring-opt %s --ring-plan="strategy=double_ring form=fused" 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: ring-opt %s --ring-plan="machine=%S/../../machines/galaxies-4.machine" 2>/dev/null | FileCheck %s --check-prefix=SLOW
// RUN: ring-opt %s --ring-plan="machine=blackhole-galaxy-4" 2>/dev/null | FileCheck %s --check-prefix=FLAT

// FIVE: cannot be planned: expects the ranks of the inner ring to divide 32, but got 5
// FUSED: expects ring or all_gather for a fused form, but got double_ring
// REMARK: ring-plan: {{.*}}double_ring of 8 x 4

!q = tensor<1x64x1048576x128xbf16>
!k = tensor<1x8x1048576x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 32x4>]>} {
  // CHECK-LABEL: @million
  // CHECK-NOT: double_ring
  // INNER: plan(<strategy = double_ring, axis = <0 in 32x4>, heads_axis = 1, {{.*}}inner_ranks = 4>)
  // HOST: plan(<strategy = double_ring, axis = <0 in 32x4>, heads_axis = 1, layout = striped, inner_ranks = 8>)
  // SLOW: plan(<strategy = double_ring, axis = <0 in 32x4>, heads_axis = 1, layout = zigzag, {{.*}}inner_ranks = 8>)
  // FLAT: @million
  // FLAT-NOT: double_ring
  func.func @million(%q: !q, %k: !k, %v: !k) -> !q {
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) : !q, !k, !k -> !q
    return %0 : !q
  }
}
