// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint of the ops that neither attend nor communicate.

// slice_static C1
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begins, ends and step of 2 entries, but got 1}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C2
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a result of element type 'bf16', but got 'f32'}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  return
}

// -----

// slice_static C3
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a step other than 0 in dimension 1}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 0 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C4
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begin within dimension 0 of size 8, but got 9}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [9 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// slice_static C4
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects end within dimension 1 of size 8, but got 9}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 9 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<8x9xbf16>
  return
}

// -----

// slice_static C5
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects begin before end for step 1 in dimension 0, but got 4 and 2}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [4 : i32, 0 : i32], ends = [2 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<2x8xbf16>
  return
}

// -----

// slice_static C6
func.func @f(%arg0: tensor<8x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x8, but got 3x8}}
  %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 8 : i32], step = [2 : i32, 1 : i32]}> : (tensor<8x8xbf16>) -> tensor<3x8xbf16>
  return
}

// -----

// concat C2
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-3, 3), but got 3}}
  %0 = "ttir.concat"(%arg0, %arg1) <{dim = 3 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<4x4x8xbf16>
  return
}

// -----

// concat C3
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x4xbf16>) {
  // expected-error @+1 {{expects inputs of shape 2x4x8 up to dimension 0, but got 2x4x4}}
  %0 = "ttir.concat"(%arg0, %arg1) <{dim = 0 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x4xbf16>) -> tensor<4x4x8xbf16>
  return
}

// -----

// concat C4
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x4x8, but got 2x4x8}}
  %0 = "ttir.concat"(%arg0, %arg1) <{dim = 0 : si32}> : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// permute C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a permutation of 3 dimensions, but got 0 twice}}
  %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// permute C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a permutation of 3 dimensions, but got 2}}
  %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4xbf16>
  return
}

// -----

// permute C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x2x8, but got 2x4x8}}
  %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// transpose C1
func.func @f(%arg0: tensor<4xbf16>) {
  // expected-error @+1 {{expects an input of at least 2 dimensions, but got 1}}
  %0 = "ttir.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 0 : si32}> : (tensor<4xbf16>) -> tensor<4xbf16>
  return
}

// -----

// transpose C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim1 in [-3, 3), but got 3}}
  %0 = "ttir.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 3 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// transpose C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 8x4x2, but got 2x4x8}}
  %0 = "ttir.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 2 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// reshape C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a shape of 2 dimensions, but got 1}}
  %0 = "ttir.reshape"(%arg0) <{shape = [64 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// reshape C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of 64 numbers, but got 32}}
  %0 = "ttir.reshape"(%arg0) <{shape = [4 : i32, 8 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// reshape C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects the shape to have 8 in dimension 1, but got 4}}
  %0 = "ttir.reshape"(%arg0) <{shape = [8 : i32, 4 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// reshape C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects the shape to have 8 in dimension 1, but got -1}}
  %0 = "ttir.reshape"(%arg0) <{shape = [-1 : i32, -1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<8x8xbf16>
  return
}

// -----

// repeat_interleave C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects repeats other than 0}}
  %0 = "ttir.repeat_interleave"(%arg0) <{repeats = 0 : ui32, dim = 1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat_interleave C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-3, 3), but got 3}}
  %0 = "ttir.repeat_interleave"(%arg0) <{repeats = 2 : ui32, dim = 3 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat_interleave C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x8x8, but got 2x4x8}}
  %0 = "ttir.repeat_interleave"(%arg0) <{repeats = 2 : ui32, dim = 1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// embedding C1
func.func @f(%arg0: tensor<4xui32>, %arg1: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a weight of 2 dimensions after any of size 1, but got 2x4x8}}
  %0 = "ttir.embedding"(%arg0, %arg1) : (tensor<4xui32>, tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// embedding C2
func.func @f(%arg0: tensor<4xui32>, %arg1: tensor<100x16xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x16, but got 4x8}}
  %0 = "ttir.embedding"(%arg0, %arg1) : (tensor<4xui32>, tensor<100x16xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// matmul C1
func.func @f(%arg0: tensor<bf16>, %arg1: tensor<4x4xbf16>) {
  // expected-error @+1 {{expects factors of at least one dimension, but got a scalar}}
  %0 = "ttir.matmul"(%arg0, %arg1) : (tensor<bf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return
}

// -----

// matmul C2
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  // expected-error @+1 {{expects inner dimensions to agree, but got 8 and 4}}
  %0 = "ttir.matmul"(%arg0, %arg1) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// matmul C3
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<3x8x4xbf16>) {
  // expected-error @+1 {{expects leading dimensions that broadcast, but got 2 and 3}}
  %0 = "ttir.matmul"(%arg0, %arg1) : (tensor<2x4x8xbf16>, tensor<3x8x4xbf16>) -> tensor<2x4x4xbf16>
  return
}

// -----

// matmul C4
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x4, but got 4x8}}
  %0 = "ttir.matmul"(%arg0, %arg1) <{transpose_b = true}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// linear C5
func.func @f(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x4xbf16>, %arg2: tensor<3xbf16>) {
  // expected-error @+1 {{expects a bias that broadcasts with shape 4x4, but got 3}}
  %0 = "ttir.linear"(%arg0, %arg1, %arg2) : (tensor<4x8xbf16>, tensor<8x4xbf16>, tensor<3xbf16>) -> tensor<4x4xbf16>
  return
}

// -----

// sum C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim_arg in [-3, 3), but got 3}}
  %0 = "ttir.sum"(%arg0) <{keep_dim = true, dim_arg = [3 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// max C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects each dimension at most once, but got 1 twice}}
  %0 = "ttir.max"(%arg0) <{keep_dim = true, dim_arg = [1 : i32, -2 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// mean C3
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x1x8, but got 2x8}}
  %0 = "ttir.mean"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<2x4x8xbf16>) -> tensor<2x8xbf16>
  return
}

// -----

// softmax C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dimension in [-3, 3), but got -4}}
  %0 = "ttir.softmax"(%arg0) <{dimension = -4 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// softmax C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x8, but got 2x4x1}}
  %0 = "ttir.softmax"(%arg0) <{dimension = 2 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x1xbf16>
  return
}

// -----

// concat C1
func.func @f() {
  // expected-error @+1 {{expects at least one input, but got none}}
  %0 = "ttir.concat"() <{dim = 0 : si32}> : () -> tensor<2x4x8xbf16>
  return
}

// -----

// pad C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects padding of 6 entries, but got 2}}
  %0 = "ttir.pad"(%arg0) <{padding = array<i32: 0, 0>, value = 0.0 : f32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// pad C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 3x4x8, but got 2x4x8}}
  %0 = "ttir.pad"(%arg0) <{padding = array<i32: 0, 1, 0, 0, 0, 0>, value = 0.0 : f32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// squeeze C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-3, 3), but got 3}}
  %0 = "ttir.squeeze"(%arg0) <{dim = 3 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4xbf16>
  return
}

// -----

// squeeze C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects size 1 in dimension 0, but got 2}}
  %0 = "ttir.squeeze"(%arg0) <{dim = 0 : si32}> : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// squeeze C3
func.func @f(%arg0: tensor<1xbf16>) {
  // expected-error @+1 {{expects an input of at least 2 dimensions, but got 1}}
  %0 = "ttir.squeeze"(%arg0) <{dim = 0 : si32}> : (tensor<1xbf16>) -> tensor<bf16>
  return
}

// -----

// squeeze C3
func.func @f(%arg0: tensor<1x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x8, but got 8x4}}
  %0 = "ttir.squeeze"(%arg0) <{dim = 0 : si32}> : (tensor<1x4x8xbf16>) -> tensor<8x4xbf16>
  return
}

// -----

// unsqueeze C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects dim in [-4, 4), but got 4}}
  %0 = "ttir.unsqueeze"(%arg0) <{dim = 4 : si32}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8x1xbf16>
  return
}

// -----

// unsqueeze C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x8x1, but got 1x2x4x8}}
  %0 = "ttir.unsqueeze"(%arg0) <{dim = -1 : si32}> : (tensor<2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  return
}

// -----

// broadcast C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects broadcast_dimensions of 3 entries, but got 1}}
  %0 = "ttir.broadcast"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// broadcast C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects size 1 in broadcast dimension 0, but got 2}}
  %0 = "ttir.broadcast"(%arg0) <{broadcast_dimensions = array<i64: 2, 1, 1>}> : (tensor<2x4x8xbf16>) -> tensor<4x4x8xbf16>
  return
}

// -----

// broadcast C3
func.func @f(%arg0: tensor<1x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x8, but got 2x8}}
  %0 = "ttir.broadcast"(%arg0) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x8xbf16>) -> tensor<2x8xbf16>
  return
}

// -----

// repeat C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects 3 repetitions, one for each dimension, but got 1}}
  %0 = "ttir.repeat"(%arg0) <{repeat_dimensions = array<i64: 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects positive repetitions, but got 0 in dimension 1}}
  %0 = "ttir.repeat"(%arg0) <{repeat_dimensions = array<i64: 1, 0, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// repeat C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 4x4x8, but got 2x4x8}}
  %0 = "ttir.repeat"(%arg0) <{repeat_dimensions = array<i64: 2, 1, 1>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// rms_norm C1
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x8, but got 2x4x4}}
  %0 = "ttir.rms_norm"(%arg0) <{normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x4xbf16>
  return
}

// -----

// layer_norm C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects normalized_shape to be the end of 2x4x8, but got 4}}
  %0 = "ttir.layer_norm"(%arg0) <{normalized_shape = array<i64: 4>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// rms_norm C3
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<4xbf16>) {
  // expected-error @+1 {{expects weight and bias of shape 8, but got 4}}
  %0 = "ttir.rms_norm"(%arg0, %arg1) <{normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x4x8xbf16>, tensor<4xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// elementwise C1
func.func @f(%arg0: tensor<2x4x8xbf16>, %arg1: tensor<3x8xbf16>) {
  // expected-error @+1 {{expects operands that broadcast with shape 2x4x8, but got 3x8}}
  %0 = "ttir.add"(%arg0, %arg1) : (tensor<2x4x8xbf16>, tensor<3x8xbf16>) -> tensor<2x4x8xbf16>
  return
}

// -----

// elementwise C2
func.func @f(%arg0: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{expects a result of shape 2x4x8, but got 4x8}}
  %0 = "ttir.exp"(%arg0) : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// full C1
func.func @f() {
  // expected-error @+1 {{expects a result of shape 2x3, but got 3x2}}
  %0 = "ttir.full"() <{shape = array<i32: 2, 3>, fill_value = 0.0 : f32}> : () -> tensor<3x2xbf16>
  return
}

// -----

// constant C1
func.func @f() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same shape}}
  %0 = "ttir.constant"() <{value = dense<1.0> : tensor<3xbf16>}> : () -> tensor<2xbf16>
  return
}

// -----

// arange C1
func.func @f() {
  // expected-error @+1 {{expects a step other than 0}}
  %0 = "ttir.arange"() <{start = 0 : si64, end = 4 : si64, step = 0 : si64, arange_dimension = 0 : i64}> : () -> tensor<4xi32>
  return
}

// -----

// arange C2
func.func @f() {
  // expected-error @+1 {{expects a range that is not empty, but got 4 to 0 by 1}}
  %0 = "ttir.arange"() <{start = 4 : si64, end = 0 : si64, step = 1 : si64, arange_dimension = 0 : i64}> : () -> tensor<4xi32>
  return
}

// -----

// arange C3
func.func @f() {
  // expected-error @+1 {{expects dimension 0 of the result to have size 4, but got 'tensor<5xi32>'}}
  %0 = "ttir.arange"() <{start = 0 : si64, end = 4 : si64, step = 1 : si64, arange_dimension = 0 : i64}> : () -> tensor<5xi32>
  return
}

// -----

// arange C3
func.func @f() {
  // expected-error @+1 {{expects dimension 7 of the result to have size 4, but got 'tensor<4xi32>'}}
  %0 = "ttir.arange"() <{start = 0 : si64, end = 4 : si64, step = 1 : si64, arange_dimension = 7 : i64}> : () -> tensor<4xi32>
  return
}

// -----

// constant C2
func.func @f() {
  // expected-error @+1 {{expects a dense value}}
  %0 = "ttir.constant"() <{value = sparse<[[0]], [1.0]> : tensor<2xbf16>}> : () -> tensor<2xbf16>
  return
}

// -----

// constant C3
func.func @f() {
  // expected-error @+1 {{expects a value of integers or floats, but got 'complex<f32>'}}
  %0 = "ttir.constant"() <{value = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
  return
}
