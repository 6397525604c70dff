// SPDX-License-Identifier: Apache-2.0
// Transfers that reach every device land in buffers that are allocated once and
// taken in turns.

// RUN: ring-opt %s --convert-ring-to-ttnn | FileCheck %s

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  // Three steps, two buffers. The runtime counts who lies in a buffer, so each is
  // freed after its last use.
  // CHECK-LABEL: func.func @steps(
  // CHECK-SAME:      %[[X:[a-z0-9]+]]:
  // CHECK-NEXT:    %[[DEVICE:.+]] = "ttnn.get_device"
  // CHECK-NEXT:    %[[SECOND:[0-9]+]] = "ttnn.empty"(%[[DEVICE]])
  // CHECK-NEXT:    %[[FIRST:[0-9]+]] = "ttnn.empty"(%[[DEVICE]])
  // CHECK-NEXT:    %[[P0:.+]] = "ttnn.point_to_point"(%[[X]], %[[FIRST]])
  // CHECK-NEXT:    %[[P1:.+]] = "ttnn.point_to_point"(%[[X]], %[[P0]])
  // CHECK-NEXT:    "ttnn.deallocate"(%[[P0]])
  // CHECK-NEXT:    %[[P2:.+]] = "ttnn.point_to_point"(%[[P1]], %[[SECOND]])
  // CHECK-NEXT:    "ttnn.deallocate"(%[[SECOND]])
  // CHECK-NEXT:    %[[P3:.+]] = "ttnn.point_to_point"(%[[P1]], %[[P2]])
  // CHECK-DAG:     "ttnn.deallocate"(%[[P1]])
  // CHECK-DAG:     "ttnn.deallocate"(%[[P2]])
  // CHECK-NEXT:    %[[P4:.+]] = "ttnn.point_to_point"(%[[P3]], %[[FIRST]])
  // CHECK-NEXT:    "ttnn.deallocate"(%[[FIRST]])
  // CHECK-NEXT:    %[[P5:.+]] = "ttnn.point_to_point"(%[[P3]], %[[P4]])
  // CHECK-DAG:     "ttnn.deallocate"(%[[P3]])
  // CHECK-DAG:     "ttnn.deallocate"(%[[P4]])
  // CHECK-NEXT:    %[[R:.+]] = "ttnn.exp"(%[[P5]])
  // CHECK-NEXT:    "ttnn.deallocate"(%[[P5]])
  // CHECK-NEXT:    return %[[R]]
  func.func @steps(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %1 = "ttir.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %2 = "ttir.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %3 = "ttir.exp"(%2) : (!x) -> !x
    return %3 : !x
  }

  // What arrived first is read last, through a view: it keeps its buffer.
  // CHECK-LABEL: func.func @read_later(
  // CHECK-COUNT-3: "ttnn.empty"
  // CHECK-NOT:     "ttnn.empty"
  // CHECK:         %[[KEPT:.+]] = "ttnn.reshape"
  // CHECK:         "ttnn.reshape"(%[[KEPT]])
  func.func @read_later(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %view = "ttir.reshape"(%0) <{shape = [2 : i32, 64 : i32, 64 : i32]}> : (!x) -> tensor<2x64x64xbf16>
    %1 = "ttir.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %2 = "ttir.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    %back = "ttir.reshape"(%view) <{shape = [1 : i32, 2 : i32, 64 : i32, 64 : i32]}> : (tensor<2x64x64xbf16>) -> !x
    %3 = "ttir.add"(%2, %back) : (!x, !x) -> !x
    return %3 : !x
  }

  // What is returned is not shared, and not freed.
  // CHECK-LABEL: func.func @returned(
  // CHECK-COUNT-1: "ttnn.empty"
  // CHECK:         %[[LAST:.+]] = "ttnn.point_to_point"(%{{.+}}, %{{.+}}) <{receiver_coord = array<i64: 0, 0>
  // CHECK-NOT:     "ttnn.deallocate"(%[[LAST]])
  // CHECK:         return %[[LAST]]
  func.func @returned(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}
