// SPDX-License-Identifier: Apache-2.0
// Where the IR has no annotation the options name the axes; where it has one, or
// where gathers show the axis, they do not count.

// RUN: ring-opt %s --ring-raise="sequence-axis=1" | FileCheck %s --check-prefixes=CHECK,SEQUENCE
// RUN: ring-opt %s --ring-raise="sequence-axis=0 head-axis=1" | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: not ring-opt %s --ring-raise="sequence-axis=1 head-axis=1" 2>&1 | FileCheck %s --check-prefix=SAME

!t = tensor<1x2x64x16xbf16>
!local = tensor<1x2x16x16xbf16>

// SAME: error: ring-raise options: expects sequence and heads on different mesh axes, but got 1 for both

// RUN: not ring-opt %s --ring-raise=sequence-axis=-7 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: error: ring-raise options: expects sequence-axis to be an axis of the mesh, or -1 for none, but got -7
// RUN: not ring-opt %s --ring-attention-pipeline="sequence-axis=1 head-axis=-2" 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: expects head-axis to be an axis of the mesh, or -1 for none, but got -2

// CHECK-LABEL: func.func @plain(
func.func @plain(%q: !t) -> !t {
  // SEQUENCE: ring.attention {{.+}} parallel(<sequence = 1>) :
  // BOTH: ring.attention {{.+}} parallel(<sequence = 0, heads = 1>) :
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @annotated(
func.func @annotated(%q: !t) -> !t {
  // CHECK: ring.attention {{.+}} parallel(<sequence = 2>) :
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 2>} : (!t, !t, !t) -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @gathered(
func.func @gathered(%q: !local) -> !t {
  // CHECK: ring.attention {{.+}} parallel(<sequence = 0>) per_device
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !t
  %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %1 : !t
}
