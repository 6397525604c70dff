// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -cse -canonicalize | FileCheck %s

// Pure ops are merged and removed when unused; allocations and effects are not
// merged.

// CHECK-LABEL: func.func @pure
// CHECK-NEXT: %[[SUM:.+]] = "ttir.add"
// CHECK-NEXT: return %[[SUM]], %[[SUM]]
func.func @pure(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.all_gather"(%a) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @allocations
// CHECK-NEXT: %[[FIRST:.+]] = ttir.empty()
// CHECK-NEXT: %[[SECOND:.+]] = ttir.empty()
// CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
func.func @allocations() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ttir.empty() : tensor<4xf32>
  %1 = ttir.empty() : tensor<4xf32>
  %2 = ttir.empty() : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @layout
// CHECK-NEXT: ttir.to_layout %{{.+}}, %{{.+}} : memref
// CHECK-NEXT: return
func.func @layout(%a: tensor<4xf32>, %m: memref<4xf32>, %n: memref<4xf32>) {
  %0 = ttir.to_layout %a, %a : tensor<4xf32> into tensor<4xf32> -> tensor<4xf32>
  ttir.to_layout %m, %n : memref<4xf32> into memref<4xf32>
  return
}

// An op the dialect does not define may do anything.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT: "ttir.novel"
// CHECK-NEXT: "ttir.novel"
func.func @unknown() {
  %0 = "ttir.novel"() : () -> tensor<4xf32>
  %1 = "ttir.novel"() : () -> tensor<4xf32>
  return
}
