// SPDX-License-Identifier: Apache-2.0
// Launches: the device program is written, its counts are proven, and what does
// not fit or cannot be done is an error.

// RUN: ring-opt %s --ring-verify-schedule --ring-verify-launches --split-input-file --verify-diagnostics

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

// Three devices: each has its own shard, of 2 x 64 x 32 keys and as many values,
// and the two that pass by.

func.func @ring(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-remark @+1 {{a launch on 2 cores of a device, chunks 64x32, 264336 of 1499136 bytes of L1, 49152 bytes of keys and values in DRAM; a device sends at most 32768 bytes; counts and credits of 6 transfers are proven}}
  %out, %lse = ring.launch(%q1 = %q, %k1 = %k, %v1 = %v) compute(<q_chunk = 64, k_chunk = 32, grid = 8x7>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk1 = ring.buffer : !b
    %bv1 = ring.buffer : !b
    %bk2 = ring.buffer : !b
    %bv2 = ring.buffer : !b
    %t1 = ring.start_shift %k1, %v1 into %bk1, %bv1 by 1 on <0 in 3> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %s1 = ring.accumulate %q1, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %k2, %v2 = ring.wait %t1 : !x, !x
    %t2 = ring.start_shift %k2, %v2 into %bk2, %bv2 by 1 on <0 in 3> : !x, !x into !b, !b
    %s2 = ring.accumulate %q1, %k2, %v2 into %s1 : !x, !x, !x -> !s
    %k3, %v3 = ring.wait %t2 : !x, !x
    %s3 = ring.accumulate %q1, %k3, %v3 into %s2 : !x, !x, !x -> !s
    %o, %l = ring.finish %s3 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %o, %l : !x, tensor<1x2x64x1xf32>
  }
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

// The buffer rules hold inside a launch too.

func.func @read_while_written(%q: !x, %k: !x, %v: !x) -> !x {
  %out, %lse = ring.launch(%q1 = %q, %k1 = %k, %v1 = %v) compute(<q_chunk = 64, k_chunk = 32, grid = 8x7>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk1 = ring.buffer : !b
    %bv1 = ring.buffer : !b
    // expected-note @+1 {{arrived by this transfer}}
    %t1 = ring.start_shift %k1, %v1 into %bk1, %bv1 by 1 on <0 in 3> : !x, !x into !b, !b
    %k2, %v2 = ring.wait %t1 : !x, !x
    // expected-error @+1 {{expects its buffer to be free, but what arrived in it is read later}}
    %t2 = ring.start_shift %k1, %v1 into %bk1, %bv1 by 1 on <0 in 3> : !x, !x into !b, !b
    %k3, %v3 = ring.wait %t2 : !x, !x
    %s0 = ring.init : !s
    // expected-note @+1 {{read here}}
    %s1 = ring.accumulate %q1, %k2, %v2 into %s0 : !x, !x, !x -> !s
    %o, %l = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %o, %l : !x, tensor<1x2x64x1xf32>
  }
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @too_far(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{ring.start_shift: expects transfers to a neighbour in a launch, but got a shift by 2}}
  %out, %lse = ring.launch(%q1 = %q, %k1 = %k, %v1 = %v) compute(<q_chunk = 64, k_chunk = 32, grid = 8x7>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk1 = ring.buffer : !b
    %bv1 = ring.buffer : !b
    %t1 = ring.start_shift %k1, %v1 into %bk1, %bv1 by 2 on <0 in 5> : !x, !x into !b, !b
    %k2, %v2 = ring.wait %t1 : !x, !x
    %s0 = ring.init : !s
    %s1 = ring.accumulate %q1, %k2, %v2 into %s0 : !x, !x, !x -> !s
    %o, %l = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %o, %l : !x, tensor<1x2x64x1xf32>
  }
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xf32>
!s = !ring.state<1x2x64x32>

func.func @wide(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{expects bf16 tensors in a launch, but got tensor<1x2x64x32xf32>}}
  %out, %lse = ring.launch(%q1 = %q, %k1 = %k, %v1 = %v) compute(<q_chunk = 64, k_chunk = 32, grid = 8x7>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %s0 = ring.init : !s
    %s1 = ring.accumulate %q1, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %o, %l = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %o, %l : !x, tensor<1x2x64x1xf32>
  }
  return %out : !x
}

// -----

!q = tensor<1x1x1024x512xbf16>
!s = !ring.state<1x1x1024x512>

func.func @too_large(%q: !q, %k: !q, %v: !q) -> !q {
  // expected-error @+1 {{of L1}}
  %out, %lse = ring.launch(%q1 = %q, %k1 = %k, %v1 = %v) compute(<q_chunk = 512, k_chunk = 512, grid = 8x7>) : (!q, !q, !q) -> (!q, tensor<1x1x1024x1xf32>) {
    %s0 = ring.init : !s
    %s1 = ring.accumulate %q1, %k1, %v1 into %s0 : !q, !q, !q -> !s
    %o, %l = ring.finish %s1 : !s -> !q, tensor<1x1x1024x1xf32>
    ring.yield %o, %l : !q, tensor<1x1x1024x1xf32>
  }
  return %out : !q
}
