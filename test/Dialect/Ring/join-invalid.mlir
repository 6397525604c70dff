// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the ops that join blocks: empty, merge, init, finish and select, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.empty (C1)
func.func @empty() {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 8, 1]}}
  %out, %lse = ring.empty : tensor<1x4x16x8xf32>, tensor<1x4x8x1xf32>
  return
}

// -----

// ring.empty (C2)
func.func @empty(%sink: tensor<1x2x1x1xbf16>) {
  // expected-error @+1 {{expects the sink to be [1, 4, 1, 1], but got [1, 2, 1, 1]}}
  %out, %lse = ring.empty sink(%sink : tensor<1x2x1x1xbf16>) : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.merge (C1)
func.func @merge(%o: tensor<1x4x16x8xf32>, %l: tensor<1x4x16x2xf32>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 16, 2]}}
  %out, %lse = ring.merge %o, %l with %o, %l : tensor<1x4x16x8xf32>, tensor<1x4x16x2xf32>
  return
}

// -----

// ring.init (C1)
func.func @init(%sink: tensor<1x4x16x1xbf16>) {
  // expected-error @+1 {{expects the sink to be [1, 4, 1, 1], but got [1, 4, 16, 1]}}
  %state = ring.init sink(%sink : tensor<1x4x16x1xbf16>) : !ring.state<1x4x16x8>
  return
}

// -----

// ring.finish (C1)
func.func @finish(%state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects the output to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %out, %lse = ring.finish %state : !ring.state<1x4x16x8> -> tensor<1x4x8x8xbf16>, tensor<1x4x16x1xf32>
  return
}

// -----

// ring.finish (C2)
func.func @finish(%state: !ring.state<1x4x16x8>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 1, 16, 1]}}
  %out, %lse = ring.finish %state : !ring.state<1x4x16x8> -> tensor<1x4x16x8xbf16>, tensor<1x1x16x1xf32>
  return
}

// -----

// ring.select (C1)
func.func @select(%q: tensor<1x4x16x8xbf16>) {
  // expected-error @+1 {{expects one choice for each of 4 ranks, but got 2}}
  %0 = ring.select %q, %q where [true, false] on <1 in 2x4> : tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.select (C1)
func.func @select(%q: tensor<1x4x16x8xbf16>) {
  // expected-error @+1 {{expects one choice for each of 2 ranks, but got 4}}
  %0 = ring.select %q, %q where [true, false, true, false]
      on <1 in 2x4, size = 2> : tensor<1x4x16x8xbf16>
  return
}

// -----

// ring.select (C2)
func.func @select(%a: tensor<?x4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of any type values or an attention under way: unnormalised output, maximum and sum, but got 'tensor<?x4xf32>'}}
  %0 = ring.select %a, %a where [true, false] on <0 in 2x4> : tensor<?x4xf32>
  return
}
