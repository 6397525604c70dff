// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s --mlir-print-debuginfo > %t.out
// RUN: diff -B %t.in %t.out

// What the dialect does not define passes through byte for byte: ops with their
// properties, regions, successors and locations, attributes and types, also
// inside those it does define.

#loc1 = loc("model.py":7:3)
module attributes {ttcore.novel = #ttcore.novel<a = 1, [b, "c > d"], {e = @f}>, ttcore.words = #ttcore<words without brackets>} {
  func.func @main(%arg0: tensor<4x4xf32> {ttcore.novel_role = #ttcore.novel_role<weight>} loc("model.py":7:3), %arg1: !ttcore.novel<4x4, f32> loc("model.py":7:3)) -> tensor<4x4xf32> {
    %0 = "ttcore.novel"(%arg0, %arg1) <{count = 4 : si32, flags = [#ttcore.flag, #ttcore.flag<on>]}> {note = "kept"} : (tensor<4x4xf32>, !ttcore.novel<4x4, f32>) -> tensor<4x4xf32> loc(#loc2)
    "ttcore.branch"()[^bb1] <{kind = #ttcore<"quoted body">}> : () -> () loc(#loc2)
  ^bb1:  // pred: ^bb0
    %1 = "ttcore.composite"(%0) <{composite_attributes = {mode = #ttcore.novel<3>, op = #ttnn.novel<4>}, composite_name = "novel", decomposition = @main1}> : (tensor<4x4xf32>) -> tensor<4x4xf32> loc(#loc)
    return %1 : tensor<4x4xf32> loc(#loc)
  } loc(#loc1)
  func.func private @main1(tensor<4x4xf32>) -> tensor<4x4xf32> loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("layer"(#loc1))
