// SPDX-License-Identifier: Apache-2.0
// An attention and the transfers that feed it become one launch; everything else
// stays where it is.

// RUN: ring-opt %s --ring-form-launches --split-input-file | FileCheck %s
// RUN: ring-opt %s --ring-form-launches --split-input-file | ring-opt --ring-form-launches --split-input-file --verify-roundtrip | FileCheck %s

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

// CHECK-LABEL: func.func @ring(
// CHECK-SAME:      %[[QUERY:[a-z0-9]+]]: {{[^,]+}}, %[[KEY:[a-z0-9]+]]: {{[^,]+}}, %[[VALUE:[a-z0-9]+]]:
// CHECK-NEXT:    %[[DONE:.+]]:2 = ring.launch(%[[Q:.+]] = %[[QUERY]], %[[K:.+]] = %[[KEY]], %[[V:.+]] = %[[VALUE]]) compute(<q_chunk = {{.+}}>)
// CHECK-NEXT:      %[[BK:.+]] = ring.buffer
// CHECK-NEXT:      %[[BV:.+]] = ring.buffer
// CHECK-NEXT:      %[[TOKEN:.+]] = ring.start_shift %[[K]], %[[V]] into %[[BK]], %[[BV]] by 1
// CHECK-NEXT:      %[[S0:.+]] = ring.init
// CHECK-NEXT:      %[[S1:.+]] = ring.accumulate %[[Q]], %[[K]], %[[V]] into %[[S0]]
// CHECK-NEXT:      %[[NEXT:.+]]:2 = ring.wait %[[TOKEN]]
// CHECK-NEXT:      %[[S2:.+]] = ring.accumulate %[[Q]], %[[NEXT]]#0, %[[NEXT]]#1 into %[[S1]]
// CHECK-NEXT:      %[[OUT:.+]], %[[LSE:.+]] = ring.finish %[[S2]]
// CHECK-NEXT:      ring.yield %[[OUT]], %[[LSE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[DONE]]#0
func.func @ring(%q: !x, %k: !x, %v: !x) -> !x {
  %bk = ring.buffer : !b
  %bv = ring.buffer : !b
  %token = ring.start_shift %k, %v into %bk, %bv by 1 on <0 in 2> : !x, !x into !b, !b
  %s0 = ring.init : !s
  %s1 = ring.accumulate %q, %k, %v into %s0 : !x, !x, !x -> !s
  %k1, %v1 = ring.wait %token : !x, !x
  %s2 = ring.accumulate %q, %k1, %v1 into %s1 : !x, !x, !x -> !s
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>

// One block by itself is a chain of one. Heads are traded before it.

// CHECK-LABEL: func.func @one_block(
// CHECK:         %[[TOKEN:.+]] = ring.start_all_to_all
// CHECK:         %[[KEYS:.+]] = ring.wait %[[TOKEN]]
// CHECK:         ring.launch({{.+}} = %{{.+}}, {{.+}} = %[[KEYS]])
// CHECK-NEXT:      ring.init
// CHECK-NEXT:      ring.accumulate
// CHECK-SAME:        pattern(#ring.causal) scale(5.000000e-01)
// CHECK-NEXT:      ring.finish
func.func @one_block(%q: tensor<1x1x128x32xbf16>, %k: !x) -> tensor<1x1x128x32xf32> {
  %b = ring.buffer : !ring.buffer<1x1x128x32xbf16>
  %token = ring.start_all_to_all %k into %b split 1 concat 2 on <0 in 2> : !x into !ring.buffer<1x1x128x32xbf16>
  %all = ring.wait %token : tensor<1x1x128x32xbf16>
  %out, %lse = ring.partial %q, %all, %all pattern(#ring.causal) scale(0.5)
      : tensor<1x1x128x32xbf16>, tensor<1x1x128x32xbf16>, tensor<1x1x128x32xbf16> -> tensor<1x1x128x32xf32>, tensor<1x1x128x1xf32>
  return %out : tensor<1x1x128x32xf32>
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>

// What two attentions read goes into both, the rows that they pick as well.

// CHECK-LABEL: func.func @shared(
// CHECK-NOT:     ring.start_shift
// CHECK:         ring.launch
// CHECK:           ring.start_shift
// CHECK:           "ttir.slice_static"
// CHECK:         }
// CHECK-NOT:     ring.start_shift
// CHECK:         ring.launch
// CHECK:           ring.start_shift
// CHECK:         }
// CHECK-NOT:     ring.start_shift
func.func @shared(%q: !x, %k: !x, %v: !x) -> (!x, !x) {
  %bk = ring.buffer : !b
  %bv = ring.buffer : !b
  %token = ring.start_shift %k, %v into %bk, %bv by 1 on <0 in 2> : !x, !x into !b, !b
  %k1, %v1 = ring.wait %token : !x, !x
  %kr = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 32 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> tensor<1x2x32x32xbf16>
  %vr = "ttir.slice_static"(%v1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 32 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> tensor<1x2x32x32xbf16>
  %o0, %l0 = ring.partial %q, %kr, %vr : !x, tensor<1x2x32x32xbf16>, tensor<1x2x32x32xbf16> -> !x, tensor<1x2x64x1xf32>
  %o1, %l1 = ring.partial %o0, %k1, %v1 : !x, !x, !x -> !x, tensor<1x2x64x1xf32>
  return %o0, %o1 : !x, !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!b = !ring.buffer<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

// Blocks have columns of one mask, which kernels read where they are.

// CHECK-LABEL: func.func @mask(
// CHECK-SAME:      %[[MASK:[a-z0-9]+]]: tensor<1x1x64x128xf32>
// CHECK-NEXT:    ring.launch({{.+}}, %[[M:.+]] = %[[MASK]])
// CHECK:           %[[OWN:.+]] = "ttir.slice_static"(%[[M]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK:           ring.accumulate {{.+}} mask(%[[OWN]] : tensor<1x1x64x64xf32>)
// CHECK:           %[[OTHER:.+]] = "ttir.slice_static"(%[[M]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32]
// CHECK:           ring.accumulate {{.+}} mask(%[[OTHER]] : tensor<1x1x64x64xf32>)
func.func @mask(%q: !x, %k: !x, %v: !x, %mask: tensor<1x1x64x128xf32>) -> !x {
  %bk = ring.buffer : !b
  %bv = ring.buffer : !b
  %token = ring.start_shift %k, %v into %bk, %bv by 1 on <0 in 2> : !x, !x into !b, !b
  %s0 = ring.init : !s
  %own = "ttir.slice_static"(%mask) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x64x128xf32>) -> tensor<1x1x64x64xf32>
  %s1 = ring.accumulate %q, %k, %v into %s0 mask(%own : tensor<1x1x64x64xf32>) : !x, !x, !x -> !s
  %k1, %v1 = ring.wait %token : !x, !x
  %other = "ttir.slice_static"(%mask) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x64x128xf32>) -> tensor<1x1x64x64xf32>
  %s2 = ring.accumulate %q, %k1, %v1 into %s1 mask(%other : tensor<1x1x64x64xf32>) : !x, !x, !x -> !s
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}
