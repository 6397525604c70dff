// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s > %t.once && ring-opt %t.once > %t.twice && diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once

// What differs by device, without an op that tells a device its number: each
// device cuts its own flag out of a constant that all of them hold, and chooses
// by it. Key and value travel as one tensor.

// CHECK-LABEL: func.func @select
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @select(%low: tensor<1x2x32x32xbf16>, %high: tensor<1x2x32x32xbf16>) -> (tensor<1x2x32x32xbf16>, tensor<1x4x32x32xbf16>) {
    %table = "ttir.constant"() <{value = dense<[[[[0.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0]]]]> : tensor<1x1x8x1xbf16>}> : () -> tensor<1x1x8x1xbf16>
    // CHECK: %[[FLAG:.+]] = "ttir.mesh_partition"(%{{.+}}) <{cluster_axis = 1 : ui32, dim = 2 : si32}>
    %flag = "ttir.mesh_partition"(%table) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x1x8x1xbf16>) -> tensor<1x1x1x1xbf16>
    // CHECK: "ttir.where"(%[[FLAG]],
    %chosen = "ttir.where"(%flag, %low, %high) : (tensor<1x1x1x1xbf16>, tensor<1x2x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16>
    %packed = "ttir.concat"(%low, %high) <{dim = 1 : si32}> : (tensor<1x2x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x4x32x32xbf16>
    // CHECK: dense<{{\[\[}}0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]>
    %shifted = "ttir.collective_permute"(%packed) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<1x4x32x32xbf16>) -> tensor<1x4x32x32xbf16>
    return %chosen, %shifted : tensor<1x2x32x32xbf16>, tensor<1x4x32x32xbf16>
  }
}
