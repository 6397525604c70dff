// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of ring.attention_backward and ring.partial_backward,
// each violated once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.attention_backward (C1)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>) {
  // expected-error @+1 {{expects key and value to have the query's batch 1, but got 2 and 2}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C1)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x4xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key to have the query's dim 8, but got 4}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C1)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x8x8xbf16>) {
  // expected-error @+1 {{expects value to have the key's heads and rows [1, 2, 16], but got [1, 2, 8]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x8x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x8x8xbf16>
  return
}

// -----

// ring.attention_backward (C2)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x3x16x8xbf16>, %v: tensor<1x3x16x8xbf16>) {
  // expected-error @+1 {{expects the key heads to divide the 4 query heads, but got 3}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C3)
func.func @attention_backward(
    %grad: tensor<1x4x8x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output's gradient to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x8x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C3)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x4xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output to be [1, 4, 16, 8], but got [1, 4, 16, 4]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x4xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C4)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x32xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 16, 32]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x32xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C5)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the query's gradient to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x8x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C5)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key's gradient to be [1, 2, 16, 8], but got [1, 4, 16, 8]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C5)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the value's gradient to be [1, 2, 16, 8], but got [1, 2, 16, 4]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x4xbf16>
  return
}

// -----

// ring.attention_backward (C6)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %m: tensor<1x2x16x16xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 2, 16, 16]}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v mask(%m : tensor<1x2x16x16xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C7)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a length of 1 to 16, but got 17}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v length(17)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C7)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a length of 1 to 16, but got 0}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v length(0)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C8)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x32x8xbf16>, %v: tensor<1x2x32x8xbf16>) {
  // expected-error @+1 {{expects as many queries as keys with a pattern or documents, but got 16 and 32}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x8xbf16>
  return
}

// -----

// ring.attention_backward (C9)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects segments to divide 16, but got 5}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v pattern(#ring.dilated<segments = [5], rates = [2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C9)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %mask: tensor<1x1x16x16xbf16>) {
  // expected-error @+1 {{expects a dilated pattern without a mask}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v mask(%mask : tensor<1x1x16x16xbf16>)
      pattern(#ring.dilated<segments = [8], rates = [2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C11)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects documents within 16 rows, but they end at 17}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v pattern(#ring.documents<ends = [17]>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C11)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x1x16x16xbf16>) {
  // expected-error @+1 {{expects packed documents without a mask}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v mask(%mask : tensor<1x1x16x16xbf16>) pattern(#ring.documents<ends = [16]>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.partial_backward (C1)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>) {
  // expected-error @+1 {{expects key and value to have the query's batch 1, but got 2 and 2}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<2x2x16x8xf32>, tensor<2x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C1)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x4xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key to have the query's dim 8, but got 4}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x4xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x4xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C1)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x8x8xbf16>) {
  // expected-error @+1 {{expects value to have the key's heads and rows [1, 2, 16], but got [1, 2, 8]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x8x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x8x8xf32>
  return
}

// -----

// ring.partial_backward (C2)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x3x16x8xbf16>, %v: tensor<1x3x16x8xbf16>) {
  // expected-error @+1 {{expects the key heads to divide the 4 query heads, but got 3}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x3x16x8xbf16>, tensor<1x3x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x3x16x8xf32>, tensor<1x3x16x8xf32>
  return
}

// -----

// ring.partial_backward (C3)
func.func @partial_backward(
    %grad: tensor<1x4x8x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output's gradient to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x8x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C3)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x4xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the output to be [1, 4, 16, 8], but got [1, 4, 16, 4]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x4xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C4)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x32xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the lse to be [1, 4, 16, 1], but got [1, 4, 16, 32]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x32xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C5)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the query's gradient to be [1, 4, 16, 8], but got [1, 4, 8, 8]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x8x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C5)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the key's gradient to be [1, 2, 16, 8], but got [1, 4, 16, 8]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C5)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects the value's gradient to be [1, 2, 16, 8], but got [1, 2, 16, 4]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x4xf32>
  return
}

// -----

// ring.partial_backward (C5)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects gradients of f32, but got 'bf16'}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C6)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects 32 queries by the layout of its block, but got 16}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      block(<queries = <contiguous, 128 over 4>, keys = <contiguous, 64 over 4>, axis = <0 in 4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C6)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects at most 8 keys by the layout of its block, but got 16}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      block(<queries = <contiguous, 64 over 4>, keys = <contiguous, 32 over 4>, axis = <0 in 4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C6)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a layout of the queries in its block, or their positions, beside a pattern}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      pattern(#ring.causal) block(<keys = <contiguous, 64 over 4>, axis = <0 in 4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C7)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %m: tensor<1x1x16x8xbf16>) {
  // expected-error @+1 {{expects a mask of [1 or 1, 1 or 4, 1 or 16, 16], but got [1, 1, 16, 8]}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v mask(%m : tensor<1x1x16x8xbf16>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C8)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a pattern that is one band, but got #ring.dilated<}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v pattern(#ring.dilated<segments = [8], rates = [2]>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.partial_backward (C9)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>) {
  // expected-error @+1 {{expects a positive length, but got 0}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v length(0)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// -----

// ring.attention_backward (C10)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<2xi32>) {
  // expected-error @+1 {{expects documents without a mask, a start or a length, but got a length}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v documents(%p : tensor<2xi32>) length(7)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.attention_backward (C10)
func.func @attention_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<2xi32>) {
  // expected-error @+1 {{expects documents with no other pattern than a causal one, but got #ring.window<before = 3, after = 0>}}
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v documents(%p : tensor<2xi32>) pattern(#ring.window<before = 3, after = 0>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  return
}

// -----

// ring.partial_backward (C10)
func.func @partial_backward(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>, %p: tensor<1x8xi32>) {
  // expected-error @+1 {{expects the positions of queries to be integers of [1 or 1, 16], but got 'tensor<1x8xi32>'}}
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v query_positions(%p : tensor<1x8xi32>) pattern(#ring.causal)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}
