// SPDX-License-Identifier: Apache-2.0
// What tt-mlir would take, although its runtime stops at it.

// RUN: ring-opt %s --ring-outline-launches --split-input-file --verify-diagnostics

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @part_of_an_axis(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.launch' op expects rings of all 4 devices of axis 1, but got rings of 2}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk = ring.buffer : !b
    %bv = ring.buffer : !b
    %t = ring.start_shift %lk, %lv into %bk, %bv by 1 on <1 in 1x4, size = 2> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %k1, %v1 = ring.wait %t : !x, !x
    %s1 = ring.accumulate %lq, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @ring_beside_two(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.launch' op expects no axis of two devices beside rings that close, whose links tt-mlir's runtime then asks for both ways, but got a mesh of 2x4}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk = ring.buffer : !b
    %bv = ring.buffer : !b
    %t = ring.start_shift %lk, %lv into %bk, %bv by 1 on <1 in 2x4> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %k1, %v1 = ring.wait %t : !x, !x
    %s1 = ring.accumulate %lq, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @four_neighbours(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.launch' op expects at most 16 semaphores of a core, of which tt-mlir's runtime takes 2 for each neighbour and kernel, but got 27 with 4 neighbours of a device}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk = ring.buffer : !b
    %bv = ring.buffer : !b
    %t = ring.start_shift %lk, %lv into %bk, %bv by 1 on <1 in 8x4> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %k1, %v1 = ring.wait %t : !x, !x
    %s1 = ring.accumulate %lq, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}

// -----

!x = tensor<1x2x64x32xf32>
!s = !ring.state<1x2x64x32>

func.func @types(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.launch' op expects bf16 tensors in a launch, but got tensor<1x2x64x32xf32>}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %s0 = ring.init : !s
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!m = tensor<1x1x64x64xbf16>
!s = !ring.state<1x2x64x32>

func.func @mask(%q: !x, %k: !x, %v: !x, %mask: !m) -> !x {
  // expected-error @+1 {{'ring.launch' op expects masks that follow from positions for tt-mlir, which makes no tiles of masks as the kernels read them, but got a tensor}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v, %lm = %mask) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x, !m) -> (!x, tensor<1x2x64x1xf32>) {
    %s0 = ring.init : !s
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 mask(%lm : !m) : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}
