// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// What the dialect does not define passes through byte for byte: ops with their
// properties, regions, successors and locations, attributes and types, also
// inside those it does define.

#dram = #ttnn.buffer_type<dram>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @main(%arg0: tensor<32x32xbf16, #ttnn_layout>, %arg1: !ttnn.stream) -> tensor<32x32xbf16, #ttnn_layout> {
    %0 = "ttnn.matmul"(%arg0, %arg0) <{matmul_program_config = #ttnn.matmul_of_tomorrow_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 8>, hop_cores = #ttnn.core_range_set<>, in0_block_w = 1>, transpose_a = false, transpose_b = false}> : (tensor<32x32xbf16, #ttnn_layout>, tensor<32x32xbf16, #ttnn_layout>) -> tensor<32x32xbf16, #ttnn_layout>
    %1 = "ttnn.all_gather_async"(%0, %arg1) <{config = #ttnn.novel<(d0, d1) -> (d0 * 2 + d1 floordiv 8), -1.500000e+00, 0x1F, ?, a|b>, dim = 2 : si32}> : (tensor<32x32xbf16, #ttnn_layout>, !ttnn.stream) -> tensor<32x32xbf16, #ttnn.layout_of_tomorrow<32x32>>
    "ttnn.wait"(%arg1) {novel = #ttnn<mesh_range 0x0, 1x1>} : (!ttnn.stream) -> ()
    return %0 : tensor<32x32xbf16, #ttnn_layout>
  }
}
