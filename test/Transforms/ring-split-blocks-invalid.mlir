// SPDX-License-Identifier: Apache-2.0
// Blocks whose rows are listed by device cannot be made the same on all of them.
//
// RUN: ring-opt %s --ring-split-blocks --verify-diagnostics -o /dev/null

!x = tensor<1x2x3x4xf32>

func.func @listed(%q: !x) -> !x {
  // expected-error @below {{'ring.partial' op cannot be made the same on every device: expects rows that a layout deals, but got rows listed by device}}
  %out, %lse = ring.partial %q, %q, %q pattern(#ring.window<before = 2, after = 2>)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>, axis = <0 in 2>>)
      : !x, !x, !x -> !x, tensor<1x2x3x1xf32>
  return %out : !x
}
