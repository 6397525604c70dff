// SPDX-License-Identifier: Apache-2.0
// The mesh and the axes by options, for a model that says nothing of either.

// RUN: ring-run %s --ring-attention-pipeline="mesh-shape=2x4 sequence-axis=1" --check | FileCheck %s --check-prefix=FOUR
// RUN: ring-run %s --ring-attention-pipeline="mesh-shape=2x4 sequence-axis=0 head-axis=1" --check | FileCheck %s --check-prefix=FOUR
// RUN: ring-run %s --ring-attention-pipeline="mesh-shape=3 sequence-axis=0" --check | FileCheck %s --check-prefix=THREE
// RUN: ring-run %s --mesh=1x5 --ring-attention-pipeline="sequence-axis=1" --check | FileCheck %s --check-prefix=FIVE
// FOUR: on 2x4 (8 devices)
// THREE: on 3 (3 devices)
// FIVE: on 1x5 (5 devices)

// Without an axis nothing is distributed.
// RUN: ring-run %s --ring-attention-pipeline="mesh-shape=2x4" --check 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: ring-raise: left as it is

!t = tensor<1x4x100x32xf32>

func.func @plain(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %0 : !t
}
