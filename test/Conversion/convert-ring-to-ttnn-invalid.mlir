// SPDX-License-Identifier: Apache-2.0
// What has no form in TTNN is refused by name.

// RUN: ring-opt %s --convert-ring-to-ttnn --split-input-file --verify-diagnostics

!x = tensor<1x2x64x64xbf16>

func.func @unknown_op(%x: !x) -> !x {
  // expected-error @+1 {{'ttir.reverse' op has no form in TTNN that this pass knows}}
  %0 = "ttir.reverse"(%x) <{dimensions = array<i64: 3>}> : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @one_to_itself(%x: !x) -> !x {
    // expected-error @+1 {{expects every device of the mesh to receive where one sends to itself, but got 2 of 4}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @outside_the_mesh(%x: !x) -> !x {
    // expected-error @+1 {{expects devices of a mesh of 2, but got 2}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}

// -----

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2x2>]>} {
  // expected-error @+1 {{expects a mesh of 2 axes, but got 3}}
  func.func @three_axes(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    return %x : tensor<32x32xbf16>
  }
}

// -----

func.func @two_dimensions(%x: tensor<64x32xf32>) -> tensor<1x1xf32> {
  // expected-error @+1 {{expects one dimension, which is what TTNN takes, but got 2}}
  %0 = "ttir.prod"(%x) <{dim_arg = [0 : i32, 1 : i32], keep_dim = true}> : (tensor<64x32xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

func.func @two_normalised(%x: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  // expected-error @+1 {{expects one normalised dimension, which is what TTNN has, but got 2}}
  %0 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64: 64, 32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  return %0 : tensor<4x64x32xf32>
}

// -----

// expected-error @+1 {{expects tensors of known sizes and of an element type that TTNN stores, but got 'tensor<?x32xf32>'}}
func.func @unknown_size(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = "ttir.abs"(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  func.func @across(%x: !x) -> !x {
    // expected-error @+1 {{'ttir.collective_permute' op expects sender and receiver in one row or column of the mesh, but got devices 1 and 2}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0], [1, 2], [2, 1], [3, 3]]> : tensor<4x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}

// -----

!x = tensor<1x4x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  func.func @traded_across(%x: !x) -> tensor<1x1x256x64xbf16> {
    // expected-error @+1 {{'ttir.all_to_all' op expects sender and receiver in one row or column of the mesh, but got devices 0 and 3}}
    %0 = "ttir.all_to_all"(%x) <{split_dim = 1 : si32, concat_dim = 2 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (!x) -> tensor<1x1x256x64xbf16>
    return %0 : tensor<1x1x256x64xbf16>
  }
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @computed(%x: !x) -> tensor<1x1x64x64xbf16> {
    %0 = "ttir.exp"(%x) : (!x) -> !x
    // expected-error @+1 {{'ttir.mesh_shard' op expects a tensor of the host, which is an argument: what the devices have is cut by mesh_partition}}
    %1 = "ttir.mesh_shard"(%0) <{shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> tensor<1x1x64x64xbf16>
    return %1 : tensor<1x1x64x64xbf16>
  }
}

// -----

!b = tensor<1x2x40x64x!ttcore.tile<32x32, bfp_bf8>>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @broken_tiles(%x: !b) -> tensor<1x2x20x64x!ttcore.tile<32x32, bfp_bf8>> {
    // expected-error @+1 {{'ttir.mesh_partition' op expects shares of whole tiles for block floats, but got 20 rows}}
    %0 = "ttir.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!b) -> tensor<1x2x20x64x!ttcore.tile<32x32, bfp_bf8>>
    return %0 : tensor<1x2x20x64x!ttcore.tile<32x32, bfp_bf8>>
  }
}

// -----

func.func @wide_table(%n: tensor<1x4xi32>, %t: tensor<50x40xf32>) -> tensor<1x4x40xf32> {
  // expected-error @+1 {{expects a table of bf16, which is what a device takes and convert-ring-to-ttir makes of f32, but got 'f32'}}
  %0 = "ttir.embedding"(%n, %t) : (tensor<1x4xi32>, tensor<50x40xf32>) -> tensor<1x4x40xf32>
  return %0 : tensor<1x4x40xf32>
}

// -----

!x = tensor<1x2x64x32xf32>

func.func @wide_attention(%q: !x) -> !x {
  // expected-error @+1 {{expects bf16 or block floats, which is what a device's attention takes, but got f32}}
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!x, !x, !x) -> !x
  return %0 : !x
}

// -----

!x = tensor<1x2x64x40xbf16>

func.func @odd_heads(%q: !x) -> !x {
  // expected-error @+1 {{expects heads of whole tiles, which is what a device's attention takes, but got a dim of 40}}
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!x, !x, !x) -> !x
  return %0 : !x
}

// -----

!x = tensor<1x2x64x32xbf16>

func.func @mask_and_window(%q: !x, %m: tensor<1x1x64x64xbf16>) -> !x {
  // expected-error @+1 {{expects a mask or a window, which is what a device's attention takes, but got both}}
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, sliding_window_size = 8 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!x, !x, !x, tensor<1x1x64x64xbf16>) -> !x
  return %0 : !x
}

// -----

func.func @rows_by_head(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x2x3x32xbf16>, %i: tensor<3xi32>, %p: tensor<3x2xi32>) {
  // expected-error @+1 {{expects rows [1, users, heads, dim] for a cache [blocks, heads, rows, dim], but got 'tensor<1x2x3x32xbf16>' for 'tensor<8x2x32x32xbf16>'}}
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = false}> : (tensor<8x2x32x32xbf16>, tensor<1x2x3x32xbf16>, tensor<3xi32>, tensor<3x2xi32>) -> ()
  return
}

// -----

func.func @one_number_for_all(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<1xi32>, %p: tensor<3x2xi32>) {
  // expected-error @+1 {{expects an integer for each of 3 users, but got 'tensor<1xi32>'}}
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = false}> : (tensor<8x2x32x32xbf16>, tensor<1x3x2x32xbf16>, tensor<1xi32>, tensor<3x2xi32>) -> ()
  return
}

// -----

func.func @table_of_others(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<3xi32>, %p: tensor<4x2xi32>) {
  // expected-error @+1 {{expects a page table of integers with a row for each of 3 users, but got 'tensor<4x2xi32>'}}
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = false}> : (tensor<8x2x32x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>, tensor<4x2xi32>) -> ()
  return
}

// -----

func.func @short_pages(%c: tensor<8x2x16x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<3xi32>, %p: tensor<3x2xi32>) {
  // expected-error @+1 {{expects pages of whole tiles of 32 rows, but got 16}}
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = false}> : (tensor<8x2x16x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>, tensor<3x2xi32>) -> ()
  return
}

// -----

func.func @too_many_users(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<3xi32>) {
  // expected-error @+1 {{expects a cache of 3 users without a page table, but got 'tensor<8x2x32x32xbf16>'}}
  "ttir.paged_update_cache"(%c, %x, %i) <{share_cache = false}> : (tensor<8x2x32x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>) -> ()
  return
}

// -----

func.func @shared_pages(%c: tensor<1x2x32x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<3xi32>, %p: tensor<3x2xi32>) {
  // expected-error @+1 {{expects no page table beside share_cache}}
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = true}> : (tensor<1x2x32x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>, tensor<3x2xi32>) -> ()
  return
}

// -----

!x = tensor<64x64xbf16>

func.func @made_for_the_host(%x: !x) -> !x {
  %0 = "ttir.exp"(%x) : (!x) -> !x
  // expected-error @+1 {{expects a tensor of the host as operand 0, which its function splits over the mesh, but got one of the devices'}}
  %1 = ttcore.load_cached(@once, [%0]) : (!x) -> !x
  return %1 : !x
}
func.func private @once(%x: !x) -> !x {
  %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_type = #ttcore.shard_type<replicate>}> : (!x) -> !x
  return %0 : !x
}
