// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// What the dialect does not define passes through byte for byte: ops with their
// properties, regions, successors and locations, attributes and types, also
// inside those it does define.

module {
  func.func @main(%arg0: tensor<2x8x!ttir.number<7>>, %arg1: tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>, %arg2: !ttir.opaque) -> tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>> {
    %0 = "ttir.conv9d"(%arg0, %arg1) <{flattened = #ttir<flattened_compat_info batch_size = 1, input_height = 8>, stride = array<i32: 1, 1>}> : (tensor<2x8x!ttir.number<7>>, tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>) -> tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>
    %1 = "ttir.exp"(%0) {ttir.should_hoist, ttir.tag = #ttir.tag<"exp">} : (tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>) -> tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>
    %2:2 = "ttir.region_op"(%1) <{threads = [#ttir.thread<compute>]}> ({
    ^bb0(%arg3: !ttir.cb<tensor<4x32xbf16>>):
      %3 = "ttir.inner"(%arg3) : (!ttir.cb<tensor<4x32xbf16>>) -> i32
      "ttir.end"(%3) : (i32) -> ()
    }, {
      "ttir.end"() : () -> ()
    }) : (tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>) -> (tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>, !ttir.opaque)
    return %2#0 : tensor<4x32xbf16, #ttir.novel_layout<4x32, rows>>
  }
}
