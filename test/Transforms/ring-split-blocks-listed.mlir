// SPDX-License-Identifier: Apache-2.0
// Blocks whose rows are listed by device are the same on every device but for a
// mask of their positions, of which each device cuts its own. So are blocks whose
// rows stand where only the running program knows.

// RUN: ring-opt %s --ring-split-blocks | FileCheck %s --implicit-check-not=_places

!x = tensor<1x2x3x4xf32>

// CHECK-LABEL: func.func @listed(
// CHECK: %[[ROWS:.+]] = "ttir.constant"() <{value = dense<{{.+}}> : tensor<1x1x3x1xf32>}>
// CHECK: "ttir.add"(%[[ROWS]],
// CHECK: %[[COLUMN:.+]] = ring.shard %{{.+}} as <[0, 1, _, _] in 2x1> replicated : tensor<2x1x1x3xf32> -> tensor<1x1x1x3xf32>
// CHECK: %[[MASK:.+]] = "ttir.where"(
// CHECK: ring.partial %{{.+}}, %{{.+}}, %{{.+}} mask(%[[MASK]] : tensor<1x1x3x3xf32>) :
func.func @listed(%q: !x) -> !x {
  %out, %lse = ring.partial %q, %q, %q pattern(#ring.window<before = 2, after = 2>)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [0, 3, 1, 7, 3, 2]>, axis = <0 in 2x1>>)
      : !x, !x, !x -> !x, tensor<1x2x3x1xf32>
  return %out : !x
}

// Keys that lie alike on every device but for their first: one list, and one number
// for each device. Queries of two users stand where a tensor says, from 0 on.
// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[Q:.+]]: tensor<2x2x1x4xf32>, %[[K:.+]]: tensor<2x2x6x4xf32>, %[[AT:.+]]: tensor<2x1xi32>
// CHECK: %[[FIRST:.+]] = "ttir.constant"() <{value = dense<{{.+}}0.000000e+00, 1.000000e+00, 4.000000e+00, 5.000000e+00, 8.000000e+00, 9.000000e+00{{.+}}> : tensor<1x1x1x6xf32>}>
// CHECK: %[[MOVES:.+]] = "ttir.constant"() <{value = dense<{{.+}}0.000000e+00{{.+}}2.000000e+00{{.+}}> : tensor<2x1x1x1xf32>}>
// CHECK: ring.shard %[[MOVES]] as <[0, 1, _, _] in 2x1> replicated
// CHECK: %[[COLUMN:.+]] = "ttir.add"(%[[FIRST]],
// CHECK: %[[ROW:.+]] = "ttir.reshape"(%[[AT]]) {{.+}} -> tensor<2x1x1x1xi32>
// CHECK: "ttir.subtract"({{.+}}) : (tensor<2x1x1x6xi32>, tensor<2x1x1x6xi32>)
// CHECK: %[[SEEN:.+]] = "ttir.multiply"
// CHECK: %[[MASK:.+]] = "ttir.where"(%[[SEEN]],
// CHECK: "ttir.slice_static"(%[[MASK]])
// CHECK: ring.partial %[[Q]], %{{.+}}, %{{.+}} mask(%{{.+}} : tensor<2x1x1x1xf32>) :
func.func @late(%q: tensor<2x2x1x4xf32>, %k: tensor<2x2x6x4xf32>, %at: tensor<2x1xi32>) -> tensor<2x2x1x4xf32> {
  %out, %lse = ring.partial %q, %k, %k query_positions(%at : tensor<2x1xi32>) pattern(#ring.causal)
      block(<keys = <block_cyclic, 12 over 2 by 2>, axis = <0 in 2x1>>)
      : tensor<2x2x1x4xf32>, tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32> -> tensor<2x2x1x4xf32>, tensor<2x2x1x1xf32>
  return %out : tensor<2x2x1x4xf32>
}

// What all devices have alike needs no table.
// CHECK-LABEL: func.func @alike(
// CHECK-NOT: ring.shard
// CHECK: ring.partial_backward {{.+}} mask(%{{.+}} : tensor<1x1x3x3xf32>) :
func.func @alike(%q: !x, %lse: tensor<1x2x3x1xf32>) -> !x {
  %dq, %dk, %dv = ring.partial_backward %q, %q, %lse, %q, %q, %q pattern(#ring.causal)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 0, 3, 1]>,
             key_places = <counts = [2, 2], ranges = [1, 2, 1, 0, 1, 1, 1, 2, 1, 0, 1, 1]>, axis = <0 in 2x1>>)
      : !x, !x, tensor<1x2x3x1xf32>, !x, !x, !x -> !x, !x, !x
  return %dk : !x
}
