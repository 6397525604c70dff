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

func.func @numbers_of_dimensions(%x: tensor<64x32xf32>, %i: tensor<64xi32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expects a dimension, which is all that TTNN takes, but got dimension numbers}}
  %0 = "ttir.gather"(%x, %i) <{offset_dims = array<i64: 1>}> : (tensor<64x32xf32>, tensor<64xi32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

func.func @two_dimensions(%x: tensor<64x32xf32>) -> tensor<1x1xf32> {
  // expected-error @+1 {{expects one dimension, which is what TTNN takes, but got 2}}
  %0 = "ttir.prod"(%x) <{dim_arg = [0 : i32, 1 : i32], keep_dim = true}> : (tensor<64x32xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

func.func @no_dimension(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expects a dimension as dim, but got "rows"}}
  %0 = "ttir.cumsum"(%x) <{dim = "rows"}> : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

func.func @two_normalised(%x: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  // expected-error @+1 {{expects one normalised dimension, which is what TTNN has, but got 2}}
  %0 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64: 64, 32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  return %0 : tensor<4x64x32xf32>
}

// -----

func.func @cache_as_it_was(%cache: tensor<1x2x64x32xbf16>, %x: tensor<1x2x64x32xbf16>) -> (tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>) {
  // expected-error @+1 {{expects no use of the cache behind it, since TTNN writes in place, but got one}}
  %0 = "ttir.fill_cache"(%cache, %x) <{batch_offset = 0 : i32}> : (tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>) -> tensor<1x2x64x32xbf16>
  // expected-note @+1 {{the cache is used here}}
  return %0, %cache : tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>
}

// -----

// expected-error @+1 {{expects tensors of known sizes and of an element type that TTNN stores, but got 'tensor<4x32x!quant.uniform<i8:f32, 1.000000e-01>>'}}
func.func @quantised(%x: tensor<4x32x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x32xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x32x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

func.func @quantised_inside(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error @+1 {{expects tensors of known sizes and of an element type that TTNN stores}}
  %0 = "ttir.quantize"(%x) : (tensor<4x32xf32>) -> tensor<4x32x!quant.uniform<i8:f32, 0.1>>
  %1 = "ttir.dequantize"(%0) : (tensor<4x32x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x32xf32>
  return %1 : tensor<4x32xf32>
}

// -----

// expected-error @+1 {{expects tensors of known sizes and of an element type that TTNN stores, but got 'tensor<?x32xf32>'}}
func.func @unknown_size(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = "ttir.abs"(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
