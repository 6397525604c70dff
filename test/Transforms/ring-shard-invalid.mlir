// SPDX-License-Identifier: Apache-2.0
// ring-shard wants a plan, and holds one that was written by hand to the rules
// of ring-plan.

// RUN: ring-opt %s --ring-shard --split-input-file --verify-diagnostics -o /dev/null

!t = tensor<1x4x128x16xbf16>

func.func @no_plan(%q: !t) -> !t {
  // expected-error @below {{attention expects a plan; run ring-plan first}}
  %0 = ring.attention %q, %q, %q parallel(<sequence = 0>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @heads(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ring: expects 3 devices to divide the 4 heads}}
  %0 = ring.attention %q, %q, %q plan(<strategy = ring, axis = <0 in 2x3>, heads_axis = 1>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @dilated(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ring: expects a contiguous layout for a dilated pattern, but got zigzag}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [64], rates = [2]>) plan(<strategy = ring, axis = <0 in 2>, layout = zigzag>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @dilated_fused(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ring: expects the explicit form for a dilated pattern: no device op has one}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [64], rates = [2]>) plan(<strategy = ring, axis = <0 in 2>, form = fused>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @dilated_heads(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ulysses: expects 4 ranks to divide the 2 heads of pair 1, and its 2 key heads or to be divided by them}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [32, 128], rates = [1, 2]>) plan(<strategy = ulysses, axis = <0 in 4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @dilated_straddling(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ulysses: expects segments and heads that lie alike on every device, but pair 0 does not}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [64], rates = [3]>) plan(<strategy = ulysses, axis = <0 in 4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @window(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy halo: expects a sliding window}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = halo, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>

func.func @layout(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ulysses: expects a contiguous or zigzag layout, but got striped: the stripes of a group of ranks are not those of a ring}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = ulysses, axis = <0 in 2>, layout = striped>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x16777215x16xbf16>

func.func @dilated_lists(%q: !t) -> !t {
  // expected-error @below {{attention cannot use strategy ring: expects at most 4194304 entries in the lists of rows that differ by device, but got 1 residues of 5592405 segments}}
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [3], rates = [2]>) plan(<strategy = ring, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}
