// SPDX-License-Identifier: Apache-2.0
// What has no form in TTIR is refused by name.

// RUN: ring-opt %s --convert-ring-to-ttir --split-input-file --verify-diagnostics

!x = tensor<1x4x64x32xbf16>

func.func @not_sharded(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.attention' op expects ring-plan and ring-shard to have run}}
  %0 = ring.attention %q, %k, %v : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x64x32xbf16>

func.func @depends_on_the_rank(%q: !x, %k: !x, %v: !x) -> tensor<1x4x64x32xf32> {
  // expected-error @+2 {{'ring.partial' op expects ring-split-blocks to have run: the block depends on the rank, and TTIR has no masks that do}}
  // expected-error @+1 {{failed to legalize operation 'ring.partial'}}
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <contiguous, 128 over 2>, keys = <contiguous, 128 over 2>, axis = <1 in 1x2>>)
      : !x, !x, !x -> tensor<1x4x64x32xf32>, tensor<1x4x64x1xf32>
  return %o : tensor<1x4x64x32xf32>
}

// -----

func.func @carried_state() -> !ring.state<1x4x64x32> {
  // expected-error @+1 {{'ring.init' op has no form in TTIR, which knows neither states nor transfers under way}}
  %0 = ring.init : !ring.state<1x4x64x32>
  return %0 : !ring.state<1x4x64x32>
}

// -----

!x = tensor<1x1x6x4xf32>

func.func @uneven_stripes_of_a_sub_ring(%x: !x) -> !x {
  // expected-error @+1 {{failed to legalize operation 'ring.relayout'}}
  %0 = ring.relayout %x dim 2 from <contiguous, 24 over 4> to <striped, 24 over 4> on <1 in 1x8, size = 4> : !x
  return %0 : !x
}

// -----

// Devices have two coordinates.
func.func @three_axes(%q: tensor<1x2x64x32xbf16>) -> tensor<1x2x64x32xbf16> {
  // expected-error @+1 {{'ring.shift' op expects a mesh of at most 2 axes, which is what mesh_partition and the devices of TTNN have, but got 3}}
  %0 = ring.shift %q by 1 on <2 in 2x1x4> : tensor<1x2x64x32xbf16>
  return %0 : tensor<1x2x64x32xbf16>
}

// -----

// A dimension that two axes of the mesh split has no mesh_shard.

func.func @two_axes(%x: tensor<1x8x256x64xbf16>) -> tensor<1x8x32x64xbf16> {
  // expected-error @below {{cannot be lowered: expects the sequence on one mesh axis, but got axes 0 and 1}}
  // expected-error @below {{failed to legalize operation 'ring.shard' that was explicitly marked illegal}}
  %0 = ring.shard %x as <[_, _, 1, _] in 2x4, sequence = 2 as <contiguous, 256 over 8>, outer = 0> : tensor<1x8x256x64xbf16> -> tensor<1x8x32x64xbf16>
  return %0 : tensor<1x8x32x64xbf16>
}

// -----

// Padding and another order are the devices' business.

func.func @padded_by_the_host(%x: tensor<1x8x100x64xbf16>) -> tensor<1x8x64x64xbf16> {
  // expected-error @below {{cannot be lowered: expects ring-place-on-devices to have run, which pads and orders on the devices, but got #ring.layout<contiguous, 128 over 2> of the host's 100 rows}}
  // expected-error @below {{failed to legalize operation 'ring.shard' that was explicitly marked illegal}}
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : tensor<1x8x100x64xbf16> -> tensor<1x8x64x64xbf16>
  return %0 : tensor<1x8x64x64xbf16>
}

// -----

func.func @ordered_by_the_host(%x: tensor<1x8x64x64xbf16>) -> tensor<1x8x128x64xbf16> {
  // expected-error @below {{cannot be lowered: expects ring-place-on-devices to have run, which pads and orders on the devices, but got #ring.layout<zigzag, 128 over 2> of the host's 128 rows}}
  // expected-error @below {{failed to legalize operation 'ring.unshard' that was explicitly marked illegal}}
  %0 = ring.unshard %x as <[_, _, 1, _] in 1x2, sequence = 2 as <zigzag, 128 over 2>> : tensor<1x8x64x64xbf16> -> tensor<1x8x128x64xbf16>
  return %0 : tensor<1x8x128x64xbf16>
}
