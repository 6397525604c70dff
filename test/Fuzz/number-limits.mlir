// SPDX-License-Identifier: Apache-2.0
// Numbers whose sum or product does not fit: once found by mutate.py under the
// sanitizers, or by reading. Each must be an error, not an overflow.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

func.func @pad(%a: tensor<1x224x224x64xbf16>) -> tensor<1x256x256x64xbf16> {
  // expected-error @+1 {{expects a result of shape 1x4294967518x256x64, but got 1x256x256x64}}
  %0 = "ttir.pad"(%a) <{padding = array<i32: 0, 0, 2147483647, 2147483647, 16, 16, 0, 0>, value = 0.0 : f32}>
      : (tensor<1x224x224x64xbf16>) -> tensor<1x256x256x64xbf16>
  return %0 : tensor<1x256x256x64xbf16>
}

// -----

func.func @concat(%a: tensor<4611686018427387904x4xbf16>) {
  // expected-error @+1 {{expects}}
  %0 = "ttir.concat"(%a, %a) <{dim = 0 : si32}>
      : (tensor<4611686018427387904x4xbf16>, tensor<4611686018427387904x4xbf16>) -> tensor<4611686018427387904x4xbf16>
  return
}

// -----

func.func @repeat(%a: tensor<4611686018427387904x4xbf16>) {
  // expected-error @+1 {{expects}}
  %0 = "ttir.repeat"(%a) <{repeat_dimensions = array<i64: 4611686018427387904, 1>}>
      : (tensor<4611686018427387904x4xbf16>) -> tensor<4611686018427387904x4xbf16>
  return
}

// -----

func.func @repeat_interleave(%a: tensor<9223372036854775807x4xbf16>) {
  // expected-error @+1 {{expects}}
  %0 = "ttir.repeat_interleave"(%a) <{dim = 0 : si32, repeats = 2 : ui32}>
      : (tensor<9223372036854775807x4xbf16>) -> tensor<9223372036854775807x4xbf16>
  return
}

// -----

func.func @joint(
    %q: tensor<1x1x9223372036854775807x8xf32>, %k: tensor<1x1x16x8xf32>,
    %jq: tensor<1x1x9223372036854775807x8xf32>, %jk: tensor<1x1x9223372036854775807x8xf32>) {
  // expected-error @+1 {{expects the lse to be [1, 1, 9223372036854775807, 1], but got [1, 1, 1, 1]}}
  %out, %joint, %lse = ring.attention %q, %k, %k
      joint(%jq, %jk, %jk : tensor<1x1x9223372036854775807x8xf32>, tensor<1x1x9223372036854775807x8xf32>, tensor<1x1x9223372036854775807x8xf32>)
      : tensor<1x1x9223372036854775807x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
      -> tensor<1x1x9223372036854775807x8xf32> joint(tensor<1x1x9223372036854775807x8xf32>) lse(tensor<1x1x1x1xf32>)
  return
}

// -----

func.func @pages(
    %q: tensor<1x1x16x8xf32>, %k: tensor<4x1x4611686018427387904x8xf32>,
    %table: tensor<1x4xi32>, %start: tensor<1xi32>) {
  // expected-error @+1 {{expects a length of 1 to 9223372036854775807, but got -9223372036854775808}}
  %out = ring.attention %q, %k, %k pages(%table : tensor<1x4xi32>) start(%start : tensor<1xi32>)
      pattern(#ring.causal) length(-9223372036854775808)
      : tensor<1x1x16x8xf32>, tensor<4x1x4611686018427387904x8xf32>, tensor<4x1x4611686018427387904x8xf32>
      -> tensor<1x1x16x8xf32>
  return
}

// -----

func.func @strided(%k: tensor<9223372036854775807xf32>) {
  // expected-error @+1 {{expects parts within 9223372036854775807 rows}}
  %0 = ring.gather %k dim 0 parts [<source = 1, offset = 9223372036854775806, size = 9223372036854775807,
      stride = 9223372036854775807>] on <0 in 4x2> : tensor<9223372036854775807xf32> -> tensor<1xf32>
  return
}

// -----

// Any number of turns round the ring is a place on it: no error here.
func.func @turns(%k: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ring.shift %k by 9223372036854775807 on <0 in 4x2> : tensor<4xf32>
  %1 = ring.shift %0 by -9223372036854775808 on <0 in 4x2> : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+2 {{integer value too large}}
// expected-error @+1 {{failed to parse Ring_WindowAttr parameter 'before'}}
func.func private @huge() attributes {a = #ring.window<before = 99999999999999999999999999, after = 0>}
