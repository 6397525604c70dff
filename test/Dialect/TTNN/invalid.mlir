// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint that ttnn ops have of their own.

// scaled_dot_product_attention C2
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>) {
  // expected-error @+1 {{expects the result to have the query's type}}
  %0 = "ttnn.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>) -> tensor<2x8x64x64xf32>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<1x1x1x64xbf16>) {
  // expected-error @+1 {{expects dimension 2 of the mask to be 64, but got 1}}
  %0 = "ttnn.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x1x1x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C8
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>) {
  // expected-error @+1 {{expects the causal key's length to be the query's 64, but got 128}}
  %0 = "ttnn.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C4
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x32xbf16>, %arg2: tensor<2x4x128x32xbf16>) {
  // expected-error @+1 {{expects key's head size to be the query's 64, but got 32}}
  %0 = "ttnn.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x32xbf16>, tensor<2x4x128x32xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C1
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<8xi32>, %arg4: tensor<1xi32>) {
  // expected-error @+1 {{expects the page table's rank to be exactly 2, but got 1}}
  %0 = "ttnn.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<8xi32>, tensor<1xi32>) -> tensor<2x8x32x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C9
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1xi32>) {
  // expected-error @+1 {{expects a result of shape 2x8x32x64, but got 2x8x32x32}}
  %0 = "ttnn.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1xi32>) -> tensor<2x8x32x32xbf16>
  return
}

// -----

// sdpa_fw C1
func.func @f(%arg0: tensor<8x64x64xbf16>, %arg1: tensor<8x64x64xbf16>, %arg2: tensor<8x64x64xbf16>) {
  // expected-error @+1 {{expects query, key and value of 4 dimensions, but got 3}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<8x64x64xbf16>, tensor<8x64x64xbf16>, tensor<8x64x64xbf16>) -> tensor<8x64x64xbf16>
  return
}

// -----

// sdpa_fw C2
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x128x64xbf16>, %arg2: tensor<1x4x128x64xbf16>) {
  // expected-error @+1 {{expects key of shape 1x4x64x64, but got 1x4x128x64}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x128x64xbf16>, tensor<1x4x128x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C2
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>) {
  // expected-error @+1 {{expects value of shape 1x4x64x64, but got 1x8x64x64}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C3
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x3x64x64xbf16>, %arg2: tensor<1x3x64x64xbf16>) {
  // expected-error @+1 {{expects the number of key heads to divide 8, but got 3}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x3x64x64xbf16>, tensor<1x3x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C4
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects a mask for mask_type arbitrary, but got none}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C4
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>, %arg3: tensor<1x1x64x64xbf16>) {
  // expected-error @+1 {{expects no mask for mask_type none, but got one}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2, %arg3) <{mask_type = #ttcore.attention_mask_type<none>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C5
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>, %arg3: tensor<1x8x64x64xbf16>) {
  // expected-error @+1 {{expects a mask of shape 1x1x64x64, but got 1x8x64x64}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2, %arg3) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C6
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects an output of shape 1x8x64x64, but got 1x8x64x32}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x32xbf16>
  return
}

// -----

// sdpa_fw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects intermediates for return_intermediates = true, but got none}}
  %0 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = true}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects no intermediates for return_intermediates = false, but got some}}
  %0:2 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x32xf32>)
  return
}

// -----

// sdpa_fw C8
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects intermediates of shape 1x8x64x32, but got 1x8x64x1}}
  %0:2 = "ttnn.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = true}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x1xf32>)
  return
}

// -----

// sdpa_bw C6
func.func @f(%arg0: tensor<1x4x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_output of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttnn.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C6
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects attn_output of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttnn.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_query of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttnn.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_key of shape 1x4x64x64, but got 1x8x64x64}}
  %0:3 = "ttnn.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_value of shape 1x4x64x64, but got 1x8x64x64}}
  %0:3 = "ttnn.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>)
  return
}

// -----

// all_gather C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects all_gather_dim in [-2, 2), but got 2}}
  %0 = "ttnn.all_gather"(%arg0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<8x32xbf16>
  return
}

// -----

// all_gather C3
func.func @f(%arg0: tensor<32x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>) {
  // expected-error @+1 {{expects a result in layout tile, but got row_major}}
  %0 = "ttnn.all_gather"(%arg0) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<32x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>) -> tensor<64x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xbf16, #ttnn.buffer_type<dram>>, <interleaved>>>
  return
}

// -----

// all_reduce C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a reduce_type among (sum), but got min}}
  %0 = "ttnn.all_reduce"(%arg0) <{reduce_type = #ttcore.reduce_type<min>, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// all_reduce C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 4x16}}
  %0 = "ttnn.all_reduce"(%arg0) <{reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// reduce_scatter C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a reduce_type among (sum), but got max}}
  %0 = "ttnn.reduce_scatter"(%arg0) <{reduce_type = #ttcore.reduce_type<max>, scatter_dim = 1 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// reduce_scatter C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects scatter_dim in [-2, 2), but got 2}}
  %0 = "ttnn.reduce_scatter"(%arg0) <{reduce_type = #ttcore.reduce_type<sum>, scatter_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// point_to_point C1
func.func @f(%arg0: tensor<4x32xbf16>, %arg1: tensor<4x32xf32>) {
  // expected-error @+1 {{expects optional_output_tensor of the input's shape and element type 'tensor<4x32xbf16>', but got 'tensor<4x32xf32>'}}
  %0 = "ttnn.point_to_point"(%arg0, %arg1) <{sender_coord = array<i64: 0, 0>, receiver_coord = array<i64: 0, 1>}> : (tensor<4x32xbf16>, tensor<4x32xf32>) -> tensor<4x32xbf16>
  return
}

// -----

// point_to_point C2
func.func @f(%arg0: tensor<4x32xbf16>, %arg1: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects sender and receiver to differ, but got the same device twice}}
  %0 = "ttnn.point_to_point"(%arg0, %arg1) <{sender_coord = array<i64: 0, 0>, receiver_coord = array<i64: 0, 0>}> : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// mesh_partition C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects cluster_axis to be 0 or 1, but got 2}}
  %0 = "ttnn.mesh_partition"(%arg0) <{dim = 0 : si32, cluster_axis = 2 : ui32}> : (tensor<4x32xbf16>) -> tensor<1x32xbf16>
  return
}

// -----

// mesh_partition C3
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32 up to dimension 0, but got 1x16}}
  %0 = "ttnn.mesh_partition"(%arg0) <{dim = 0 : si32}> : (tensor<4x32xbf16>) -> tensor<1x16xbf16>
  return
}

// -----

// empty C1
func.func @f(%arg0: !ttnn.device) {
  // expected-error @+1 {{expects a result of shape 2x3, but got 3x2}}
  %0 = "ttnn.empty"(%arg0) <{shape = #ttnn.shape<2x3>}> : (!ttnn.device) -> tensor<3x2xbf16>
  return
}

// -----

// full C1
func.func @f() {
  // expected-error @+1 {{expects a result of shape 2x3, but got 3x2}}
  %0 = "ttnn.full"() <{shape = #ttnn.shape<2x3>, fill_value = 0.0 : f32}> : () -> tensor<3x2xbf16>
  return
}

// -----

// zeros C1
func.func @f() {
  // expected-error @+1 {{expects a result of shape 2x3, but got 3x2}}
  %0 = "ttnn.zeros"() <{shape = #ttnn.shape<2x3>}> : () -> tensor<3x2xbf16>
  return
}

// -----

// ones C1
func.func @f() {
  // expected-error @+1 {{expects a result of shape 2x3, but got 3x2}}
  %0 = "ttnn.ones"() <{shape = #ttnn.shape<2x3>}> : () -> tensor<3x2xbf16>
  return
}

// -----

// constant C2
func.func @f() {
  // expected-error @+1 {{expects a dense value}}
  %0 = "ttnn.constant"() <{value = sparse<[[0]], [1.0]> : tensor<2xbf16>}> : () -> tensor<2xbf16>
  return
}

// -----

// arange C3
func.func @f() {
  // expected-error @+1 {{expects a result of shape 4, but got 5}}
  %0 = "ttnn.arange"() <{start = 0 : si64, end = 4 : si64, step = 1 : si64}> : () -> tensor<5xbf16>
  return
}

// -----

// assign C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 4x16}}
  %0 = "ttnn.assign"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// pad C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects padding of 4 entries, but got 2}}
  %0 = "ttnn.pad"(%arg0) <{padding = array<i32: 0, 0>, value = 0.0 : f32, use_multicore = true}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// pad C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 5x32, but got 4x32}}
  %0 = "ttnn.pad"(%arg0) <{padding = array<i32: 0, 1, 0, 0>, value = 0.0 : f32, use_multicore = true}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// pad C3
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects padding that is not negative, but got -1}}
  %0 = "ttnn.pad"(%arg0) <{padding = array<i32: 0, -1, 0, 0>, value = 0.0 : f32, use_multicore = true}> : (tensor<4x32xbf16>) -> tensor<3x32xbf16>
  return
}

// -----

// repeat C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 8x32, but got 4x32}}
  %0 = "ttnn.repeat"(%arg0) <{repeat_dims = #ttnn.shape<2x1>}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// linear C4
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x4xbf16>, %arg2: tensor<2x4x4xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x4, but got 8x4}}
  %0 = "ttnn.linear"(%arg0, %arg1, %arg2) : (tensor<4x8xbf16>, tensor<8x4xbf16>, tensor<2x4x4xbf16>) -> tensor<8x4xbf16>
  return
}

// -----

// rms_norm C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 4x16}}
  %0 = "ttnn.rms_norm"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// layer_norm C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 4x16}}
  %0 = "ttnn.layer_norm"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// rotary_embedding C1
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects sin_cache of the shape and element type of cos_cache}}
  %0 = "ttnn.rotary_embedding"(%arg0, %arg1, %arg2) : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// rotary_embedding C2
func.func @f(%arg0: tensor<4x32xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>) {
  // expected-error @+1 {{expects tensors of 4 dimensions, but got 2}}
  %0 = "ttnn.rotary_embedding"(%arg0, %arg1, %arg2) : (tensor<4x32xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// pow_scalar C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects an exponent that is not negative, but got -2 : i32}}
  %0 = "ttnn.pow_scalar"(%arg0) <{rhs = -2 : i32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// pow_scalar C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects an exponent that is not negative, but got -5.000000e-01 : f32}}
  %0 = "ttnn.pow_scalar"(%arg0) <{rhs = -0.5 : f32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// tile type of the layout
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of element type 'bf16', which its layout stores, but got '!ttcore.tile<32x32, bfp_bf8>'}}
  %0 = "ttnn.exp"(%arg0) : (tensor<4x32xbf16>) -> tensor<32x32x!ttcore.tile<32x32, bfp_bf8>, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>
  return
}
