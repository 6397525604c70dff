// SPDX-License-Identifier: Apache-2.0
// Passes of one function: the program is run after each of its functions, and
// functions in a device module are found.

// RUN: ring-run %s --ring-attention-pipeline="strategy=ring" --function=model --bisect 2>/dev/null | FileCheck %s
// CHECK: after ring-shard:
// CHECK: after ring-merge-lse on @first:
// CHECK-NEXT: ok
// CHECK: after ring-overlap on @first:
// CHECK-NEXT: ok
// CHECK-NOT: @declared
// CHECK: after ring-merge-lse on @model:
// CHECK-NEXT: ok
// CHECK: after ring-overlap on @model:
// CHECK-NEXT: ok
// CHECK: after ring-verify-schedule:
// CHECK: every pass keeps the result

// RUN: sed -e 's/^module attributes/module { ttcore.device_module { builtin.module attributes/' -e 's/^}$/} } }/' %s > %t.mlir
// RUN: ring-opt %t.mlir --ring-attention-pipeline="strategy=ring" 2>/dev/null | FileCheck %s --check-prefix=NESTED
// NESTED: ttcore.device_module
// NESTED-LABEL: func.func private @first
// NESTED: ring.start_shift
// NESTED-LABEL: func.func @model
// NESTED: ring.start_shift

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func private @first(%q: tensor<1x2x64x32xf32>, %k: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {
    %out = "ttir.scaled_dot_product_attention"(%q, %k, %k) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
    return %out : tensor<1x2x64x32xf32>
  }
  func.func private @declared(tensor<1x2x64x32xf32>)
  func.func @model(%q: tensor<1x2x64x32xf32>, %k: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {
    %first = call @first(%q, %k) : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
    %out = "ttir.scaled_dot_product_attention"(%first, %k, %k) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
    return %out : tensor<1x2x64x32xf32>
  }
}
