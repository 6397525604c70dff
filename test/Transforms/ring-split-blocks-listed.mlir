// SPDX-License-Identifier: Apache-2.0
// Blocks whose rows are listed by device are the same on every device but for a
// mask of their positions, of which each device cuts its own.

// RUN: ring-opt %s --ring-split-blocks | FileCheck %s --implicit-check-not=_places

!x = tensor<1x2x3x4xf32>

// CHECK-LABEL: func.func @listed(
// CHECK: %[[ROWS:.+]] = "ttir.constant"() <{value = dense<{{.+}}> : tensor<2x1x3x1xf32>}>
// CHECK: %[[ROW:.+]] = ring.shard %[[ROWS]] as <[0, 1, _, _] in 2x1> replicated : tensor<2x1x3x1xf32> -> tensor<1x1x3x1xf32>
// CHECK: %[[COLUMN:.+]] = ring.shard %{{.+}} as <[0, 1, _, _] in 2x1> replicated : tensor<2x1x1x3xf32> -> tensor<1x1x1x3xf32>
// CHECK: %[[MASK:.+]] = "ttir.where"(
// CHECK: ring.partial %{{.+}}, %{{.+}}, %{{.+}} mask(%[[MASK]] : tensor<1x1x3x3xf32>) :
func.func @listed(%q: !x) -> !x {
  %out, %lse = ring.partial %q, %q, %q pattern(#ring.window<before = 2, after = 2>)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [0, 3, 1, 7, 3, 1]>, axis = <0 in 2x1>>)
      : !x, !x, !x -> !x, tensor<1x2x3x1xf32>
  return %out : !x
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
