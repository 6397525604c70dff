// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -cse -canonicalize | FileCheck %s

// Two buffers or semaphores are never one, and a reset is never dead.

// CHECK-LABEL: func.func @buffers
// CHECK-NEXT: %[[FIRST:.+]] = "ttnn.empty"
// CHECK-NEXT: %[[SECOND:.+]] = "ttnn.empty"
// CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
func.func @buffers(%d: !ttnn.device) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttnn.empty"(%d) <{shape = #ttnn.shape<4>}> : (!ttnn.device) -> tensor<4xf32>
  %1 = "ttnn.empty"(%d) <{shape = #ttnn.shape<4>}> : (!ttnn.device) -> tensor<4xf32>
  %2 = "ttnn.empty"(%d) <{shape = #ttnn.shape<4>}> : (!ttnn.device) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @semaphores
// CHECK-NEXT: %[[FIRST:.+]] = "ttnn.create_global_semaphore"
// CHECK-NEXT: %[[SECOND:.+]] = "ttnn.create_global_semaphore"
// CHECK-NEXT: "ttnn.reset_global_semaphore"(%[[FIRST]])
// CHECK-NEXT: "ttnn.reset_global_semaphore"(%[[SECOND]])
func.func @semaphores(%d: !ttnn.device) {
  %0 = "ttnn.create_global_semaphore"(%d) <{core_range_set = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>}> : (!ttnn.device) -> !ttnn.global_semaphore
  %1 = "ttnn.create_global_semaphore"(%d) <{core_range_set = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>}> : (!ttnn.device) -> !ttnn.global_semaphore
  "ttnn.reset_global_semaphore"(%0) <{value = 1 : ui32}> : (!ttnn.global_semaphore) -> ()
  "ttnn.reset_global_semaphore"(%1) <{value = 1 : ui32}> : (!ttnn.global_semaphore) -> ()
  return
}

// CHECK-LABEL: func.func @deallocate
// CHECK-NEXT: "ttnn.deallocate"
// CHECK-NEXT: return
func.func @deallocate(%a: tensor<4xf32>) {
  %0 = "ttnn.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  "ttnn.deallocate"(%a) <{force = false}> : (tensor<4xf32>) -> ()
  return
}
