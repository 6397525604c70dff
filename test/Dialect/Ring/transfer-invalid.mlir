// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the transfers that are values, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.shift (C1)
func.func @shift() {
  // expected-error @+1 {{expects at least one tensor}}
  "ring.shift"() <{axis = #ring.axis<0 in 8x4>, by = 1 : i64}> : () -> ()
  return
}

// -----

// ring.shift (C1)
func.func @shift(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects every result to have its operand's type}}
  %0 = "ring.shift"(%k) <{axis = #ring.axis<0 in 8x4>, by = 1 : i64}>
      : (tensor<1x2x16x8xbf16>) -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.shift (C2)
func.func @shift(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects to reach ranks from one of 1 to 7 on, but got 8}}
  %next = ring.shift %k by 1 on <0 in 8x4> reaching 8 : tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.shift (C2)
func.func @shift(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects to reach ranks from one of 1 to 7 on, but got 0}}
  %next = ring.shift %k by 1 on <0 in 8x4> reaching 0 : tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.all_gather (C1)
func.func @all_gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 4}}
  %0 = ring.all_gather %k dim 4 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xbf16>
  return
}

// -----

// ring.all_gather (C1)
func.func @all_gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got -1}}
  %0 = ring.all_gather %k dim -1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xbf16>
  return
}

// -----

// ring.all_gather (C2)
func.func @all_gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x64x8xbf16>' to arrive, but got 'tensor<1x2x32x8xbf16>'}}
  %0 = ring.all_gather %k dim 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x32x8xbf16>
  return
}

// -----

// ring.all_gather (C2)
func.func @all_gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x64x8xbf16>' to arrive, but got 'tensor<1x2x64x8xf32>'}}
  %0 = ring.all_gather %k dim 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xf32>
  return
}

// -----

// ring.all_gather (C2)
func.func @all_gather(%k: tensor<4611686018427387904xbf16>) {
  // expected-error @+1 {{expects the shards of 4 ranks to fit one dimension, but got 4611686018427387904 rows each}}
  %0 = ring.all_gather %k dim 0 on <0 in 4x2>
      : tensor<4611686018427387904xbf16> -> tensor<1xbf16>
  return
}

// -----

// ring.all_to_all (C1)
func.func @all_to_all(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects split of a 4-D tensor, but got 4}}
  %0 = ring.all_to_all %k split 4 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xbf16>
  return
}

// -----

// ring.all_to_all (C1)
func.func @all_to_all(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects concat of a 4-D tensor, but got -1}}
  %0 = ring.all_to_all %k split 1 concat -1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xbf16>
  return
}

// -----

// ring.all_to_all (C1)
func.func @all_to_all(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects split and concat to differ, but got 2 for both}}
  %0 = ring.all_to_all %k split 2 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.all_to_all (C2)
func.func @all_to_all(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 4 ranks to divide the split dimension, but got 2}}
  %0 = ring.all_to_all %k split 1 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x64x8xbf16>
  return
}

// -----

// ring.all_to_all (C3)
func.func @all_to_all(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x8x4x8xbf16>' to arrive, but got 'tensor<1x2x16x8xbf16>'}}
  %0 = ring.all_to_all %k split 2 concat 1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.all_to_all (C3)
func.func @all_to_all(%k: tensor<4611686018427387904x4xbf16>) {
  // expected-error @+1 {{expects the shards of 4 ranks to fit one dimension, but got 4611686018427387904 rows each}}
  %0 = ring.all_to_all %k split 1 concat 0 on <0 in 4x2>
      : tensor<4611686018427387904x4xbf16> -> tensor<1x1xbf16>
  return
}

// -----

// ring.gather (C1)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 9}}
  %0 = ring.gather %k dim 9 parts [<source = 1, size = 4>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x4x8xbf16>
  return
}

// -----

// ring.gather (C2)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects at least one part}}
  %0 = ring.gather %k dim 2 parts [] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x4x8xbf16>
  return
}

// -----

// ring.gather (C2)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 1, offset = 14, size = 4>}}
  %0 = ring.gather %k dim 2 parts [<source = 1, offset = 14, size = 4>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x4x8xbf16>
  return
}

// -----

// ring.gather (C2)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 1, offset = 16, size = 1>}}
  %0 = ring.gather %k dim 2 parts [<source = 1, offset = 16, size = 1>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x1x8xbf16>
  return
}

// -----

// ring.gather (C2)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 0, size = 3, stride = 8>}}
  %0 = ring.gather %k dim 2 parts [<source = 0, size = 3, stride = 8>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x3x8xbf16>
  return
}

// -----

// ring.gather (C3)
func.func @gather(%k: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x6x8xbf16>' to arrive, but got 'tensor<1x2x8x8xbf16>'}}
  %0 = ring.gather %k dim 2 parts [<source = 1, size = 4>, <source = 2, size = 2>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> -> tensor<1x2x8x8xbf16>
  return
}

// -----

// ring.gather (C3)
func.func @gather(%k: tensor<4611686018427387904xbf16>) {
  // expected-error @+1 {{expects parts that fit one dimension, but got 3 parts of up to 4611686018427387904 rows}}
  %0 = ring.gather %k dim 0 parts [<source = 1, size = 4611686018427387904>,
      <source = 2, size = 4611686018427387904>, <source = 3, size = 1>] on <0 in 4x2>
      : tensor<4611686018427387904xbf16> -> tensor<1xbf16>
  return
}
