// SPDX-License-Identifier: Apache-2.0
// A TTMetal program is a whole one: what has no place in it is refused by name.

// RUN: ring-opt %s --convert-ring-to-ttmetal --split-input-file --verify-diagnostics

!x = tensor<1x2x128x64xbf16>
!l = tensor<1x2x64x64xbf16>

func.func @other_op(%x: !x) -> !x {
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !x -> !l
  // expected-error @+1 {{'ttir.exp' op has no place in a ttmetal program, which is made of ring.shard, ring.launch and ring.unshard}}
  %1 = "ttir.exp"(%0) : (!l) -> !l
  %2 = ring.unshard %1 as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !l -> !x
  return %2 : !x
}

// -----

!x = tensor<1x2x128x64xbf16>
!l = tensor<1x2x64x64xbf16>

func.func @order(%x: !x) -> !x {
  // expected-error @+1 {{'ring.shard' op expects contiguous shards of the host's tensor for ttmetal, which neither pads nor orders, but got}}
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2, sequence = 2 as <zigzag, 128 over 2>> : !x -> !l
  %1 = ring.unshard %0 as <[_, _, 1, _] in 1x2, sequence = 2 as <zigzag, 128 over 2>> : !l -> !x
  return %1 : !x
}

// -----

!x = tensor<1x2x80x64xbf16>
!l = tensor<1x2x40x64xbf16>

func.func @tiles(%x: !x) -> !x {
  // expected-error @+1 {{'ring.shard' op expects rows and columns of whole tiles for ttmetal, but got 'tensor<1x2x80x64xbf16>'}}
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 80 over 2>> : !x -> !l
  %1 = ring.unshard %0 as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 80 over 2>> : !l -> !x
  return %1 : !x
}

// -----

!x = tensor<1x2x64x64xbf16>

func.func @not_sharded(%q: !x, %k: !x, %v: !x) -> !x {
  // expected-error @+1 {{'ring.launch' op expects shards and results of launches for ttmetal, but got another operand}}
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %s0 = ring.init : !ring.state<1x2x64x64>
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 : !x, !x, !x -> !ring.state<1x2x64x64>
    %out, %lse = ring.finish %s1 : !ring.state<1x2x64x64> -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!m = tensor<1x1x64x64xbf16>
!s = !ring.state<1x2x64x32>

func.func @mask(%q: !x, %k: !x, %v: !x, %mask: !m) -> !x {
  %0 = ring.shard %q as <[_, _, _, _] in 1x1> : !x -> !x
  %1 = ring.shard %k as <[_, _, _, _] in 1x1> : !x -> !x
  %2 = ring.shard %v as <[_, _, _, _] in 1x1> : !x -> !x
  %3 = ring.shard %mask as <[_, _, _, _] in 1x1> : !m -> !m
  // expected-error @+1 {{'ring.launch' op expects masks that follow from positions for tt-mlir, which makes no tiles of masks as the kernels read them, but got a tensor}}
  %o, %l = ring.launch(%lq = %0, %lk = %1, %lv = %2, %lm = %3) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 1x1>) : (!x, !x, !x, !m) -> (!x, tensor<1x2x64x1xf32>) {
    %s0 = ring.init : !s
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 mask(%lm : !m) : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  %whole = ring.unshard %o as <[_, _, _, _] in 1x1> : !x -> !x
  return %whole : !x
}
