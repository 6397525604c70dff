// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the transfers with a start and a wait, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.start_shift (C1)
func.func @start_shift() {
  // expected-error @+1 {{expects at least one tensor}}
  %token = "ring.start_shift"() <{axis = #ring.axis<0 in 8x4>, by = 1 : i64,
      operandSegmentSizes = array<i32: 0, 0>}> : () -> !ring.token
  return
}

// -----

// ring.start_shift (C1)
func.func @start_shift(
    %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects one buffer for each of 2 tensors, but got 1}}
  %token = ring.start_shift %k, %v into %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  return
}

// -----

// ring.start_shift (C1)
func.func @start_shift(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xf32>) {
  // expected-error @+1 {{expects a buffer for 'tensor<1x2x16x8xbf16>', but got '!ring.buffer<1x2x16x8xf32>'}}
  %token = ring.start_shift %k into %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xf32>
  return
}

// -----

// ring.start_shift (C2)
func.func @start_shift(
    %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a buffer of its own for every tensor}}
  %token = ring.start_shift %k, %v into %b, %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>, !ring.buffer<1x2x16x8xbf16>
  return
}

// -----

// ring.start_shift (C3)
func.func @start_shift(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects to reach ranks from one of 1 to 7 on, but got -1}}
  %token = ring.start_shift %k into %b by 1 on <0 in 8x4> reaching -1
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  return
}

// -----

// ring.start_all_gather (C1)
func.func @start_all_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 4}}
  %token = ring.start_all_gather %k into %b dim 4 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xbf16>
  return
}

// -----

// ring.start_all_gather (C1)
func.func @start_all_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got -1}}
  %token = ring.start_all_gather %k into %b dim -1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xbf16>
  return
}

// -----

// ring.start_all_gather (C2)
func.func @start_all_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x32x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x64x8xbf16>' to arrive, but got 'tensor<1x2x32x8xbf16>'}}
  %token = ring.start_all_gather %k into %b dim 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x32x8xbf16>
  return
}

// -----

// ring.start_all_gather (C2)
func.func @start_all_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xf32>) {
  // expected-error @+1 {{expects 'tensor<1x2x64x8xbf16>' to arrive, but got 'tensor<1x2x64x8xf32>'}}
  %token = ring.start_all_gather %k into %b dim 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xf32>
  return
}

// -----

// ring.start_all_gather (C2)
func.func @start_all_gather(%k: tensor<4611686018427387904xbf16>, %b: !ring.buffer<1xbf16>) {
  // expected-error @+1 {{expects the shards of 4 ranks to fit one dimension, but got 4611686018427387904 rows each}}
  %token = ring.start_all_gather %k into %b dim 0 on <0 in 4x2>
      : tensor<4611686018427387904xbf16> into !ring.buffer<1xbf16>
  return
}

// -----

// ring.start_all_to_all (C1)
func.func @start_all_to_all(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xbf16>) {
  // expected-error @+1 {{expects split of a 4-D tensor, but got 4}}
  %token = ring.start_all_to_all %k into %b split 4 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xbf16>
  return
}

// -----

// ring.start_all_to_all (C1)
func.func @start_all_to_all(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xbf16>) {
  // expected-error @+1 {{expects concat of a 4-D tensor, but got -1}}
  %token = ring.start_all_to_all %k into %b split 1 concat -1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xbf16>
  return
}

// -----

// ring.start_all_to_all (C1)
func.func @start_all_to_all(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects split and concat to differ, but got 2 for both}}
  %token = ring.start_all_to_all %k into %b split 2 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  return
}

// -----

// ring.start_all_to_all (C2)
func.func @start_all_to_all(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x64x8xbf16>) {
  // expected-error @+1 {{expects 4 ranks to divide the split dimension, but got 2}}
  %token = ring.start_all_to_all %k into %b split 1 concat 2 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x64x8xbf16>
  return
}

// -----

// ring.start_all_to_all (C3)
func.func @start_all_to_all(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x8x4x8xbf16>' to arrive, but got 'tensor<1x2x16x8xbf16>'}}
  %token = ring.start_all_to_all %k into %b split 2 concat 1 on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  return
}

// -----

// ring.start_all_to_all (C3)
func.func @start_all_to_all(%k: tensor<4611686018427387904x4xbf16>, %b: !ring.buffer<1x1xbf16>) {
  // expected-error @+1 {{expects the shards of 4 ranks to fit one dimension, but got 4611686018427387904 rows each}}
  %token = ring.start_all_to_all %k into %b split 1 concat 0 on <0 in 4x2>
      : tensor<4611686018427387904x4xbf16> into !ring.buffer<1x1xbf16>
  return
}

// -----

// ring.start_gather (C1)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x4x8xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 9}}
  %token = ring.start_gather %k into %b dim 9 parts [<source = 1, size = 4>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x4x8xbf16>
  return
}

// -----

// ring.start_gather (C2)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x4x8xbf16>) {
  // expected-error @+1 {{expects at least one part}}
  %token = ring.start_gather %k into %b dim 2 parts [] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x4x8xbf16>
  return
}

// -----

// ring.start_gather (C2)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x4x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 1, offset = 14, size = 4>}}
  %token = ring.start_gather %k into %b dim 2 parts [<source = 1, offset = 14, size = 4>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x4x8xbf16>
  return
}

// -----

// ring.start_gather (C2)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x1x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 1, offset = 16, size = 1>}}
  %token = ring.start_gather %k into %b dim 2 parts [<source = 1, offset = 16, size = 1>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x1x8xbf16>
  return
}

// -----

// ring.start_gather (C2)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x3x8xbf16>) {
  // expected-error @+1 {{expects parts within 16 rows, but got #ring.part<source = 0, size = 3, stride = 8>}}
  %token = ring.start_gather %k into %b dim 2 parts [<source = 0, size = 3, stride = 8>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x3x8xbf16>
  return
}

// -----

// ring.start_gather (C3)
func.func @start_gather(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x8x8xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x6x8xbf16>' to arrive, but got 'tensor<1x2x8x8xbf16>'}}
  %token = ring.start_gather %k into %b dim 2 parts [<source = 1, size = 4>, <source = 2, size = 2>] on <0 in 4x2>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x8x8xbf16>
  return
}

// -----

// ring.start_gather (C3)
func.func @start_gather(%k: tensor<4611686018427387904xbf16>, %b: !ring.buffer<1xbf16>) {
  // expected-error @+1 {{expects parts that fit one dimension, but got 3 parts of up to 4611686018427387904 rows}}
  %token = ring.start_gather %k into %b dim 0 parts [<source = 1, size = 4611686018427387904>,
      <source = 2, size = 4611686018427387904>, <source = 3, size = 1>] on <0 in 4x2>
      : tensor<4611686018427387904xbf16> into !ring.buffer<1xbf16>
  return
}

// -----

// ring.wait (C1)
func.func @wait(%token: !ring.token) {
  // expected-error @+1 {{expects a token of a ring.start_* op}}
  %0 = ring.wait %token : tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.wait (C2)
func.func @wait(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-note @+1 {{started here}}
  %token = ring.start_shift %k into %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  // expected-error @+1 {{expects the tensors that were started, 'tensor<1x2x16x8xbf16>', but got 'tensor<1x2x16x8xf32>'}}
  %next = ring.wait %token : tensor<1x2x16x8xf32>
  return
}

// -----

// ring.wait (C2)
func.func @wait(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  // expected-note @+1 {{started here}}
  %token = ring.start_shift %k into %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  // expected-error @+1 {{expects the tensors that were started}}
  %next:2 = ring.wait %token : tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.wait (C3)
func.func @wait(%k: tensor<1x2x16x8xbf16>, %b: !ring.buffer<1x2x16x8xbf16>) {
  %token = ring.start_shift %k into %b by 1 on <0 in 8x4>
      : tensor<1x2x16x8xbf16> into !ring.buffer<1x2x16x8xbf16>
  // expected-error @+1 {{expects to be the only wait for its token}}
  %first = ring.wait %token : tensor<1x2x16x8xbf16>
  // expected-note @+1 {{also waited for here}}
  %second = ring.wait %token : tensor<1x2x16x8xbf16>
  return
}
