// SPDX-License-Identifier: Apache-2.0
// ring-shard wants a plan, and holds one that was written by hand to the rules
// of ring-plan.

// RUN: ring-opt %s --ring-shard --split-input-file --verify-diagnostics -o /dev/null

!t = tensor<1x4x128x16xbf16>

func.func @no_plan(%q: !t) -> !t {
  // expected-error @below {{'ring.attention' op expects a plan; run ring-plan first}}
  %0 = ring.attention %q, %q, %q parallel(<sequence = 0>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @heads(%q: !t) -> !t {
  // expected-error @below {{'ring.attention' op cannot use strategy ring: expects 3 devices to divide the 4 heads}}
  %0 = ring.attention %q, %q, %q plan(<strategy = ring, axis = <0 in 2x3>, heads_axis = 1>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @dilated(%q: !t) -> !t {
  // expected-error @below {{'ring.attention' op cannot use strategy ring: expects a pattern that is one band, but got a dilated one}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [64], rates = [2]>) plan(<strategy = ring, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @window(%q: !t) -> !t {
  // expected-error @below {{'ring.attention' op cannot use strategy halo: expects a sliding window}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = halo, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @layout(%q: !t) -> !t {
  // expected-error @below {{'ring.attention' op cannot use strategy ulysses: expects a contiguous or zigzag layout, but got striped: the stripes of a group of ranks are not those of a ring}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = ulysses, axis = <0 in 2>, layout = striped>) : !t, !t, !t -> !t
  return %0 : !t
}
