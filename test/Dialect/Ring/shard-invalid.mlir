// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of shard, unshard and relayout, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// ring.shard (C1)
func.func @shard(%q: tensor<8x60x4xbf16>) {
  // expected-error @+1 {{expects a sharding of 3 dimensions, but got 4}}
  %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<8x60x4xbf16> -> tensor<2x8x4xbf16>
  return
}

// -----

// ring.unshard (C1)
func.func @unshard(%q: tensor<2x8x4xbf16>) {
  // expected-error @+1 {{expects a sharding of 3 dimensions, but got 4}}
  %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<2x8x4xbf16> -> tensor<8x60x4xbf16>
  return
}

// -----

// ring.shard (C2)
func.func @shard(%q: tensor<1x6x60x4xbf16>) {
  // expected-error @+1 {{expects 4 devices to divide dimension 1, but got 6}}
  %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x6x60x4xbf16> -> tensor<1x2x8x4xbf16>
  return
}

// -----

// ring.unshard (C2)
func.func @unshard(%q: tensor<1x2x8x4xbf16>) {
  // expected-error @+1 {{expects 4 devices to divide dimension 1, but got 6}}
  %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x6x60x4xbf16>
  return
}

// -----

// ring.shard (C3)
func.func @shard(%q: tensor<1x8x65x4xbf16>) {
  // expected-error @+1 {{expects a layout of at least 65 positions, but got 64}}
  %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x8x65x4xbf16> -> tensor<1x2x8x4xbf16>
  return
}

// -----

// ring.unshard (C3)
func.func @unshard(%q: tensor<1x2x8x4xbf16>) {
  // expected-error @+1 {{expects a layout of at least 65 positions, but got 64}}
  %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x8x65x4xbf16>
  return
}

// -----

// ring.shard (C4)
func.func @shard(%q: tensor<1x8x60x4xbf16>) {
  // expected-error @+1 {{expects a shard of [1, 2, 8, 4] x 'bf16', but got 'tensor<1x2x7x4xbf16>'}}
  %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x7x4xbf16>
  return
}

// -----

// ring.unshard (C4)
func.func @unshard(%q: tensor<1x2x7x4xbf16>) {
  // expected-error @+1 {{expects a shard of [1, 2, 8, 4] x 'bf16', but got 'tensor<1x2x7x4xbf16>'}}
  %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x2x7x4xbf16> -> tensor<1x8x60x4xbf16>
  return
}

// -----

// ring.shard (C4)
func.func @shard(%q: tensor<1x8x60x4xbf16>) {
  // expected-error @+1 {{expects a shard of [1, 2, 8, 4] x 'bf16', but got 'tensor<1x2x8x4xf32>'}}
  %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xf32>
  return
}

// -----

// ring.unshard (C4)
func.func @unshard(%q: tensor<1x2x8x4xf32>) {
  // expected-error @+1 {{expects a shard of [1, 2, 8, 4] x 'bf16', but got 'tensor<1x2x8x4xf32>'}}
  %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x2x8x4xf32> -> tensor<1x8x60x4xbf16>
  return
}

// -----

// ring.relayout (C1)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 4}}
  %0 = ring.relayout %q dim 4 from <contiguous, 64 over 8> to <zigzag, 64 over 4>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}

// -----

// ring.relayout (C1)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got -1}}
  %0 = ring.relayout %q dim -1 from <contiguous, 64 over 8> to <zigzag, 64 over 4>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}

// -----

// ring.relayout (C1)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects 8 rows by its layout, but got 4}}
  %0 = ring.relayout %q dim 1 from <contiguous, 64 over 8> to <zigzag, 64 over 4>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}

// -----

// ring.relayout (C2)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects layouts over the 8 ranks of the axis, but got 4}}
  %0 = ring.relayout %q dim 2 from <contiguous, 64 over 8> to <zigzag, 64 over 4>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}

// -----

// ring.relayout (C2)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects both layouts to hold the same positions, but got #ring.layout<contiguous, 64 over 8> and #ring.layout<zigzag, 128 over 8>}}
  %0 = ring.relayout %q dim 2 from <contiguous, 64 over 8> to <zigzag, 128 over 8>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}

// -----

// ring.relayout (C2)
func.func @relayout(%q: tensor<1x4x8x4xbf16>) {
  // expected-error @+1 {{expects both layouts to hold the same positions, but got #ring.layout<contiguous, 64 over 8> and #ring.layout<zigzag, 64 over 8, offset = 64>}}
  %0 = ring.relayout %q dim 2 from <contiguous, 64 over 8> to <zigzag, 64 over 8, offset = 64>
      on <0 in 8x4> : tensor<1x4x8x4xbf16>
  return
}
