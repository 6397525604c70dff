// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every attribute and type of ttnn, in the form it is printed in. The op is one
// that the dialect does not define.

#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#l1_small = #ttnn.buffer_type<l1_small>
#system_memory = #ttnn.buffer_type<system_memory>
#trace = #ttnn.buffer_type<trace>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<() -> (0, 0), <1x1>, mesh = <"mesh">, memref<1x1xf32, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,7)>]>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <block_sharded>, ignorePhysicalLayout = true>
module {
  "ttnn.novel"() {core = #ttnn.core_coord<7, 9>, range = #ttnn.core_range<(0,0), (7,7)>, set = [#ttnn.core_range_set<>, #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,0)>, #ttnn.core_range<(0,1), (3,1)>]>], shape = [#ttnn.shape<>, #ttnn.shape<1x32x64>]} : () -> ()
  "ttnn.novel"() {composer = #ttnn.mesh_composer_config<dims = [0 : i64, 1 : i64], mesh_shape_override = [1 : ui32, 2 : ui32]>, mapper = #ttnn.mesh_mapper_config<placements = [<shard, 0 : i64>, <replicate>]>, offset = #ttnn<mesh_offset 0x0>, placement = [#ttnn.placement<replicate>, #ttnn.placement<shard, 1 : i64>], shape = #ttnn<mesh_shape 2x4>} : () -> ()
  "ttnn.novel"() {layout = [#ttnn.layout<row_major>, #ttnn.layout<tile>, #ttnn.layout<invalid>], memory = [#ttnn.tensor_memory_layout<interleaved>, #ttnn.tensor_memory_layout<height_sharded>, #ttnn.tensor_memory_layout<width_sharded>, #ttnn.tensor_memory_layout<block_sharded>, #ttnn.tensor_memory_layout<nd_sharded>]} : () -> ()
  "ttnn.novel"() {buffer = [#dram, #l1, #system_memory, #l1_small, #trace], orientation = [#ttnn.shard_orientation<row_major>, #ttnn.shard_orientation<col_major>], strategy = #ttnn.shard_distribution_strategy<grid_2d>} : () -> ()
  "ttnn.novel"() {config = [#ttnn.memory_config<#dram, <interleaved>>, #ttnn.memory_config<#system_memory>, #ttnn.memory_config<#l1, <block_sharded>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>>>, #ttnn.memory_config<#l1, <nd_sharded>, ndShardSpec = #ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (1,1)>]>, <1x32x32>, <row_major>, <round_robin_1d>>>]} : () -> ()
  "ttnn.novel"() {kernel = [#ttnn.device_compute_kernel_config<>, #ttnn.device_compute_kernel_config<math_fidelity = hifi2, packer_l1_acc = true>], sdpa = #ttnn.sdpa_program_config<compute_with_storage_grid_size = <8, 8>, sub_core_grids = <[#ttnn.core_range<(0,0), (7,7)>]>, q_chunk_size = 128, k_chunk_size = 256, exp_approx_mode = true, max_cores_per_head_batch = 16>} : () -> ()
  "ttnn.novel"() {dram = #ttnn_layout} : () -> ()
  "ttnn.novel"() {host = #ttnn_layout1} : () -> ()
  "ttnn.novel"() {sharded = #ttnn_layout2} : () -> ()
  "ttnn.novel"() {placeholder = #ttnn_layout3} : () -> ()
  "ttnn.novel"() {nd = #ttnn.ttnn_nd_layout<<2x2>, memref<1x32x32xf32, #l1>, <nd_sharded>, <row_major>, <grid_2d>>, types = [!ttnn.device, !ttnn.global_semaphore]} : () -> ()
}
