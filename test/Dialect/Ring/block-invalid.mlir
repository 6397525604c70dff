// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of ring.partial and ring.accumulate, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.partial (C1)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>) {
  // expected-error @+1 {{expects key and value to have the query's batch 1, but got 2 and 2}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C1)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects key and value to have the query's batch 1, but got 2 and 2}}
  %next = ring.accumulate %q, %k, %v into %state
      : tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C1)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x4xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key to have the query's dim 8, but got 4}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C1)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x4xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects the key to have the query's dim 8, but got 4}}
  %next = ring.accumulate %q, %k, %v into %state
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C1)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x1x16x8xbf16>) {
  // expected-error @+1 {{expects value to have the key's heads and rows [1, 2, 16], but got [1, 1, 16]}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x1x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C1)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x1x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects value to have the key's heads and rows [1, 2, 16], but got [1, 1, 16]}}
  %next = ring.accumulate %q, %k, %v into %state
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x1x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C2)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x3x16x8xbf16>, %v: tensor<1x3x16x8xbf16>) {
  // expected-error @+1 {{expects the key heads to divide the 4 query heads, but got 3}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C2)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x3x16x8xbf16>, %v: tensor<1x3x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects the key heads to divide the 4 query heads, but got 3}}
  %next = ring.accumulate %q, %k, %v into %state
      : tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C3)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x6xbf16>) {
  // expected-error @+1 {{expects the output to be [1, 4, 16, 6], but got [1, 4, 16, 8]}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x6xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.partial (C3)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 16, 2]}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x2xf32>
  return
}

// -----

// ring.accumulate (C3)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x8x8>) {
  // expected-error @+1 {{expects the state to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %next = ring.accumulate %q, %k, %v into %state
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x8x8>
  return
}

// -----

// ring.partial (C4)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output's element type to be 'bf16' or f32, but got 'f16'}}
  %out, %lse = ring.partial %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf16>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.partial (C5)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 8 queries by the layout of its block, but got 16}}
  %out, %lse = ring.partial %q, %k, %v
      block(<queries = <zigzag, 64 over 8>, keys = <zigzag, 128 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C4)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects 8 queries by the layout of its block, but got 16}}
  %next = ring.accumulate %q, %k, %v into %state
      block(<queries = <zigzag, 64 over 8>, keys = <zigzag, 128 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C5)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects at most 8 keys by the layout of its block, but got 16}}
  %out, %lse = ring.partial %q, %k, %v
      block(<queries = <zigzag, 128 over 8>, keys = <zigzag, 64 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C4)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects at most 8 keys by the layout of its block, but got 16}}
  %next = ring.accumulate %q, %k, %v into %state
      block(<queries = <zigzag, 128 over 8>, keys = <zigzag, 64 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C5)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects at most 15 keys by the layout of its block, but got 16}}
  %out, %lse = ring.partial %q, %k, %v
      block(<keys = <zigzag, 128 over 8>, first_key = 1, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C4)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects at most 15 keys by the layout of its block, but got 16}}
  %next = ring.accumulate %q, %k, %v into %state
      block(<keys = <zigzag, 128 over 8>, first_key = 1, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C5)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a layout of the queries in its block, or their positions, beside a pattern}}
  %out, %lse = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<keys = <zigzag, 128 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C4)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects a layout of the queries in its block, or their positions, beside a pattern}}
  %next = ring.accumulate %q, %k, %v into %state pattern(#ring.causal)
      block(<keys = <zigzag, 128 over 8>, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C6)
func.func @partial(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x1x8x16xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 1, 8, 16]}}
  %out, %lse = ring.partial %q, %k, %v mask(%mask : tensor<1x1x8x16xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C5)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>, %mask: tensor<1x1x8x16xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 1, 8, 16]}}
  %next = ring.accumulate %q, %k, %v into %state mask(%mask : tensor<1x1x8x16xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C7)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a pattern that is one band, but got #ring.dilated<segments = [8], rates = [2]>}}
  %out, %lse = ring.partial %q, %k, %v pattern(#ring.dilated<segments = [8], rates = [2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C6)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects a pattern that is one band, but got #ring.dilated<segments = [8], rates = [2]>}}
  %next = ring.accumulate %q, %k, %v into %state pattern(#ring.dilated<segments = [8], rates = [2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C8)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a positive length, but got -1}}
  %out, %lse = ring.partial %q, %k, %v length(-1)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C7)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects a positive length, but got -1}}
  %next = ring.accumulate %q, %k, %v into %state length(-1)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}

// -----

// ring.partial (C9)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<2x16xi32>) {
  // expected-error @+1 {{expects the positions of queries to be integers of [1 or 1, 16], but got 'tensor<2x16xi32>'}}
  %out, %lse = ring.partial %q, %k, %v query_positions(%p : tensor<2x16xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.partial (C9)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<1x16xf32>) {
  // expected-error @+1 {{expects the positions of keys to be integers of [1 or 1, 16], but got 'tensor<1x16xf32>'}}
  %out, %lse = ring.partial %q, %k, %v key_positions(%p : tensor<1x16xf32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.partial (C9)
func.func @partial(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<1x16xi32>) {
  // expected-error @+1 {{expects a pattern beside positions}}
  %out, %lse = ring.partial %q, %k, %v query_positions(%p : tensor<1x16xi32>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.accumulate (C8)
func.func @accumulate(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %state: !ring.state<1x4x16x8>, %p: tensor<1x15xi32>) {
  // expected-error @+1 {{expects the positions of keys to be integers of [1 or 1, 16], but got 'tensor<1x15xi32>'}}
  %next = ring.accumulate %q, %k, %v into %state key_positions(%p : tensor<1x15xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  return
}
