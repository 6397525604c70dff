// SPDX-License-Identifier: Apache-2.0
// What only our open subset of the TT dialects lets through to the conversion:
// tt-mlir's own dialects refuse these programs, or know their types.

// REQUIRES: open-dialects
// RUN: ring-opt %s --convert-ring-to-ttnn --split-input-file --verify-diagnostics

// A cache's result is the cache itself, which TTNN writes in place.
func.func @caches(%cache: tensor<1x2x64x32xbf16>, %x: tensor<1x2x40x32xbf16>) -> tensor<1x2x64x32xbf16> {
  %0 = "ttir.fill_cache"(%cache, %x) <{batch_offset = 0 : i32}> : (tensor<1x2x64x32xbf16>, tensor<1x2x40x32xbf16>) -> tensor<1x2x64x32xbf16>
  return %0 : tensor<1x2x64x32xbf16>
}

// -----

func.func @numbers_of_dimensions(%x: tensor<64x32xf32>, %i: tensor<64xi32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expects a dimension, which is all that TTNN takes, but got dimension numbers}}
  %0 = "ttir.gather"(%x, %i) <{offset_dims = array<i64: 1>}> : (tensor<64x32xf32>, tensor<64xi32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

func.func @no_dimension(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expects a dimension as dim, but got "rows"}}
  %0 = "ttir.cumsum"(%x) <{dim = "rows"}> : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
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
