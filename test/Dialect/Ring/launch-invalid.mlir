// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of launches, each violated once or more. The line
// above a case names its constraint; test/Docs/constraints.test checks that none
// is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.launch (C1)
func.func @launch(%x: tensor<1x2x32x32xbf16>) -> tensor<1x2x64x32xbf16> {
  // expected-error @+1 {{expects arguments of the inputs' types, 'tensor<1x2x32x32xbf16>', but got 'tensor<1x2x64x32xbf16>'}}
  %0 = "ring.launch"(%x) <{compute = #ring.compute<q_chunk = 32, k_chunk = 32, grid = 8x7>}> ({
  ^bb0(%y: tensor<1x2x64x32xbf16>):
    ring.yield %y : tensor<1x2x64x32xbf16>
  }) : (tensor<1x2x32x32xbf16>) -> tensor<1x2x64x32xbf16>
  return %0 : tensor<1x2x64x32xbf16>
}

// -----

// ring.launch (C1)
func.func @launch(%x: tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // expected-error @+1 {{expects 1 types of inputs, but got 0}}
  %0 = ring.launch(%y = %x) compute(<q_chunk = 32, k_chunk = 32, grid = 8x7>) : () -> tensor<1x2x32x32xbf16> {
    ring.yield %y : tensor<1x2x32x32xbf16>
  }
  return %0 : tensor<1x2x32x32xbf16>
}

// -----

// ring.launch (C2)
func.func @launch(%x: tensor<1x2x32x32xbf16>) -> tensor<1x2x64x32xbf16> {
  // expected-error @+1 {{expects to give what its body yields, 'tensor<1x2x32x32xbf16>', but got 'tensor<1x2x64x32xbf16>'}}
  %0 = ring.launch(%y = %x) compute(<q_chunk = 32, k_chunk = 32, grid = 8x7>) : (tensor<1x2x32x32xbf16>) -> tensor<1x2x64x32xbf16> {
    // expected-note @+1 {{yielded here}}
    ring.yield %y : tensor<1x2x32x32xbf16>
  }
  return %0 : tensor<1x2x64x32xbf16>
}

// -----

// ring.launch (C3)
func.func @launch(%x: tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // expected-error @+1 {{expects chunks of queries and keys and a grid of cores, but got #ring.compute<q_chunk = 32, grid = 8x7>}}
  %0 = ring.launch(%y = %x) compute(<q_chunk = 32, grid = 8x7>) : (tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
    ring.yield %y : tensor<1x2x32x32xbf16>
  }
  return %0 : tensor<1x2x32x32xbf16>
}

// -----

// ring.launch (C3)
func.func @launch(%x: tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // expected-error @+1 {{expects chunks of queries and keys and a grid of cores, but got #ring.compute<q_chunk = 32, k_chunk = 32>}}
  %0 = ring.launch(%y = %x) compute(<q_chunk = 32, k_chunk = 32>) : (tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
    ring.yield %y : tensor<1x2x32x32xbf16>
  }
  return %0 : tensor<1x2x32x32xbf16>
}
