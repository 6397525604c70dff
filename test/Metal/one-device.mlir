// SPDX-License-Identifier: Apache-2.0
// A launch of the compiler on a device: heads in groups, a mask for each head
// beside a causal pattern, tokens that do not divide.

// REQUIRES: metal-1
// RUN: ring-translate --mlir-to-program %s -o %t.whole
// RUN: ring-opt %s --ring-attention-pipeline="target=launch strategy=ring grid=3x1" 2>/dev/null | ring-translate --mlir-to-program -o %t.ring
// RUN: %metal_exec %t.ring --backend=metal --check=%t.whole | FileCheck %s

// CHECK: out0 {{.*}} of the bound: ok
// CHECK: out1 {{.*}} of the bound: ok

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  func.func @attention(%q: tensor<1x4x150x32xbf16>, %k: tensor<1x2x150x32xbf16>, %v: tensor<1x2x150x32xbf16>, %m: tensor<1x4x150x150xbf16>)
      -> (tensor<1x4x150x32xbf16>, tensor<1x4x150x1xf32>) {
    %out, %lse = ring.attention %q, %k, %v mask(%m : tensor<1x4x150x150xbf16>) pattern(#ring.causal) parallel(<sequence = 1>)
        : tensor<1x4x150x32xbf16>, tensor<1x2x150x32xbf16>, tensor<1x2x150x32xbf16> -> tensor<1x4x150x32xbf16> lse(tensor<1x4x150x1xf32>)
    return %out, %lse : tensor<1x4x150x32xbf16>, tensor<1x4x150x1xf32>
  }
}
