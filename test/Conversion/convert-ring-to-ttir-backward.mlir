// SPDX-License-Identifier: Apache-2.0
// Gradients of a block in ops that tt-mlir has: the device's kernel, or matrix
// products.

// RUN: ring-opt %s --convert-ring-to-ttir --cse | FileCheck %s --implicit-check-not="ring."

!q = tensor<1x4x64x32xbf16>
!k = tensor<1x2x64x32xbf16>
!l = tensor<1x4x64x1xf32>
!dq = tensor<1x4x64x32xf32>
!dk = tensor<1x2x64x32xf32>

// A row without keys, of log-sum-exp -inf, has no weights: as if it were high.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:      %[[G:[a-z0-9]+]]: {{[^,]+}}, %[[O:[a-z0-9]+]]: {{[^,]+}}, %[[L:[a-z0-9]+]]: {{[^,]+}}, %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[EMPTY:.+]] = "ttir.lt"(%[[L]],
// CHECK:         %[[HIGH:.+]] = "ttir.full"() <{fill_value = 1.000000e+30
// CHECK:         %[[SAFE:.+]] = "ttir.where"(%[[EMPTY]], %[[HIGH]], %[[L]])
// CHECK:         %[[I:.+]] = "ttir.pad"(%[[SAFE]]) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 31>
// CHECK:         %[[DQ:.+]], %[[DK:.+]], %[[DV:.+]] = "ttir.sdpa_bw"(%[[G]], %[[O]], %[[Q]], %[[K]], %[[V]], %[[I]]) <{{.*}}mask_type = #ttcore.attention_mask_type<causal>
// CHECK-DAG:     "ttir.typecast"(%[[DQ]]){{.*}} -> tensor<1x4x64x32xf32>
// CHECK-DAG:     "ttir.typecast"(%[[DK]]){{.*}} -> tensor<1x2x64x32xf32>
// CHECK-DAG:     "ttir.typecast"(%[[DV]]){{.*}} -> tensor<1x2x64x32xf32>
func.func @kernel(%g: !q, %o: !q, %l: !l, %q: !q, %k: !k, %v: !k) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v pattern(#ring.causal) : !q, !q, !l, !q, !k, !k -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}

// What the queries were multiplied by, their gradient is too.
// CHECK-LABEL: func.func @scaled(
// CHECK:         %[[DQ:.+]], %{{.+}}, %{{.+}} = "ttir.sdpa_bw"
// CHECK:         %[[WIDE:.+]] = "ttir.typecast"(%[[DQ]])
// CHECK:         "ttir.multiply"(%[[WIDE]],
func.func @scaled(%g: !q, %o: !q, %l: !l, %q: !q, %k: !k, %v: !k) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v scale(5.000000e-01) : !q, !q, !l, !q, !k, !k -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}

// f32 stays exact. Two query heads share a key head: 2 * 64 rows against it,
// which their gradients sum over.
// CHECK-LABEL: func.func @products(
// CHECK-NOT:     sdpa_bw
// CHECK:         "ttir.sum"
// CHECK:         %[[S:.+]] = "ttir.matmul"{{.*}}transpose_b = true{{.*}} -> tensor<1x2x128x64xf32>
// CHECK:         %[[P:.+]] = "ttir.exp"
// CHECK:         %[[GROUPED:.+]] = "ttir.reshape"(%[[P]])
// CHECK:         %[[DP:.+]] = "ttir.matmul"{{.*}}transpose_b = true
// CHECK:         %[[DIFF:.+]] = "ttir.subtract"(%[[DP]],
// CHECK:         "ttir.multiply"(%[[GROUPED]], %[[DIFF]])
// CHECK:         "ttir.matmul"
// CHECK:         "ttir.matmul"{{.*}}transpose_a = true{{.*}} -> tensor<1x2x64x32xf32>
// CHECK:         "ttir.matmul"(%[[GROUPED]],{{.*}}transpose_a = true{{.*}} -> tensor<1x2x64x32xf32>
func.func @products(%g: !dq, %o: !dq, %l: !l, %q: !dq, %k: !dk, %v: !dk) -> (!dq, !dk, !dk) {
  %dq, %dk, %dv = ring.partial_backward %g, %o, %l, %q, %k, %v : !dq, !dq, !l, !dq, !dk, !dk -> !dq, !dk, !dk
  return %dq, %dk, %dv : !dq, !dk, !dk
}

// Keys and the gradients behind them differ in type: two transfers.
// CHECK-LABEL: func.func @travel(
// CHECK-COUNT-2: "ttir.collective_permute"
// CHECK-NOT:     "ttir.collective_permute"
func.func @travel(%k: !k, %v: !k, %dk: !dk, %dv: !dk) -> (!k, !k, !dk, !dk) {
  %0:4 = ring.shift %k, %v, %dk, %dv by 1 on <1 in 1x4> : !k, !k, !dk, !dk
  return %0#0, %0#1, %0#2, %0#3 : !k, !k, !dk, !dk
}
