// SPDX-License-Identifier: Apache-2.0
// A start and its wait become one op, with the same attributes; those of a
// launch stay.

// RUN: ring-opt %s --ring-block-transfers --split-input-file | FileCheck %s

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>

// CHECK-LABEL: func.func @all(
// CHECK-SAME:      %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-NOT:     ring.buffer
// CHECK:         %[[MOVED:.+]]:2 = ring.shift %[[K]], %[[V]] by -1 on <0 in 2> reaching 1
// CHECK-NEXT:    %[[HEADS:.+]] = ring.all_to_all %[[MOVED]]#0 split 1 concat 2 on <0 in 2>
// CHECK-NEXT:    %[[ALL:.+]] = ring.all_gather %[[MOVED]]#1 dim 2 on <0 in 2>
// CHECK-NEXT:    return %[[HEADS]], %[[ALL]]
func.func @all(%k: !x, %v: !x) -> (tensor<1x1x128x32xbf16>, tensor<1x2x128x32xbf16>) {
  %bk = ring.buffer : !b
  %bv = ring.buffer : !b
  %b1 = ring.buffer : !ring.buffer<1x1x128x32xbf16>
  %b2 = ring.buffer : !ring.buffer<1x2x128x32xbf16>
  %t = ring.start_shift %k, %v into %bk, %bv by -1 on <0 in 2> reaching 1 : !x, !x into !b, !b
  %k1, %v1 = ring.wait %t : !x, !x
  %t1 = ring.start_all_to_all %k1 into %b1 split 1 concat 2 on <0 in 2> : !x into !ring.buffer<1x1x128x32xbf16>
  %t2 = ring.start_all_gather %v1 into %b2 dim 2 on <0 in 2> : !x into !ring.buffer<1x2x128x32xbf16>
  %r1 = ring.wait %t1 : tensor<1x1x128x32xbf16>
  %r2 = ring.wait %t2 : tensor<1x2x128x32xbf16>
  return %r1, %r2 : tensor<1x1x128x32xbf16>, tensor<1x2x128x32xbf16>
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

// CHECK-LABEL: func.func @launch(
// CHECK:         ring.buffer
// CHECK:         ring.start_shift
// CHECK:         ring.wait
func.func @launch(%q: !x, %k: !x, %v: !x) -> !x {
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 8x1>)
      : (!x, !x, !x) -> (!x, tensor<1x2x64x1xf32>) {
    %bk = ring.buffer : !b
    %bv = ring.buffer : !b
    %t = ring.start_shift %lk, %lv into %bk, %bv by 1 on <0 in 2> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %k1, %v1 = ring.wait %t : !x, !x
    %s1 = ring.accumulate %lq, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x2x64x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x64x1xf32>
  }
  return %o : !x
}
