// SPDX-License-Identifier: Apache-2.0
// Gradients of blocks lose their positions as blocks do; what is computed for
// chosen rows counts for those rows alone.

// RUN: ring-opt %s --ring-split-blocks --canonicalize --cse | FileCheck %s --implicit-check-not="block(" --implicit-check-not="length("

!q = tensor<1x4x64x32xbf16>
!k = tensor<1x2x64x32xbf16>
!l = tensor<1x4x64x1xf32>
!dq = tensor<1x4x64x32xf32>
!dk = tensor<1x2x64x32xf32>

// Two quarters, as forwards. Late queries are in both.
// CHECK-LABEL: func.func @zigzag_step(
// CHECK:         %[[DQ0:.+]], %[[DK0:.+]], %[[DV0:.+]] = ring.partial_backward {{.*}} -> tensor<1x4x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>
// CHECK:         %[[ZEROS:.+]] = "ttir.full"() <{fill_value = 0.000000e+00
// CHECK-DAG:     %[[EARLYQ:.+]] = ring.select %[[DQ0]], %[[ZEROS]] where [false, true, true, true]
// CHECK-DAG:     %[[LATEQ:.+]] = ring.select %[[DQ0]], %[[ZEROS]] where [true, false, false, false]
// CHECK-DAG:     %[[EARLYK:.+]] = ring.select %[[DK0]], %{{.+}} where [false, true, true, true]
// CHECK-DAG:     %[[LATEK:.+]] = ring.select %[[DK0]], %{{.+}} where [true, false, false, false]
// CHECK:         %[[DQ1:.+]], %[[DK1:.+]], %[[DV1:.+]] = ring.partial_backward
// CHECK:         %[[SUMQ:.+]] = "ttir.add"(%[[LATEQ]], %[[DQ1]])
// CHECK:         %[[GRADQ:.+]] = "ttir.concat"(%[[EARLYQ]], %[[SUMQ]]) <{dim = 2 : si32}>
// CHECK:         %[[SUMK:.+]] = "ttir.add"(%[[EARLYK]], %[[DK1]])
// CHECK:         %[[GRADK:.+]] = "ttir.concat"(%[[SUMK]], %[[LATEK]])
// CHECK:         return %[[GRADQ]], %[[GRADK]],
func.func @zigzag_step(%g: !q, %o: !q, %l: !l, %q: !q, %k: !k, %v: !k) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v pattern(#ring.causal)
      block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, source = -1, axis = <1 in 1x4>>)
      : !q, !q, !l, !q, !k, !k -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}

// 100 real keys: rank 1 has 36 of them, rank 2 and 3 none. What they are
// hidden by stands in a table.
// CHECK-LABEL: func.func @padding(
// CHECK:         dense<{{\[\[\[\[}}{{.*}}3.600000e+01]
// CHECK:         ring.partial_backward {{.*}} mask({{.*}} : tensor<1x1x1x64xf32>) :
// CHECK:         ring.select {{.*}} where [false, true, true, false]
func.func @padding(%g: !q, %o: !q, %l: !l, %q: !q, %k: !k, %v: !k) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v length(100)
      block(<keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>)
      : !q, !q, !l, !q, !k, !k -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}

// Nobody reaches two ranks back: no gradient, and none is computed.
// CHECK-LABEL: func.func @out_of_reach(
// CHECK-NOT:     ring.partial_backward
// CHECK-DAG:     %[[Q:.+]] = "ttir.full"() <{fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 4, 64, 32>}>
// CHECK-DAG:     %[[K:.+]] = "ttir.full"() <{fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 2, 64, 32>}>
// CHECK:         return %[[Q]], %[[K]], %[[K]]
func.func @out_of_reach(%g: !q, %o: !q, %l: !l, %q: !q, %k: !k, %v: !k) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v pattern(#ring.window<before = 20, after = 0>)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 4>, source = -2, axis = <1 in 1x4>>)
      : !q, !q, !l, !q, !k, !k -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}
