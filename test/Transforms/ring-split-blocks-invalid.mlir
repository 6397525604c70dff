// SPDX-License-Identifier: Apache-2.0
// Rows listed by device whose positions cannot be numbers of a mask.
//
// RUN: ring-opt %s --ring-split-blocks --split-input-file --verify-diagnostics -o /dev/null

!x = tensor<1x2x3x4xf32>

func.func @far(%q: !x) -> !x {
  // expected-error @below {{'ring.partial' op cannot be made the same on every device: expects listed rows to stand before position 16777216, which f32 is exact to, but got 16777217}}
  %out, %lse = ring.partial %q, %q, %q pattern(#ring.window<before = 2, after = 2>)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [16777215, 3, 1, 6, 3, 1]>, axis = <0 in 2>>)
      : !x, !x, !x -> !x, tensor<1x2x3x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x3x4xf32>

func.func @three_axes(%q: !x) -> !x {
  // expected-error @below {{'ring.partial' op cannot be made the same on every device: expects a mesh of at most 2 axes for rows listed by device, but got 3}}
  %out, %lse = ring.partial %q, %q, %q pattern(#ring.causal)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>, axis = <0 in 2x1x1>>)
      : !x, !x, !x -> !x, tensor<1x2x3x1xf32>
  return %out : !x
}
