// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every op of ttnn, in the form it is printed in: text in is text out.

#dram = #ttnn.buffer_type<dram>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x64xf32, #system_memory>>
module {
  func.func @attention(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<1x1x64x64xbf16>) {
    %0 = "ttnn.scaled_dot_product_attention"(%arg0, %arg1, %arg1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>) -> tensor<2x8x64x64xbf16>
    %1 = "ttnn.scaled_dot_product_attention"(%arg0, %arg1, %arg1, %arg2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 2.500000e-01 : f32}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<2x8x64x64xbf16>
    %output, %intermediates = "ttnn.sdpa_fw"(%arg0, %arg1, %arg1, %arg2) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = true}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> (tensor<2x8x64x64xbf16>, tensor<2x8x64x32xf32>)
    %grad_query, %grad_key, %grad_value = "ttnn.sdpa_bw"(%output, %output, %arg0, %arg1, %arg1, %intermediates) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<2x8x64x64xbf16>, tensor<2x8x64x64xbf16>, tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x8x64x32xf32>) -> (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>)
    return
  }
  func.func @decode(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1xi32>, %arg5: tensor<2x8x32x64xbf16>) {
    %0 = "ttnn.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, program_config = #ttnn.sdpa_program_config<compute_with_storage_grid_size = <8, 8>, q_chunk_size = 32, k_chunk_size = 64, exp_approx_mode = false>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) -> tensor<1x2x8x64xbf16>
    %1 = "ttnn.chunked_scaled_dot_product_attention"(%arg5, %arg2, %arg2, %arg3, %arg4) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1xi32>) -> tensor<2x8x32x64xbf16>
    return
  }
  func.func @collectives(%arg0: tensor<1x8x512x128xbf16, #ttnn_layout>, %arg1: tensor<32x64xf32, #ttnn_layout1>) {
    %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
    %1 = "ttnn.all_gather"(%arg0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32, num_links = 2 : ui32, topology = #ttcore.topology<ring>}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x1024x128xbf16, #ttnn_layout>
    %2 = "ttnn.all_reduce"(%arg0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>, sub_device_id = 0 : ui32}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x512x128xbf16, #ttnn_layout>
    %3 = "ttnn.reduce_scatter"(%arg0) <{cluster_axis = 1 : ui32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, reduce_type = #ttcore.reduce_type<sum>, scatter_dim = 2 : si32}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x256x128xbf16, #ttnn_layout>
    %4 = "ttnn.point_to_point"(%arg0) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 0, 0>}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x512x128xbf16, #ttnn_layout>
    %5 = "ttnn.point_to_point"(%arg0, %4) <{receiver_coord = array<i64: 0, 0>, sender_coord = array<i64: 0, 1>}> : (tensor<1x8x512x128xbf16, #ttnn_layout>, tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x512x128xbf16, #ttnn_layout>
    %6 = "ttnn.mesh_partition"(%arg0) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x256x128xbf16, #ttnn_layout>
    %7 = "ttnn.distribute_tensor"(%arg1, %0) <{cq_id = 0 : ui32, mapper_config = #ttnn.mesh_mapper_config<placements = [<replicate>, <shard, 1 : i64>], mesh_shape_override = [1 : ui32, 2 : ui32]>}> : (tensor<32x64xf32, #ttnn_layout1>, !ttnn.device) -> tensor<32x32xf32>
    %8 = "ttnn.aggregate_tensor"(%7, %0) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i64, 1 : i64]>}> : (tensor<32x32xf32>, !ttnn.device) -> tensor<32x64xf32, #ttnn_layout1>
    return
  }
  func.func @devices(%arg0: tensor<1x8x512x128xbf16, #ttnn_layout>, %arg1: tensor<32x64xf32, #ttnn_layout1>) {
    %0 = "ttnn.get_device"() : () -> !ttnn.device
    %1 = "ttnn.to_device"(%arg1, %0) : (tensor<32x64xf32, #ttnn_layout1>, !ttnn.device) -> tensor<32x64xf32>
    %2 = "ttnn.from_device"(%1) : (tensor<32x64xf32>) -> tensor<32x64xf32, #ttnn_layout1>
    %3 = "ttnn.to_layout"(%1) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %4 = "ttnn.to_tensor_spec"(%1) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %5 = "ttnn.assign"(%arg0) : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> tensor<1x8x512x128xbf16, #ttnn_layout>
    %6 = "ttnn.create_global_semaphore"(%0) <{core_range_set = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,3)>, #ttnn.core_range<(0,4), (3,7)>]>, initial_value = 0 : ui32}> : (!ttnn.device) -> !ttnn.global_semaphore
    "ttnn.reset_global_semaphore"(%6) <{value = 1 : ui32}> : (!ttnn.global_semaphore) -> ()
    "ttnn.generic"(%1, %2, %6) <{operandSegmentSizes = array<i32: 2, 1>, program = #ttnn.program<kernels = [#ttnn.read_kernel<symbol_ref = @reader, core_ranges = <[#ttnn.core_range<(0,0), (0,0)>]>, ct_args = [], common_rt_args = [], rt_args = []>], cbs = [], semaphores = []>}> : (tensor<32x64xf32>, tensor<32x64xf32, #ttnn_layout1>, !ttnn.global_semaphore) -> ()
    %7 = ttnn.d2m_subgraph @lowered
     ins(%1 : tensor<32x64xf32>)
     outs(%1 : tensor<32x64xf32>) : tensor<32x64xf32>
    %8 = ttnn.tt_lang_op(%1) {arg_roles = "in", kernel_id = "k", version_tag = "1"} : (tensor<32x64xf32>) -> (tensor<32x64xf32>)
    "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<1x8x512x128xbf16, #ttnn_layout>) -> ()
    return
  }
  func.func @elementwise(%arg0: tensor<4x32xbf16>, %arg1: tensor<1x32xbf16>) {
    %0 = "ttnn.add"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %1 = "ttnn.subtract"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %2 = "ttnn.multiply"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %3 = "ttnn.divide"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %4 = "ttnn.maximum"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %5 = "ttnn.minimum"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %6 = "ttnn.eq"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %7 = "ttnn.gt"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %8 = "ttnn.ge"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %9 = "ttnn.lt"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %10 = "ttnn.le"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %11 = "ttnn.neg"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %12 = "ttnn.exp"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %13 = "ttnn.log"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %14 = "ttnn.sqrt"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %15 = "ttnn.rsqrt"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %16 = "ttnn.reciprocal"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %17 = "ttnn.sin"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %18 = "ttnn.cos"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %19 = "ttnn.sigmoid"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %20 = "ttnn.silu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %21 = "ttnn.gelu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %22 = "ttnn.tanh"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %23 = "ttnn.relu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %24 = "ttnn.typecast"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xf32>
    %25 = "ttnn.where"(%6, %arg0, %arg1) : (tensor<4x32xbf16>, tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %26 = "ttnn.pow_scalar"(%arg0) <{rhs = 2.000000e+00 : f32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    return
  }
  func.func @creation() {
    %0 = "ttnn.get_device"() : () -> !ttnn.device
    %1 = "ttnn.empty"(%0) <{shape = #ttnn.shape<2x3>}> : (!ttnn.device) -> tensor<2x3xbf16>
    %2 = "ttnn.full"(%0) <{fill_value = 1.000000e+00 : f32, shape = #ttnn.shape<2x3>}> : (!ttnn.device) -> tensor<2x3xbf16>
    %3 = "ttnn.zeros"() <{shape = #ttnn.shape<2x3>}> : () -> tensor<2x3xbf16>
    %4 = "ttnn.ones"(%0) <{shape = #ttnn.shape<2x3>}> : (!ttnn.device) -> tensor<2x3xbf16>
    %5 = "ttnn.constant"() <{value = dense<1.000000e+00> : tensor<2x3xbf16>}> : () -> tensor<2x3xbf16>
    %6 = "ttnn.arange"(%0) <{end = 8 : si64, start = 0 : si64, step = 1 : si64}> : (!ttnn.device) -> tensor<8xbf16>
    return
  }
  func.func @normalization(%arg0: tensor<2x4x8x16xbf16>, %arg1: tensor<4x16x32xbf16>, %arg2: tensor<16xbf16>, %arg3: tensor<32xbf16>, %arg4: tensor<1x1x8x16xbf16>) {
    %0 = "ttnn.matmul"(%arg0, %arg1) <{activation = "relu", matmul_program_config = #ttnn.matmul_multi_core_reuse_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 8>, in0_block_w = 1, out_subblock_h = 1, out_subblock_w = 1, per_core_m = 1, per_core_n = 1>, transpose_a = false, transpose_b = false}> : (tensor<2x4x8x16xbf16>, tensor<4x16x32xbf16>) -> tensor<2x4x8x32xbf16>
    %1 = "ttnn.linear"(%arg0, %arg1, %arg3) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = lofi, math_approx_mode = true, fp32_dest_acc_en = false, packer_l1_acc = true, dst_full_sync_en = false>, transpose_a = false, transpose_b = false}> : (tensor<2x4x8x16xbf16>, tensor<4x16x32xbf16>, tensor<32xbf16>) -> tensor<2x4x8x32xbf16>
    %2 = "ttnn.softmax"(%arg0) <{dimension = -1 : si32, numericStable = false}> : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16>
    %3 = "ttnn.sum"(%arg0) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x1xbf16>
    %4 = "ttnn.max"(%arg0) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<2x4x8x16xbf16>) -> tensor<4x8x16xbf16>
    %5 = "ttnn.mean"(%arg0) <{keep_dim = true}> : (tensor<2x4x8x16xbf16>) -> tensor<1x1x1x1xbf16>
    %6 = "ttnn.rms_norm"(%arg0, %arg2) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x4x8x16xbf16>, tensor<16xbf16>) -> tensor<2x4x8x16xbf16>
    %7 = "ttnn.layer_norm"(%arg0) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16>
    %8 = "ttnn.rotary_embedding"(%arg0, %arg4, %arg4) <{token_index = 0 : ui32}> : (tensor<2x4x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>) -> tensor<2x4x8x16xbf16>
    return
  }
  func.func @shapes(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x8xui32>, %arg2: tensor<100x16xbf16>) {
    %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x4x1xbf16>
    %1 = "ttnn.concat"(%arg0, %arg0) <{dim = 1 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x8x8xbf16>
    %2 = "ttnn.pad"(%arg0) <{padding = array<i32: 0, 0, 0, 28, 0, 24>, use_multicore = true, value = 0.000000e+00 : f32}> : (tensor<2x4x8xbf16>) -> tensor<2x32x32xbf16>
    %3 = "ttnn.permute"(%arg0) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x4x8xbf16>) -> tensor<4x2x8xbf16>
    %4 = "ttnn.permute"(%arg0) <{pad_value = 1.000000e+00 : f32, permutation = array<i64: 1, 0, 2>}> : (tensor<2x4x8xbf16>) -> tensor<4x2x8xbf16>
    %5 = "ttnn.transpose"(%arg0) <{dim0 = 1 : si32, dim1 = 2 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x8x4xbf16>
    %6 = "ttnn.reshape"(%arg0) <{shape = [64 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<64xbf16>
    %7 = "ttnn.repeat"(%arg0) <{repeat_dims = #ttnn.shape<2x1x1>}> : (tensor<2x4x8xbf16>) -> tensor<4x4x8xbf16>
    %8 = "ttnn.repeat_interleave"(%arg0) <{dim = 0 : si32, repeats = 2 : ui32}> : (tensor<2x4x8xbf16>) -> tensor<4x4x8xbf16>
    %9 = "ttnn.embedding"(%arg1, %arg2) : (tensor<2x8xui32>, tensor<100x16xbf16>) -> tensor<2x8x16xbf16>
    return
  }
}
