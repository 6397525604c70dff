// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of ring.attention, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.attention (C1)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>) {
  // expected-error @+1 {{expects key and value to have the query's batch 1, but got 2 and 2}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C1)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x4xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key to have the query's dim 8, but got 4}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C1)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x12x8xbf16>) {
  // expected-error @+1 {{expects value to have the key's heads and rows [1, 2, 16], but got [1, 2, 12]}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x12x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C2)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x3x16x8xbf16>, %v: tensor<1x3x16x8xbf16>) {
  // expected-error @+1 {{expects the key heads to divide the 4 query heads, but got 3}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// A sequence without tokens.
func.func @attention(%q: tensor<1x4x0x8xbf16>) {
  // expected-error @+1 {{operand #0 must be non-empty, statically shaped 4-D tensor of any type values, but got 'tensor<1x4x0x8xbf16>'}}
  %out = ring.attention %q, %q, %q
      : tensor<1x4x0x8xbf16>, tensor<1x4x0x8xbf16>, tensor<1x4x0x8xbf16> -> tensor<1x4x0x8xbf16>
  return
}

// -----

// ring.attention (C3)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x8x8xbf16>
  return
}

// -----

// ring.attention (C3)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output to have the query's element type 'bf16', but got 'f32'}}
  %out = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>
  return
}

// -----

// ring.attention (C4)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects joint query, key, value and output together}}
  %out = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C4)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x2x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects the joint query to be [1, 4, 6, 8], but got [1, 2, 6, 8]}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C4)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x5x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects the joint key to be [1, 2, 6, 8], but got [1, 2, 5, 8]}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x5x8xbf16>, tensor<1x2x6x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C4)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x4xbf16>) {
  // expected-error @+1 {{expects the joint value to be [1, 2, 6, 8], but got [1, 2, 6, 4]}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x4xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C4)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects the joint output to be [1, 4, 6, 8], but got [1, 4, 5, 8]}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x5x8xbf16>)
  return
}

// -----

// ring.attention (C5)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects joint tokens without a pattern, a mask, a sink, pages, a start or documents, but got a pattern}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C5)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>,
    %mask: tensor<1x1x16x16xbf16>) {
  // expected-error @+1 {{expects joint tokens without a pattern, a mask, a sink, pages, a start or documents, but got a mask}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) mask(%mask : tensor<1x1x16x16xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C5)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>,
    %sink: tensor<1x4x1x1xbf16>) {
  // expected-error @+1 {{expects joint tokens without a pattern, a mask, a sink, pages, a start or documents, but got a sink}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) sink(%sink : tensor<1x4x1x1xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C5)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects joint tokens without a pattern, a mask, a sink, pages, a start or documents, but got pages}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>)
      pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C6)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x1x16x8xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 1, 16, 8]}}
  %out = ring.attention %q, %k, %v mask(%mask : tensor<1x1x16x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C6)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x2x16x16xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 2, 16, 16]}}
  %out = ring.attention %q, %k, %v mask(%mask : tensor<1x2x16x16xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C7)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %sink: tensor<1x2x1x1xbf16>) {
  // expected-error @+1 {{expects the sink to be [1, 4, 1, 1], but got [1, 2, 1, 1]}}
  %out = ring.attention %q, %k, %v sink(%sink : tensor<1x2x1x1xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<2x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a page table of integers [1, pages], but got 'tensor<2x4xi32>'}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<2x4xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xf32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a page table of integers [1, pages], but got 'tensor<1x4xf32>'}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xf32>) start(%start : tensor<1xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<2xi32>) {
  // expected-error @+1 {{expects the start to be one integer, or one for each of 1 batch entries, but got 'tensor<2xi32>'}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<2xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xf32>) {
  // expected-error @+1 {{expects the start to be one integer, or one for each of 1 batch entries, but got 'tensor<1xf32>'}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<1xf32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a causal pattern with a start}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a causal pattern with a start}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>) pattern(#ring.window<before = 4, after = 1>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C8)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>) {
  // expected-error @+1 {{expects a start beside pages}}
  %out = "ring.attention"(%q, %k, %v, %table) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}>
      : (tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x4xi32>) -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C9)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a length of 1 to 16, but got 17}}
  %out = ring.attention %q, %k, %v length(17)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C9)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a length of 1 to 16, but got 0}}
  %out = ring.attention %q, %k, %v length(0)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C9)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a length of 1 to 64, but got 65}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) length(65)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C10)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x32x8xbf16>, %v: tensor<1x2x32x8xbf16>) {
  // expected-error @+1 {{expects as many queries as keys with a pattern and no start, but got 16 and 32}}
  %out = ring.attention %q, %k, %v pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C10)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x32x8xbf16>, %v: tensor<1x2x32x8xbf16>) {
  // expected-error @+1 {{expects as many queries as keys with a pattern and no start, but got 16 and 32}}
  %out = ring.attention %q, %k, %v pattern(#ring.window<before = 4, after = 4>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C10)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x32x8xbf16>, %v: tensor<1x2x32x8xbf16>) {
  // expected-error @+1 {{expects as many queries as keys with a pattern and no start, but got 16 and 32}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [8], rates = [1]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C11)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 16, 8]}}
  %out, %lse = ring.attention %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      lse(tensor<1x4x16x8xf32>)
  return
}

// -----

// ring.attention (C11)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 22, 1], but got [1, 4, 16, 1]}}
  %out, %joint, %lse = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>) lse(tensor<1x4x16x1xf32>)
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects segments to divide 16, but got 6}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [8, 6], rates = [1, 2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects segments to divide 16, but got 32}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [32], rates = [1]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects segments to divide 16, but got 6}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [6], rates = [1], shorter = clamp>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects concatenated segments to make up 16, but got 12}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [8, 4], rates = [1, 2], segmentation = concat>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects prefixes of at most 16, but got 32}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [8, 32], rates = [1, 2], segmentation = prefix>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects chunks to divide 16, but got 3}}
  %out = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [2], rates = [1], segmentation = prefix, chunks = 3>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x1x16x16xbf16>) {
  // expected-error @+1 {{expects a dilated pattern without a mask, a sink, a start or pages}}
  %out = ring.attention %q, %k, %v mask(%mask : tensor<1x1x16x16xbf16>)
      pattern(#ring.dilated<segments = [8], rates = [1]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %sink: tensor<1x4x1x1xbf16>) {
  // expected-error @+1 {{expects a dilated pattern without a mask, a sink, a start or pages}}
  %out = ring.attention %q, %k, %v sink(%sink : tensor<1x4x1x1xbf16>)
      pattern(#ring.dilated<segments = [8], rates = [1]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C12)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a dilated pattern without a mask, a sink, a start or pages}}
  %out = ring.attention %q, %k, %v pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>)
      pattern(#ring.dilated<segments = [8], rates = [1], causal = true>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C13)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects a joint length of 1 to 6, but got 0}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) joint_length(0)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C13)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>) {
  // expected-error @+1 {{expects a joint length of 1 to 6, but got 7}}
  %out, %joint = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) joint_length(7)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
      joint(tensor<1x4x6x8xbf16>)
  return
}

// -----

// ring.attention (C13)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a joint length only beside joint tokens}}
  %out = ring.attention %q, %k, %v joint_length(3)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2x1xi32>) {
  // expected-error @+1 {{expects the ends of documents to be a list of integers, but got 'tensor<2x1xi32>'}}
  %out = ring.attention %q, %k, %v documents(%ends : tensor<2x1xi32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2xf32>) {
  // expected-error @+1 {{expects the ends of documents to be a list of integers, but got 'tensor<2xf32>'}}
  %out = ring.attention %q, %k, %v documents(%ends : tensor<2xf32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2xi32>, %m: tensor<1x1x16x16xbf16>) {
  // expected-error @+1 {{expects documents without a mask, a start or a length, but got a mask}}
  %out = ring.attention %q, %k, %v mask(%m : tensor<1x1x16x16xbf16>) documents(%ends : tensor<2xi32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2xi32>, %s: tensor<1xi32>) {
  // expected-error @+1 {{expects documents without a mask, a start or a length, but got a start}}
  %out = ring.attention %q, %k, %v start(%s : tensor<1xi32>) documents(%ends : tensor<2xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2xi32>) {
  // expected-error @+1 {{expects documents without a mask, a start or a length, but got a length}}
  %out = ring.attention %q, %k, %v documents(%ends : tensor<2xi32>) length(7)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C14)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %ends: tensor<2xi32>) {
  // expected-error @+1 {{expects documents with no other pattern than a causal one, but got #ring.window<before = 3, after = 0>}}
  %out = ring.attention %q, %k, %v documents(%ends : tensor<2xi32>) pattern(#ring.window<before = 3, after = 0>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C15)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a cache block only beside a start}}
  %out = ring.attention %q, %k, %v parallel(<sequence = 0, cache_block = 8>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C16)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects documents within 16 rows, but they end at 17}}
  %out = ring.attention %q, %k, %v pattern(#ring.documents<ends = [8, 17]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C15)
func.func @attention(%q: tensor<1x4x16x8xbf16>, %k: tensor<9x2x16x8xbf16>, %t: tensor<1x4xi32>, %s: tensor<1xi32>) {
  // expected-error @+1 {{expects a cache block of whole pages of 16 rows, but got 24}}
  %out = ring.attention %q, %k, %k pages(%t : tensor<1x4xi32>) start(%s : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 0, cache_block = 24>)
      : tensor<1x4x16x8xbf16>, tensor<9x2x16x8xbf16>, tensor<9x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.attention (C16)
func.func @attention(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %sink: tensor<1x4x1x1xbf16>) {
  // expected-error @+1 {{expects packed documents without a mask, a sink, a start or pages}}
  %out = ring.attention %q, %k, %v sink(%sink : tensor<1x4x1x1xbf16>)
      pattern(#ring.documents<ends = [8, 16]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>
  return
}
