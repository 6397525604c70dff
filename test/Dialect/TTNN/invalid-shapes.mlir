// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// The constraints that ttnn ops share with the ttir ops of the same name.

// slice_static C1
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begins, ends and step of 2 entries, but got 1}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C2
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a result of element type 'bf16', but got 'f32'}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  return
}

// -----

// slice_static C3
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a step other than 0 in dimension 1}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 0 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C4
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begin within dimension 0 of size 8, but got 9}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [9 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C4
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects end within dimension 1 of size 8, but got 9}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 9 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x9xbf16>
  return
}

// -----

// slice_static C5
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begin before end for step 1 in dimension 0, but got 4 and 2}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [4 : i32, 0 : i32], ends = [2 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<2x8xbf16>
  return
}

// -----

// slice_static C6
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x8, but got 3x8}}
  %0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [2 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<3x8xbf16>
  return
}

// -----

// concat C2
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-3, 3), but got 3}}
  %0 = "ttnn.concat"(%arg0, %arg1) <{dim = 3 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<4x4x8xbf16>
  return
}

// -----

// concat C3
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x4xbf16>) {
  // expected-error @+1 {{expects inputs of shape 2x4x8 up to dimension 0, but got 2x4x4}}
  %0 = "ttnn.concat"(%arg0, %arg1) <{dim = 0 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x4xbf16>) -> tensor<4x4x8xbf16>
  return
}

// -----

// concat C4
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x4x8, but got 2x4x8}}
  %0 = "ttnn.concat"(%arg0, %arg1) <{dim = 0 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// permute C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a permutation of 3 dimensions, but got 0 twice}}
  %0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// permute C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a permutation of 3 dimensions, but got 2}}
  %0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4xbf16>
  return
}

// -----

// permute C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x2x8, but got 2x4x8}}
  %0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// transpose C1
func.func @f(%arg0: tensor<4xbf16>) {
  // expected-error @+1 {{expects an input of at least 2 dimensions, but got 1}}
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 0 : si32}> : (tensor<4xbf16>) -> tensor<4xbf16>
  return
}

// -----

// transpose C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim1 in [-3, 3), but got 3}}
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 3 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// transpose C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 8x4x2, but got 2x4x8}}
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 2 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// reshape C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a shape of 2 dimensions, but got 1}}
  %0 = "ttnn.reshape"(%arg0) <{shape = [64 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// reshape C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of 64 numbers, but got 32}}
  %0 = "ttnn.reshape"(%arg0) <{shape = [4 : i32, 8 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// reshape C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects the shape to have 8 in dimension 1, but got 4}}
  %0 = "ttnn.reshape"(%arg0) <{shape = [8 : i32, 4 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// reshape C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects the shape to have 8 in dimension 1, but got -1}}
  %0 = "ttnn.reshape"(%arg0) <{shape = [-1 : i32, -1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// repeat_interleave C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects repeats other than 0}}
  %0 = "ttnn.repeat_interleave"(%arg0) <{repeats = 0 : ui32, dim = 1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat_interleave C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-3, 3), but got 3}}
  %0 = "ttnn.repeat_interleave"(%arg0) <{repeats = 2 : ui32, dim = 3 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat_interleave C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x8x8, but got 2x4x8}}
  %0 = "ttnn.repeat_interleave"(%arg0) <{repeats = 2 : ui32, dim = 1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// embedding C1
func.func @f(%arg0: tensor<4xui32>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a weight of 2 dimensions after any of size 1, but got 2x4x8}}
  %0 = "ttnn.embedding"(%arg0, %arg1) : (tensor<4xui32>, tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// embedding C2
func.func @f(%arg0: tensor<4xui32>, %arg1: tensor<100x16xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x16, but got 4x8}}
  %0 = "ttnn.embedding"(%arg0, %arg1) : (tensor<4xui32>, tensor<100x16xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// matmul C1
func.func @f(%arg0: tensor<bf16>, %arg1: tensor<4x4xbf16>) {
  // expected-error @+1 {{expects factors of at least one dimension, but got a scalar}}
  %0 = "ttnn.matmul"(%arg0, %arg1) : (tensor<bf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return
}

// -----

// matmul C2
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  // expected-error @+1 {{expects inner dimensions to agree, but got 8 and 4}}
  %0 = "ttnn.matmul"(%arg0, %arg1) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// matmul C3
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<3x8x4xbf16>) {
  // expected-error @+1 {{expects leading dimensions that broadcast, but got 2 and 3}}
  %0 = "ttnn.matmul"(%arg0, %arg1) : (tensor<2x4x8xbf16>, tensor<3x8x4xbf16>) -> tensor<2x4x4xbf16>
  return
}

// -----

// matmul C4
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x4, but got 4x8}}
  %0 = "ttnn.matmul"(%arg0, %arg1) <{transpose_b = true}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// linear C5
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x4xbf16>, %arg2: tensor<3xbf16>) {
  // expected-error @+1 {{expects a bias that broadcasts with shape 4x4, but got 3}}
  %0 = "ttnn.linear"(%arg0, %arg1, %arg2) : (tensor<4x8xbf16>, tensor<8x4xbf16>, tensor<3xbf16>) -> tensor<4x4xbf16>
  return
}

// -----

// sum C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim_arg in [-3, 3), but got 3}}
  %0 = "ttnn.sum"(%arg0) <{keep_dim = true, dim_arg = [3 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// max C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects each dimension at most once, but got 1 twice}}
  %0 = "ttnn.max"(%arg0) <{keep_dim = true, dim_arg = [1 : i32, -2 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// mean C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x1x8, but got 2x8}}
  %0 = "ttnn.mean"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x8xbf16>
  return
}

// -----

// softmax C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dimension in [-3, 3), but got -4}}
  %0 = "ttnn.softmax"(%arg0) <{dimension = -4 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// softmax C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x8, but got 2x4x1}}
  %0 = "ttnn.softmax"(%arg0) <{dimension = 2 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x1xbf16>
  return
}
