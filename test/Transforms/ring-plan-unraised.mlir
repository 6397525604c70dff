// SPDX-License-Identifier: Apache-2.0
// Who plans TTIR that was not raised hears that there is nothing to plan, once for
// each pass; not behind ring-raise, which says itself what it leaves.

// RUN: split-file %s %t
// RUN: ring-opt %t/annotated.mlir --ring-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: ring-opt %t/annotated.mlir --ring-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: ring-opt %t/plain.mlir --ring-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: ring-opt %t/plain.mlir --ring-raise --ring-explain --ring-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: ring-opt %t/annotated.mlir --ring-raise --ring-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: ring-opt %t/none.mlir --ring-plan -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=RAISED

// PLAN: {{:1:1: }}remark: ring-plan: nothing to plan: expects ring.attention, which ring-raise makes of attentions whose sequence names a mesh axis, but got none
// PLAN-NOT: nothing to plan
// EXPLAIN: remark: ring-explain: nothing to plan: expects
// RAISED-NOT: nothing to plan

//--- annotated.mlir
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @f(%q: tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16>
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16>
    return %1 : tensor<1x8x512x64xbf16>
  }
}

//--- plain.mlir
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @f(%q: tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16>
    return %0 : tensor<1x8x512x64xbf16>
  }
}

//--- none.mlir
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @f(%q: tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16> {
    %0 = "ttir.relu"(%q) : (tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16>
    return %0 : tensor<1x8x512x64xbf16>
  }
}
