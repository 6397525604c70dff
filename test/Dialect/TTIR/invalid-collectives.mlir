// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint of the ops that communicate.

// all_gather C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects all_gather_dim in [-2, 2), but got 2}}
  %0 = "ttir.all_gather"(%arg0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<8x32xbf16>
  return
}

// -----

// all_gather C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32 up to dimension 0, but got 8x64}}
  %0 = "ttir.all_gather"(%arg0) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<8x64xbf16>
  return
}

// -----

// all_gather C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects dimension 0 of the result to be a multiple of 4, but got 6}}
  %0 = "ttir.all_gather"(%arg0) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<6x32xbf16>
  return
}

// -----

// all_reduce C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a reduce_type among (sum), but got max}}
  %0 = "ttir.all_reduce"(%arg0) <{reduce_type = #ttcore.reduce_type<max>, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// all_reduce C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 8x32}}
  %0 = "ttir.all_reduce"(%arg0) <{reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<8x32xbf16>
  return
}

// -----

// reduce_scatter C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a reduce_type among (sum, max, min), but got mean}}
  %0 = "ttir.reduce_scatter"(%arg0) <{reduce_type = #ttcore.reduce_type<mean>, scatter_dim = 1 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// reduce_scatter C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects scatter_dim in [-2, 2), but got -3}}
  %0 = "ttir.reduce_scatter"(%arg0) <{reduce_type = #ttcore.reduce_type<sum>, scatter_dim = -3 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<4x16xbf16>
  return
}

// -----

// collective_permute C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects source_target_pairs of shape Nx2, but got 4}}
  %0 = "ttir.collective_permute"(%arg0) <{source_target_pairs = dense<[0, 1, 1, 0]> : tensor<4xi64>}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// collective_permute C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects each device to be a source at most once, but got 0 twice}}
  %0 = "ttir.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// collective_permute C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects each device to be a target at most once, but got 1 twice}}
  %0 = "ttir.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// collective_permute C3
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x32, but got 8x32}}
  %0 = "ttir.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x32xbf16>) -> tensor<8x32xbf16>
  return
}

// -----

// mesh_partition C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects dim in [-2, 2), but got 2}}
  %0 = "ttir.mesh_partition"(%arg0) <{dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<1x32xbf16>
  return
}

// -----

// mesh_partition C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects cluster_axis to be 0 or 1, but got 2}}
  %0 = "ttir.mesh_partition"(%arg0) <{dim = 0 : si32, cluster_axis = 2 : ui32}> : (tensor<4x32xbf16>) -> tensor<1x32xbf16>
  return
}

// -----

// mesh_partition C3
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects dimension 0 of the result to be a divisor of 4, but got 3}}
  %0 = "ttir.mesh_partition"(%arg0) <{dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<4x32xbf16>) -> tensor<3x32xbf16>
  return
}

// -----

// mesh_shard C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects shard_type to be replicate or devices, but got maximal}}
  %0 = "ttir.mesh_shard"(%arg0) <{shard_type = #ttcore.shard_type<maximal>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1>, shard_dims = array<i64: 0, 1>}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return
}

// -----

// all_to_all C1
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects split_dim and concat_dim in [0, 2), but got 2}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 2 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}

// -----

// all_to_all C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a positive split_count that divides 32, but got 5}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 5 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}

// -----

// all_to_all C2
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a positive split_count that divides 32, but got 0}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 0 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}

// -----

// all_to_all C3
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of shape 16x8, but got 16x32}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x32xbf16>
  return
}

// -----

// all_to_all C4
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects a result of element type 'bf16', but got 'f32'}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xf32>
  return
}

// -----

// all_to_all C5
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects replica_groups of shape Nx4, but got 2x2}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}

// -----

// all_to_all C5
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects replica_groups of devices in [0, 4), but got 4}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 4]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}

// -----

// all_to_all C5
func.func @f(%arg0: tensor<4x32xbf16>) {
  // expected-error @+1 {{expects replica_groups to name each device once, but got 2 twice}}
  %0 = "ttir.all_to_all"(%arg0) <{split_dim = 1 : si32, concat_dim = 0 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 2]]> : tensor<1x4xi64>}> : (tensor<4x32xbf16>) -> tensor<16x8xbf16>
  return
}
