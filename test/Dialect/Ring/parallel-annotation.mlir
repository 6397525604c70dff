// SPDX-License-Identifier: Apache-2.0
// The annotation that asks for a ring: where `ring.parallel` may stand, and
// what is said where it may not.

// RUN: ring-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: module attributes {ring.parallel = #ring.parallel<sequence = 0>}
module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK: func.func @layer
  // CHECK-SAME: attributes {ring.parallel = #ring.parallel<sequence = 0, heads = 1>}
  func.func @layer(%q: tensor<1x8x64x32xbf16>, %k: tensor<1x2x64x32xbf16>) -> tensor<1x8x64x32xbf16>
      attributes {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} {
    // CHECK: "ttir.scaled_dot_product_attention"
    // CHECK-SAME: {ring.parallel = #ring.parallel<sequence = 1>}
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %k) <{
        is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
        {ring.parallel = #ring.parallel<sequence = 1>}
        : (tensor<1x8x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>) -> tensor<1x8x64x32xbf16>
    return %0 : tensor<1x8x64x32xbf16>
  }
}

// -----

// The other attentions, whatever else is known of them.
func.func private @fallback(tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
// CHECK-LABEL: func.func @attentions
// CHECK: "ttir.sdpa_fw"{{.*}} {ring.parallel = #ring.parallel<sequence = 0>}
// CHECK: "ttcore.composite"{{.*}} {ring.parallel = #ring.parallel<sequence = 0>}
func.func @attentions(%q: tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16> {
  %0 = "ttir.sdpa_fw"(%q, %q, %q) <{
      dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<causal>,
      return_intermediates = false}> {ring.parallel = #ring.parallel<sequence = 0>}
      : (tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>, tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  %1 = "ttcore.composite"(%0) <{composite_name = "some_attention", decomposition = @fallback}>
      {ring.parallel = #ring.parallel<sequence = 0>} : (tensor<1x8x64x64xbf16>) -> tensor<1x8x64x64xbf16>
  return %1 : tensor<1x8x64x64xbf16>
}

// -----

func.func @wrong_op(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{cannot carry 'ring.parallel'; expected an attention, a function or a module}}
  %0 = "ttir.add"(%a, %a) {ring.parallel = #ring.parallel<sequence = 0>}
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @wrong_op_of_ours(%k: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'ring.shift' op cannot carry 'ring.parallel'}}
  %0 = ring.shift %k by 1 on <0 in 4x2> {ring.parallel = #ring.parallel<sequence = 0>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{expects 'ring.parallel' to be a #ring.parallel, but got 0 : i64}}
func.func private @wrong_type() attributes {ring.parallel = 0 : i64}

// -----

// expected-error @+1 {{expects 'ring.parallel' to be a #ring.parallel, but got #ring.causal}}
module attributes {ring.parallel = #ring.causal} {}

// -----

// expected-error @+1 {{has an unknown attribute 'ring.paralel'; the ring dialect expects only 'ring.parallel' on other dialects' ops}}
func.func private @typing_error() attributes {ring.paralel = #ring.parallel<sequence = 0>}

// -----

// expected-error @+1 {{cannot carry 'ring.parallel' on an argument; expected an attention, a function or a module}}
func.func private @argument(tensor<4xf32> {ring.parallel = #ring.parallel<sequence = 0>})

// -----

// expected-error @+1 {{cannot carry 'ring.parallel' on a result; expected an attention, a function or a module}}
func.func private @result() -> (tensor<4xf32> {ring.parallel = #ring.parallel<sequence = 0>})

// -----

// What is written in place stands for its first operand.
// expected-error @+2 {{has an unknown attribute 'ring.in_place'}}
func.func @writes(%cache: tensor<1x2x64x8xf32>, %x: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %0 = "ttir.fill_cache"(%cache, %x) {ring.in_place} : (tensor<1x2x64x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  return %0 : tensor<1x2x8x8xf32>
}
