// SPDX-License-Identifier: Apache-2.0
// Numbers of rows with more than two dimensions, which tt-mlir's own dialect
// refuses and a device looks up as one list.

// REQUIRES: open-dialects
// RUN: ring-opt %s --convert-ring-to-ttnn --ring-verify-device-rules | FileCheck %s
// RUN: ring-run %s --convert-ring-to-ttnn --check

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:      %[[N:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[T:[a-z0-9]+]]:
// CHECK:         %[[FLAT:.+]] = "ttnn.reshape"(%[[N]]) <{shape = [1 : i32, 12 : i32]}>
// CHECK:         %[[UNSIGNED:.+]] = "ttnn.typecast"(%[[FLAT]]){{.*}} -> tensor<1x12xui32
// CHECK:         %[[NUMBERS:.+]] = "ttnn.to_layout"(%[[UNSIGNED]]){{.*}} -> tensor<1x12xui32, #[[ROWS:[a-z_0-9]+]]>
// CHECK:         %[[TABLE:.+]] = "ttnn.to_layout"(%[[T]])
// CHECK:         %[[TAKEN:.+]] = "ttnn.embedding"(%[[NUMBERS]], %[[TABLE]]){{.*}} -> tensor<1x12x40xbf16
// CHECK:         "ttnn.reshape"(%[[TAKEN]]) <{shape = [2 : i32, 3 : i32, 2 : i32, 40 : i32]}>
func.func @rows(%n: tensor<2x3x2xi32>, %t: tensor<50x40xbf16>) -> tensor<2x3x2x40xbf16> {
  %0 = "ttir.embedding"(%n, %t) : (tensor<2x3x2xi32>, tensor<50x40xbf16>) -> tensor<2x3x2x40xbf16>
  return %0 : tensor<2x3x2x40xbf16>
}
