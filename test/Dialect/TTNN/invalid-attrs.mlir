// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint of the attributes, and wrong text where the
// mnemonic is known: that is an error, not something to keep.

// core_range C1
// expected-error @+1 {{expects the range to end at or after (2,0), but got (1,7)}}
"ttnn.novel"() {a = #ttnn.core_range<(2,0), (1,7)>} : () -> ()

// -----

// core_range_set C1
// expected-error @+1 {{expects core ranges that share no core}}
"ttnn.novel"() {a = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (3,3)>, #ttnn.core_range<(3,3), (4,4)>]>} : () -> ()

// -----

// memory_config C1
// expected-error @+1 {{expects no memory layout for system_memory, but got interleaved}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<system_memory>, <interleaved>>} : () -> ()

// -----

// memory_config C1
// expected-error @+1 {{expects a memory layout for dram, but got none}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<dram>>} : () -> ()

// -----

// memory_config C2
// expected-error @+1 {{expects dram to be interleaved, height_sharded or width_sharded, but got block_sharded}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<dram>, <block_sharded>>} : () -> ()

// -----

// memory_config C3
// expected-error @+1 {{expects l1 or dram for a shard spec, but got l1_small}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<l1_small>, <block_sharded>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>>>} : () -> ()

// -----

// memory_config C3
// expected-error @+1 {{expects a sharded layout for a shard spec, but got interleaved}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<l1>, <interleaved>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>>>} : () -> ()

// -----

// memory_config C4
// expected-error @+1 {{expects at most one shard spec, but got two}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<l1>, <block_sharded>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>>, ndShardSpec = #ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>, <grid_2d>>>} : () -> ()

// -----

// memory_config, wrong text
// expected-error @+1 {{expects a memory layout or a shard spec, but got 3 : i64}}
"ttnn.novel"() {a = #ttnn.memory_config<#ttnn.buffer_type<l1>, 3>} : () -> ()

// -----

// ttnn_layout C1
// expected-error @+1 {{expects the memref's memory space to be a #ttnn.buffer_type, but got 'memref<1x1xf32>'}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xf32>>} : () -> ()

// -----

// ttnn_layout C2
// expected-error @+1 {{expects a grid of 1x1 for dram, but got 8x8}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1xf32, #ttnn.buffer_type<dram>>, <interleaved>>} : () -> ()

// -----

// ttnn_layout C3
// expected-error @+1 {{expects a memory layout for dram, but got none}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xf32, #ttnn.buffer_type<dram>>>} : () -> ()

// -----

// ttnn_layout C4
// expected-error @+1 {{but got block_sharded}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xf32, #ttnn.buffer_type<dram>>, <block_sharded>>} : () -> ()

// -----

// ttnn_layout C5
// expected-error @+1 {{expects core_ranges for height_sharded, but got none}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1xf32, #ttnn.buffer_type<l1>>, <height_sharded>>} : () -> ()

// -----

// ttnn_layout C5
// expected-error @+1 {{expects no core_ranges for a layout that is not sharded}}
"ttnn.novel"() {a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1xf32, #ttnn.buffer_type<l1>>, <interleaved>, core_ranges = <[#ttnn.core_range<(0,0), (7,7)>]>>} : () -> ()

// -----

// wrong text after a known mnemonic
// expected-error @+2 {{failed to parse TTNN_BufferTypeAttr parameter 'value'}}
// expected-error @+1 {{expected ::mlir::tt::ttnn::BufferType to be one of}}
"ttnn.novel"() {a = #ttnn.buffer_type<disk>} : () -> ()

// -----

// wrong number of dimensions
// expected-error @+1 {{expects 2 dimensions, but got 3}}
"ttnn.novel"() {a = #ttnn<mesh_shape 1x2x3>} : () -> ()
