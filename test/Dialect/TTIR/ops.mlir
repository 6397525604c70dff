// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every op of ttir, in the form it is printed in: text in is text out.

#layout = #ttcore.metal_layout<logical_shape = 64x128>
module {
  func.func @attention(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<1x1x64x128xbf16>, %arg4: tensor<1x8x1x1xbf16>) {
    %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 1.250000e-01 : f32}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>) -> tensor<2x8x64x64xbf16>
    %1 = "ttir.scaled_dot_product_attention"(%arg0, %arg2, %arg2, %arg3, %arg4) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>, sliding_window_size = 32 : ui32}> : (tensor<2x8x64x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<1x1x64x128xbf16>, tensor<1x8x1x1xbf16>) -> tensor<2x8x64x64xbf16>
    return
  }
  func.func @decode(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2xi32>, %arg3: tensor<2x1x1x128xbf16>, %arg4: tensor<16x4x32x64xbf16>, %arg5: tensor<2x8xi32>) {
    %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
    %1 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg1, %arg3, %arg2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, scale = 5.000000e-01 : f32}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x1x128xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
    %2 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg4, %arg4, %arg5, %arg0, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
    return
  }
  func.func @chunked(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<2x8xi32>, %arg3: tensor<1xi32>) {
    %0 = "ttir.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg1, %arg2, %arg3, %arg0) <{scale = 1.250000e-01 : f32}> : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1xi32>, tensor<2x8x32x64xbf16>) -> tensor<2x8x32x64xbf16>
    return
  }
  func.func @training(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x1x64x64xbf16>, %arg3: tensor<8x64x32xbf16>) {
    %output, %intermediates = "ttir.sdpa_fw"(%arg0, %arg1, %arg1) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = true}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x32xf32>)
    %output_0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg1, %arg2) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x8x64x64xbf16>
    %output_1 = "ttir.sdpa_fw"(%arg3, %arg3, %arg3) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<none>, return_intermediates = false}> : (tensor<8x64x32xbf16>, tensor<8x64x32xbf16>, tensor<8x64x32xbf16>) -> tensor<8x64x32xbf16>
    %grad_query, %grad_key, %grad_value = "ttir.sdpa_bw"(%output, %output, %arg0, %arg1, %arg1, %intermediates, %arg2) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<arbitrary>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>, tensor<1x1x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
    return
  }
  func.func @collectives(%arg0: tensor<1x1x32x32xbf16>, %arg1: tensor<8192x784xf32>, %arg2: tensor<1x8x64x32xbf16>) {
    %0 = "ttir.all_gather"(%arg0) <{all_gather_dim = 3 : si32, cluster_axis = 1 : ui32}> : (tensor<1x1x32x32xbf16>) -> tensor<1x1x32x128xbf16>
    %1 = "ttir.all_gather"(%arg0) <{all_gather_dim = -2 : si32, cluster_axis = 0 : ui32}> : (tensor<1x1x32x32xbf16>) -> tensor<1x1x64x32xbf16>
    %2 = "ttir.all_reduce"(%arg0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<1x1x32x32xbf16>) -> tensor<1x1x32x32xbf16>
    %3 = "ttir.reduce_scatter"(%arg0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<max>, scatter_dim = 3 : si32}> : (tensor<1x1x32x32xbf16>) -> tensor<1x1x32x16xbf16>
    %4 = "ttir.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<1x1x32x32xbf16>) -> tensor<1x1x32x32xbf16>
    %5 = "ttir.all_to_all"(%arg2) <{concat_dim = 2 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : si32, split_dim = 1 : si32}> : (tensor<1x8x64x32xbf16>) -> tensor<1x2x256x32xbf16>
    %6 = "ttir.mesh_partition"(%arg2) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x8x64x32xbf16>) -> tensor<1x8x16x32xbf16>
    %7 = "ttir.mesh_partition"(%arg2) <{dim = -1 : si32}> : (tensor<1x8x64x32xbf16>) -> tensor<1x8x64x8xbf16>
    %8 = "ttir.mesh_shard"(%arg1) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<8192x784xf32>) -> tensor<8192x392xf32>
    return
  }
  func.func @elementwise(%arg0: tensor<4x32xbf16>, %arg1: tensor<1x32xbf16>, %arg2: tensor<32xbf16>) {
    %0 = "ttir.add"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %1 = "ttir.subtract"(%arg0, %arg2) : (tensor<4x32xbf16>, tensor<32xbf16>) -> tensor<4x32xbf16>
    %2 = "ttir.multiply"(%arg0, %arg0) : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %3 = "ttir.div"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %4 = "ttir.pow"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %5 = "ttir.maximum"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %6 = "ttir.minimum"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %7 = "ttir.eq"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xi1>
    %8 = "ttir.gt"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xi1>
    %9 = "ttir.ge"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xi1>
    %10 = "ttir.lt"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xi1>
    %11 = "ttir.le"(%arg0, %arg1) : (tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xi1>
    %12 = "ttir.neg"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %13 = "ttir.abs"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %14 = "ttir.exp"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %15 = "ttir.log"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %16 = "ttir.sqrt"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %17 = "ttir.rsqrt"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %18 = "ttir.reciprocal"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %19 = "ttir.sin"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %20 = "ttir.cos"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %21 = "ttir.sigmoid"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %22 = "ttir.silu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %23 = "ttir.gelu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %24 = "ttir.tanh"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %25 = "ttir.relu"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    %26 = "ttir.logical_not"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xi1>
    %27 = "ttir.typecast"(%arg0) <{conservative_folding = false}> : (tensor<4x32xbf16>) -> tensor<4x32xf32>
    %28 = "ttir.typecast"(%arg0) <{conservative_folding = true}> : (tensor<4x32xbf16>) -> tensor<4x32xf32>
    %29 = "ttir.where"(%26, %arg0, %arg1) : (tensor<4x32xi1>, tensor<4x32xbf16>, tensor<1x32xbf16>) -> tensor<4x32xbf16>
    %30 = "ttir.clamp_scalar"(%arg0) <{max = 6 : i32, min = -1.000000e+00 : f32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
    return
  }
  func.func @creation() {
    %0 = "ttir.full"() <{fill_value = 1.000000e+00 : f32, shape = array<i32: 2, 3>}> : () -> tensor<2x3xbf16>
    %1 = "ttir.full"() <{fill_value = 7 : i32, shape = array<i32: 2, 3>}> : () -> tensor<2x3xi32>
    %2 = "ttir.zeros"() <{shape = array<i32: 2, 3>}> : () -> tensor<2x3xf32>
    %3 = "ttir.ones"() <{shape = array<i32: 2, 3>}> : () -> tensor<2x3xf32>
    %4 = "ttir.constant"() <{value = dense<[[0.000000e+00], [1.000000e+00]]> : tensor<2x1xbf16>}> : () -> tensor<2x1xbf16>
    %5 = "ttir.arange"() <{arange_dimension = 1 : i64, end = 32 : si64, start = 0 : si64, step = 2 : si64}> : () -> tensor<1x16x4xi32>
    %6 = ttir.empty() : tensor<1x10x10x64xbf16>
    return
  }
  func.func @layout(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32, #layout>, %arg2: memref<64x128xf32>) {
    %0 = ttir.to_layout %arg0, %arg1 : tensor<64x128xf32> into tensor<64x128xf32, #layout> -> tensor<64x128xf32, #layout>
    %1 = ttir.to_layout %arg0, %arg1 : tensor<64x128xf32> into tensor<64x128xf32, #layout> hostInfo = #layout -> tensor<64x128xf32, #layout>
    ttir.to_layout %arg2, %arg2 : memref<64x128xf32> into memref<64x128xf32>
    %2 = ttir.ttnn_metal_layout_cast %0 : tensor<64x128xf32, #layout> -> tensor<64x128xf32>
    %3 = ttir.tt_lang_op(%arg0, %2) {arg_roles = "in,out", kernel_id = "k", version_tag = "1"} : (tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<64x128xf32>)
    return
  }
  func.func @normalization(%arg0: tensor<2x4x8x16xbf16>, %arg1: tensor<4x16x32xbf16>, %arg2: tensor<4x32x16xbf16>, %arg3: tensor<16xbf16>, %arg4: tensor<32xbf16>) {
    %0 = "ttir.matmul"(%arg0, %arg1) <{transpose_a = false, transpose_b = false}> : (tensor<2x4x8x16xbf16>, tensor<4x16x32xbf16>) -> tensor<2x4x8x32xbf16>
    %1 = "ttir.matmul"(%arg0, %arg2) <{transpose_a = false, transpose_b = true}> : (tensor<2x4x8x16xbf16>, tensor<4x32x16xbf16>) -> tensor<2x4x8x32xbf16>
    %2 = "ttir.matmul"(%arg0, %arg3) <{transpose_a = false, transpose_b = false}> : (tensor<2x4x8x16xbf16>, tensor<16xbf16>) -> tensor<2x4x8xbf16>
    %3 = "ttir.matmul"(%arg3, %arg3) <{transpose_a = false, transpose_b = false}> : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<1xbf16>
    %4 = "ttir.linear"(%arg0, %arg1, %arg4) <{transpose_a = false, transpose_b = false}> : (tensor<2x4x8x16xbf16>, tensor<4x16x32xbf16>, tensor<32xbf16>) -> tensor<2x4x8x32xbf16>
    %5 = "ttir.dot_general"(%arg0, %arg1) <{batch_dims_lhs = array<i64: 1>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 1>}> : (tensor<2x4x8x16xbf16>, tensor<4x16x32xbf16>) -> tensor<4x2x8x32xbf16>
    %6 = "ttir.sum"(%arg0) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x1xbf16>
    %7 = "ttir.max"(%arg0) <{dim_arg = [1 : i32, 2 : i32], keep_dim = false}> : (tensor<2x4x8x16xbf16>) -> tensor<2x16xbf16>
    %8 = "ttir.mean"(%arg0) <{keep_dim = false}> : (tensor<2x4x8x16xbf16>) -> tensor<bf16>
    %9 = "ttir.softmax"(%arg0) <{dimension = 3 : si32, numericStable = true}> : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16>
    %10 = "ttir.rms_norm"(%arg0, %arg3) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 16>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x4x8x16xbf16>, tensor<16xbf16>) -> tensor<2x4x8x16xbf16>
    %11 = "ttir.layer_norm"(%arg0, %arg3, %arg3) <{epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 16>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<2x4x8x16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<2x4x8x16xbf16>
    return
  }
  func.func @shapes(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<1x4x1xbf16>, %arg2: tensor<2x8xui32>, %arg3: tensor<100x16xbf16>) {
    %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 1 : i32, -8 : i32], ends = [2 : i32, 4 : i32, 8 : i32], step = [1 : i32, 2 : i32, 3 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x2x3xbf16>
    %1 = "ttir.concat"(%arg0, %arg0) <{dim = -2 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x8x8xbf16>
    %2 = "ttir.pad"(%arg0) <{padding = array<i32: 0, 0, 1, 2, 0, 8>, value = 0.000000e+00 : f32}> : (tensor<2x4x8xbf16>) -> tensor<2x7x16xbf16>
    %3 = "ttir.permute"(%arg0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<8x2x4xbf16>
    %4 = "ttir.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = -1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<8x4x2xbf16>
    %5 = "ttir.reshape"(%arg0) <{shape = [8 : i32, -1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
    %6 = "ttir.squeeze"(%arg1) <{dim = -1 : si32}> : (tensor<1x4x1xbf16>) -> tensor<1x4xbf16>
    %7 = "ttir.unsqueeze"(%arg0) <{dim = -1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8x1xbf16>
    %8 = "ttir.broadcast"(%arg1) <{broadcast_dimensions = array<i64: 2, 1, 8>}> : (tensor<1x4x1xbf16>) -> tensor<2x4x8xbf16>
    %9 = "ttir.repeat"(%arg0) <{repeat_dimensions = array<i64: 1, 2, 3>}> : (tensor<2x4x8xbf16>) -> tensor<2x8x24xbf16>
    %10 = "ttir.repeat_interleave"(%arg0) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<2x4x8xbf16>) -> tensor<2x8x8xbf16>
    %11 = "ttir.embedding"(%arg2, %arg3) : (tensor<2x8xui32>, tensor<100x16xbf16>) -> tensor<2x8x16xbf16>
    return
  }
}
