// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint of the attention ops.

// scaled_dot_product_attention C1
func.func @f(%arg0: tensor<8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>) {
  // expected-error @+1 {{expects query's rank to be exactly 4, but got 3}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>) -> tensor<8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C1
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<4x64x64xbf16>, %arg2: tensor<4x64x64xbf16>) {
  // expected-error @+1 {{expects key's rank to be exactly 4, but got 3}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<4x64x64xbf16>, tensor<4x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C2
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>) {
  // expected-error @+1 {{expects the result to have the query's type 'tensor<2x8x64x64xbf16>', but got 'tensor<2x8x64x64xf32>'}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>) -> tensor<2x8x64x64xf32>
  return
}

// -----

// scaled_dot_product_attention C3
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x32xbf16>) {
  // expected-error @+1 {{expects value to have the key's type 'tensor<2x4x64x64xbf16>', but got 'tensor<2x4x64x32xbf16>'}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x32xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C4
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects key's batch to be the query's 2, but got 1}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C4
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x32xbf16>, %arg2: tensor<2x4x64x32xbf16>) {
  // expected-error @+1 {{expects key's head size to be the query's 64, but got 32}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x32xbf16>, tensor<2x4x64x32xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C5
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x3x64x64xbf16>, %arg2: tensor<2x3x64x64xbf16>) {
  // expected-error @+1 {{expects the number of key heads to divide 8, but got 3}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x3x64x64xbf16>, tensor<2x3x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C6
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<1x1x64x64xbf16>) {
  // expected-error @+1 {{expects is_causal to be false with a mask, but got true}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<64x64xbf16>) {
  // expected-error @+1 {{expects the mask's rank to be exactly 4, but got 2}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<3x1x64x64xbf16>) {
  // expected-error @+1 {{expects dimension 0 of the mask to be 1 or 2, but got 3}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<3x1x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects dimension 1 of the mask to be 1 or 8, but got 4}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x64x64xbf16>, %arg2: tensor<2x4x64x64xbf16>, %arg3: tensor<1x1x32x64xbf16>) {
  // expected-error @+1 {{expects dimension 2 of the mask to be 1 or 64, but got 32}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<2x4x64x64xbf16>, tensor<1x1x32x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C7
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<1x1x64x1xbf16>) {
  // expected-error @+1 {{expects dimension 3 of the mask to be 128, but got 1}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<1x1x64x1xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention C8
func.func @f(%arg0: tensor<2x8x64x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>) {
  // expected-error @+1 {{expects the causal key's length to be the query's 64, but got 128}}
  %0 = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x8x64x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) -> tensor<2x8x64x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C1
func.func @f(%arg0: tensor<2x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<2xi32>) {
  // expected-error @+1 {{expects query's dimension 0 to be exactly 1, but got 2}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<2x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2xi32>) -> tensor<2x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C2
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<2xi32>) {
  // expected-error @+1 {{expects the result to have the query's type}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2xi32>) -> tensor<1x2x8x32xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C3
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xf32>, %arg3: tensor<2xi32>) {
  // expected-error @+1 {{expects value to have the key's type}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xf32>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C4
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<3x4x128x64xbf16>, %arg2: tensor<3x4x128x64xbf16>, %arg3: tensor<2xi32>) {
  // expected-error @+1 {{expects key's batch to be the query's 2, but got 3}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<3x4x128x64xbf16>, tensor<3x4x128x64xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C5
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x5x128x64xbf16>, %arg2: tensor<2x5x128x64xbf16>, %arg3: tensor<2xi32>) {
  // expected-error @+1 {{expects the number of key heads to divide 8, but got 5}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x5x128x64xbf16>, tensor<2x5x128x64xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C6
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<1x1x1x128xbf16>, %arg4: tensor<2xi32>) {
  // expected-error @+1 {{expects is_causal to be false with a mask, but got true}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<1x1x1x128xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C7
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<1x2x1x128xbf16>, %arg4: tensor<2xi32>) {
  // expected-error @+1 {{expects dimension 1 of the mask to be 1, but got 2}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<1x2x1x128xbf16>, tensor<2xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C8
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<3xi32>) {
  // expected-error @+1 {{expects cur_pos_tensor to hold 2 integers, but got 'tensor<3xi32>'}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<3xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// scaled_dot_product_attention_decode C8
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<2x4x128x64xbf16>, %arg2: tensor<2x4x128x64xbf16>, %arg3: tensor<2xf32>) {
  // expected-error @+1 {{expects cur_pos_tensor to hold 2 integers, but got 'tensor<2xf32>'}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2xf32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C1
func.func @f(%arg0: tensor<2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<2x8x64xbf16>) {
  // expected-error @+1 {{expects query's rank to be exactly 4, but got 3}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<2x8x64xbf16>) -> tensor<2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C2
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xi8>, %arg2: tensor<16x4x32x64xi8>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects query, key and value of floats, but got 'i8'}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xi8>, tensor<16x4x32x64xi8>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C2
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xf32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects a page table of integers, but got 'f32'}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xf32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C3
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x32xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects value to have the key's type}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x32xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C4
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x32xbf16>, %arg2: tensor<16x4x32x32xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects key's head size to be the query's 64, but got 32}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x32xbf16>, tensor<16x4x32x32xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C5
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x3x32x64xbf16>, %arg2: tensor<16x3x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects the number of key heads to divide 8, but got 3}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x3x32x64xbf16>, tensor<16x3x32x64xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C6
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x16x64xbf16>, %arg2: tensor<16x4x16x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects 32 to divide the block size, but got 16}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x16x64xbf16>, tensor<16x4x16x64xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C7
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<3x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects the page table's rows to be the number of users 2, but got 3}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<3x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C8
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>) {
  // expected-error @+1 {{expects a mask exactly if is_causal is false, but got is_causal = false and no mask}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_scaled_dot_product_attention_decode C9
func.func @f(%arg0: tensor<1x2x8x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1x2x8x64xbf16>, %arg5: tensor<1xi32>) {
  // expected-error @+1 {{expects cur_pos_tensor to hold 2 integers}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x8x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1x2x8x64xbf16>, tensor<1xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C2
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xf32>, %arg2: tensor<16x4x32x64xf32>, %arg3: tensor<2x8xi32>, %arg4: tensor<1xi32>, %arg5: tensor<2x8x32x64xbf16>) {
  // expected-error @+1 {{expects key to have the query's element type 'bf16', but got 'f32'}}
  %0 = "ttir.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xf32>, tensor<16x4x32x64xf32>, tensor<2x8xi32>, tensor<1xi32>, tensor<2x8x32x64xbf16>) -> tensor<2x8x32x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C6
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x8x64xbf16>, %arg2: tensor<16x4x8x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1xi32>, %arg5: tensor<2x8x32x64xbf16>) {
  // expected-error @+1 {{expects 32 to divide the block size, but got 8}}
  %0 = "ttir.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) : (tensor<2x8x32x64xbf16>, tensor<16x4x8x64xbf16>, tensor<16x4x8x64xbf16>, tensor<2x8xi32>, tensor<1xi32>, tensor<2x8x32x64xbf16>) -> tensor<2x8x32x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C8
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<2xi32>, %arg5: tensor<2x8x32x64xbf16>) {
  // expected-error @+1 {{expects chunk_start_idx to hold 1 integers, but got 'tensor<2xi32>'}}
  %0 = "ttir.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<2xi32>, tensor<2x8x32x64xbf16>) -> tensor<2x8x32x64xbf16>
  return
}

// -----

// chunked_scaled_dot_product_attention C9
func.func @f(%arg0: tensor<2x8x32x64xbf16>, %arg1: tensor<16x4x32x64xbf16>, %arg2: tensor<16x4x32x64xbf16>, %arg3: tensor<2x8xi32>, %arg4: tensor<1xi32>, %arg5: tensor<2x8x32x64xbf16>) {
  // expected-error @+1 {{expects a result of the query's shape}}
  %0 = "ttir.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) : (tensor<2x8x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<16x4x32x64xbf16>, tensor<2x8xi32>, tensor<1xi32>, tensor<2x8x32x64xbf16>) -> tensor<2x8x32x32xbf16>
  return
}

// -----

// sdpa_fw C1
func.func @f(%arg0: tensor<64xbf16>, %arg1: tensor<64xbf16>, %arg2: tensor<64xbf16>) {
  // expected-error @+1 {{expects query, key and value of at least 2 dimensions, but got 1}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<64xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
  return
}

// -----

// sdpa_fw C2
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x128x64xbf16>, %arg2: tensor<1x4x128x64xbf16>) {
  // expected-error @+1 {{expects key of shape 1x4x64x64, but got 1x4x128x64}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x128x64xbf16>, tensor<1x4x128x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C2
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>) {
  // expected-error @+1 {{expects value of shape 1x4x64x64, but got 1x8x64x64}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C3
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x3x64x64xbf16>, %arg2: tensor<1x3x64x64xbf16>) {
  // expected-error @+1 {{expects the number of key heads to divide 8, but got 3}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x3x64x64xbf16>, tensor<1x3x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C4
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects a mask for mask_type arbitrary, but got none}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C4
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>, %arg3: tensor<1x1x64x64xbf16>) {
  // expected-error @+1 {{expects no mask for mask_type none, but got one}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2, %arg3) <{mask_type = #ttcore.attention_mask_type<none>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C5
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>, %arg3: tensor<1x8x64x64xbf16>) {
  // expected-error @+1 {{expects a mask of shape 1x1x64x64, but got 1x8x64x64}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2, %arg3) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C6
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects an output of shape 1x8x64x64, but got 1x8x64x32}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x32xbf16>
  return
}

// -----

// sdpa_fw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects intermediates for return_intermediates = true, but got none}}
  %0 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = true}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return
}

// -----

// sdpa_fw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects no intermediates for return_intermediates = false, but got some}}
  %0:2 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x32xf32>)
  return
}

// -----

// sdpa_fw C8
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x4x64x64xbf16>) {
  // expected-error @+1 {{expects intermediates of shape 1x8x64x32, but got 1x8x64x1}}
  %0:2 = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = true}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x1xf32>)
  return
}

// -----

// sdpa_bw C6
func.func @f(%arg0: tensor<1x4x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_output of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C6
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x4x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects attn_output of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_query of shape 1x8x64x64, but got 1x4x64x64}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_key of shape 1x4x64x64, but got 1x8x64x64}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// sdpa_bw C7
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects grad_value of shape 1x4x64x64, but got 1x8x64x64}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<causal>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x64xbf16>)
  return
}

// -----

// sdpa_bw C4
func.func @f(%arg0: tensor<1x8x64x64xbf16>, %arg1: tensor<1x8x64x64xbf16>, %arg2: tensor<1x8x64x64xbf16>, %arg3: tensor<1x4x64x64xbf16>, %arg4: tensor<1x4x64x64xbf16>, %arg5: tensor<1x8x64x32xf32>) {
  // expected-error @+1 {{expects a mask for mask_type arbitrary, but got none}}
  %0:3 = "ttir.sdpa_bw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{mask_type = #ttcore.attention_mask_type<arbitrary>}> : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x8x64x32xf32>) -> (tensor<1x8x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>)
  return
}

// -----

// paged_flash_multi_latent_attention_decode C1
func.func @f(%q: tensor<2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects query, key and value of 4 dimensions, but got 'tensor<2x8x96xbf16>'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C1
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<16xi32>) {
  // expected-error @+1 {{expects the page table's rank to be exactly 2, but got 1}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<16xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C2
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xf32>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects query, key and value of one type of floats, but got 'bf16' and 'f32'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xf32>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C2
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xf32>) {
  // expected-error @+1 {{expects a page table of integers, but got 'f32'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xf32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C3
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x64xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects key's head size to be the query's 96, but got 64}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x64xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C4
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x2x32x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects one head of keys, but got 2}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x2x32x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C5
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x16x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects 32 to divide the block size, but got 16}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x16x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C6
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<3x8xi32>) {
  // expected-error @+1 {{expects the page table's rows to be the number of users 2, but got 3}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<3x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C7
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %v: tensor<16x1x32x32xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects values of 64 columns, but got 'tensor<16x1x32x32xbf16>'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %v, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<16x1x32x32xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C7
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects values of 128 columns, but got 'tensor<16x1x32x96xbf16>'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 128 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x128xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C8
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects a mask exactly if is_causal is false, but got is_causal = false and no mask}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = false, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C9
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xi32>, %p: tensor<1xi32>) {
  // expected-error @+1 {{expects cur_pos_tensor to hold 2 integers}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t, %p) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xi32>, tensor<1xi32>) -> tensor<1x2x8x64xbf16>
  return
}

// -----

// paged_flash_multi_latent_attention_decode C10
func.func @f(%q: tensor<1x2x8x96xbf16>, %k: tensor<16x1x32x96xbf16>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{expects a result of [1, 2, 8, 64], but got 'tensor<1x2x8x32xbf16>'}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (tensor<1x2x8x96xbf16>, tensor<16x1x32x96xbf16>, tensor<2x8xi32>) -> tensor<1x2x8x32xbf16>
  return
}
