// SPDX-License-Identifier: Apache-2.0
// Chains and trees of parts become one carried state, wherever nothing else
// looks at a part in between.

// RUN: ring-opt %s --ring-merge-lse --split-input-file | FileCheck %s

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// CHECK-LABEL: func.func @ring_of_2(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
func.func @ring_of_2(%q: !x, %k: !x, %v: !x) -> (!o, !l) {
  // CHECK-NEXT: %[[INIT:.+]] = ring.init : !ring.state<1x2x64x16>
  // CHECK-NEXT: %[[S0:.+]] = ring.accumulate %[[Q]], %[[K]], %[[V]] into %[[INIT]] scale(2.500000e-01) length(100)
  // CHECK-SAME:     block(<queries = <contiguous, 128 over 2>
  // CHECK-NEXT: %[[NEXT:.+]]:2 = ring.shift
  // CHECK-NEXT: %[[S1:.+]] = ring.accumulate %[[Q]], %[[NEXT]]#0, %[[NEXT]]#1 into %[[S0]] pattern(#ring.window<before = 80, after = 80>)
  // CHECK-NEXT: %[[OUT:.+]], %[[LSE:.+]] = ring.finish %[[S1]] : !ring.state<1x2x64x16> -> tensor<1x2x64x16xf32>, tensor<1x2x64x1xf32>
  // CHECK-NEXT: return %[[OUT]], %[[LSE]]
  %o0, %l0 = ring.partial %q, %k, %v scale(0.25) length(100)
      block(<queries = <contiguous, 128 over 2>, keys = <contiguous, 128 over 2>, axis = <0 in 2>>) : !x, !x, !x -> !o, !l
  %k1, %v1 = ring.shift %k, %v by 1 on <0 in 2> : !x, !x
  %o1, %l1 = ring.partial %q, %k1, %v1 pattern(#ring.window<before = 80, after = 80>)
      block(<queries = <contiguous, 128 over 2>, keys = <contiguous, 128 over 2>, source = -1, axis = <0 in 2>>) : !x, !x, !x -> !o, !l
  %o, %l = ring.merge %o0, %l0 with %o1, %l1 : !o, !l
  return %o, %l : !o, !l
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// Operands in either order and trees of any shape follow the program's order;
// masks stay with their blocks.

// CHECK-LABEL: func.func @tree(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K0:[a-z0-9]+]]: {{[^,]+}}, %[[K1:[a-z0-9]+]]: {{[^,]+}}, %[[K2:[a-z0-9]+]]: {{[^,]+}}, %[[K3:[a-z0-9]+]]: {{[^,]+}}, %[[MASK:[a-z0-9]+]]:
func.func @tree(%q: !x, %k0: !x, %k1: !x, %k2: !x, %k3: !x, %mask: tensor<1x1x64x64xbf16>) -> !o {
  // CHECK: %[[S0:.+]] = ring.accumulate %[[Q]], %[[K0]], %[[K0]] into
  // CHECK: %[[S1:.+]] = ring.accumulate %[[Q]], %[[K1]], %[[K1]] into %[[S0]] mask(%[[MASK]] : tensor<1x1x64x64xbf16>)
  // CHECK: %[[S2:.+]] = ring.accumulate %[[Q]], %[[K2]], %[[K2]] into %[[S1]]
  // CHECK: %[[S3:.+]] = ring.accumulate %[[Q]], %[[K3]], %[[K3]] into %[[S2]]
  // CHECK: %[[OUT:.+]], %{{.+}} = ring.finish %[[S3]]
  // CHECK-NOT: ring.merge
  // CHECK: return %[[OUT]]
  %o0, %l0 = ring.partial %q, %k0, %k0 : !x, !x, !x -> !o, !l
  %o1, %l1 = ring.partial %q, %k1, %k1 mask(%mask : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !o, !l
  %o2, %l2 = ring.partial %q, %k2, %k2 : !x, !x, !x -> !o, !l
  %o3, %l3 = ring.partial %q, %k3, %k3 : !x, !x, !x -> !o, !l
  %m0, %n0 = ring.merge %o3, %l3 with %o2, %l2 : !o, !l
  %m1, %n1 = ring.merge %o1, %l1 with %o0, %l0 : !o, !l
  %m2, %n2 = ring.merge %m0, %n0 with %m1, %n1 : !o, !l
  return %m2 : !o
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// A sink is where the state starts, and the final type is that of the state's
// end.

// CHECK-LABEL: func.func @sink(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[SINK:[a-z0-9]+]]:
func.func @sink(%q: !x, %k: !x, %sink: tensor<1x2x1x1xbf16>) -> !x {
  // CHECK-NEXT: %[[INIT:.+]] = ring.init sink(%[[SINK]] : tensor<1x2x1x1xbf16>) : !ring.state<1x2x64x16>
  // CHECK-NEXT: %[[S0:.+]] = ring.accumulate %[[Q]], %[[K]], %[[K]] into %[[INIT]]
  // CHECK-NEXT: %[[OUT:.+]], %{{.+}} = ring.finish %[[S0]] : !ring.state<1x2x64x16> -> tensor<1x2x64x16xbf16>, tensor<1x2x64x1xf32>
  // CHECK-NEXT: return %[[OUT]]
  %e, %f = ring.empty sink(%sink : tensor<1x2x1x1xbf16>) : !o, !l
  %o0, %l0 = ring.partial %q, %k, %k : !x, !x, !x -> !o, !l
  %o, %l = ring.merge %e, %f with %o0, %l0 : !o, !l
  %r = "ttir.typecast"(%o) <{conservative_folding = false}> : (!o) -> !x
  return %r : !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// Keys two ranks away are out of a window of one shard on every device: the
// part goes, and the shift that brought its keys with it.

// CHECK-LABEL: func.func @uncomputed(
func.func @uncomputed(%q: !x, %k: !x, %v: !x) -> !o {
  // CHECK-COUNT-2: ring.accumulate
  // CHECK-NOT: ring.accumulate
  // CHECK-NOT: ring.shift
  // CHECK: ring.finish
  %o0, %l0 = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <contiguous, 192 over 3>, keys = <contiguous, 192 over 3>, axis = <0 in 3>>) : !x, !x, !x -> !o, !l
  %k1, %v1 = ring.shift %k, %v by 1 on <0 in 3> : !x, !x
  %o1, %l1 = ring.partial %q, %k1, %v1 pattern(#ring.causal)
      block(<queries = <contiguous, 192 over 3>, keys = <contiguous, 192 over 3>, source = -1, axis = <0 in 3>>) : !x, !x, !x -> !o, !l
  %m1, %n1 = ring.merge %o0, %l0 with %o1, %l1 : !o, !l
  %k2, %v2 = ring.shift %k1, %v1 by 1 on <0 in 3> : !x, !x
  %o2, %l2 = ring.partial %q, %k2, %v2 pattern(#ring.window<before = 63, after = 0>)
      block(<queries = <contiguous, 192 over 3>, keys = <contiguous, 192 over 3>, source = -2, axis = <0 in 3>>) : !x, !x, !x -> !o, !l
  %m2, %n2 = ring.merge %m1, %n1 with %o2, %l2 : !o, !l
  return %m2 : !o
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// Decode: what a device has is a chain, what arrives is finished.

// CHECK-LABEL: func.func @decode_tree(
func.func @decode_tree(%q: !x, %k0: !x, %k1: !x) -> !o {
  // CHECK: ring.init
  // CHECK: ring.accumulate
  // CHECK: %[[S:.+]] = ring.accumulate
  // CHECK-NEXT: %[[OUT:.+]], %[[LSE:.+]] = ring.finish %[[S]]
  // CHECK-NEXT: %[[FROM1:.+]]:2 = ring.shift %[[OUT]], %[[LSE]] by 1
  // CHECK-NEXT: %[[O2:.+]], %[[L2:.+]] = ring.merge %[[OUT]], %[[LSE]] with %[[FROM1]]#0, %[[FROM1]]#1
  // CHECK-NEXT: %[[FROM2:.+]]:2 = ring.shift %[[O2]], %[[L2]] by 2
  // CHECK-NEXT: %[[O4:.+]], %{{.+}} = ring.merge %[[O2]], %[[L2]] with %[[FROM2]]#0, %[[FROM2]]#1
  // CHECK-NEXT: return %[[O4]]
  %o0, %l0 = ring.partial %q, %k0, %k0 : !x, !x, !x -> !o, !l
  %o1, %l1 = ring.partial %q, %k1, %k1 : !x, !x, !x -> !o, !l
  %m0, %n0 = ring.merge %o0, %l0 with %o1, %l1 : !o, !l
  %p1, %r1 = ring.shift %m0, %n0 by 1 on <0 in 4> : !o, !l
  %m1, %n1 = ring.merge %m0, %n0 with %p1, %r1 : !o, !l
  %p2, %r2 = ring.shift %m1, %n1 by 2 on <0 in 4> : !o, !l
  %m2, %n2 = ring.merge %m1, %n1 with %p2, %r2 : !o, !l
  return %m2 : !o
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// Parts of a tree that are there already are merged with what the chain gives.

// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[O:[a-z0-9]+]]: {{[^,]+}}, %[[L:[a-z0-9]+]]:
func.func @mixed(%q: !x, %k: !x, %o: !o, %l: !l) -> !o {
  // CHECK: %[[S:.+]] = ring.accumulate
  // CHECK: %[[S2:.+]] = ring.accumulate {{.*}} into %[[S]]
  // CHECK: %[[OUT:.+]], %[[LSE:.+]] = ring.finish %[[S2]]
  // CHECK: %[[ALL:.+]], %{{.+}} = ring.merge %[[OUT]], %[[LSE]] with %[[O]], %[[L]]
  // CHECK: return %[[ALL]]
  %o0, %l0 = ring.partial %q, %k, %k : !x, !x, !x -> !o, !l
  %m0, %n0 = ring.merge %o0, %l0 with %o, %l : !o, !l
  %o1, %l1 = ring.partial %q, %k, %q : !x, !x, !x -> !o, !l
  %m1, %n1 = ring.merge %m0, %n0 with %o1, %l1 : !o, !l
  return %m1 : !o
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// What something else looks at stays: a part whose lse is returned, and a merge
// whose output is.

// CHECK-LABEL: func.func @looked_at(
func.func @looked_at(%q: !x, %k: !x) -> (!o, !l, !o) {
  // CHECK: %[[O0:.+]], %[[L0:.+]] = ring.partial
  // CHECK: %[[O1:.+]], %[[L1:.+]] = ring.partial
  // CHECK: %[[M1:.+]], %{{.+}} = ring.merge %[[O0]], %[[L0]] with %[[O1]], %[[L1]]
  // CHECK: %[[O2:.+]], %{{.+}} = ring.partial
  // CHECK: %[[M2:.+]], %{{.+}} = ring.merge %[[M1]]
  // CHECK: return %[[M2]], %[[L0]], %[[M1]]
  // CHECK-NOT: ring.accumulate
  %o0, %l0 = ring.partial %q, %k, %k : !x, !x, !x -> !o, !l
  %o1, %l1 = ring.partial %q, %k, %q : !x, !x, !x -> !o, !l
  %m1, %n1 = ring.merge %o0, %l0 with %o1, %l1 : !o, !l
  %o2, %l2 = ring.partial %q, %q, %q : !x, !x, !x -> !o, !l
  %m2, %n2 = ring.merge %m1, %n1 with %o2, %l2 : !o, !l
  return %m2, %l0, %m1 : !o, !l, !o
}

// -----

!x = tensor<1x2x64x16xbf16>
!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// One step of a zigzag split into halves: the rank chooses which state the
// second quarter is added to. No part is normalised on the way.

// CHECK-LABEL: func.func @chosen_by_rank(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]:
func.func @chosen_by_rank(%q: !x, %k: !x) -> (!o, !o) {
  // CHECK-NOT: ring.partial
  // CHECK: %[[EARLY:.+]] = ring.accumulate %[[Q]], %[[K]], %[[K]]
  // CHECK: %[[LATE0:.+]] = ring.accumulate %[[Q]], %[[Q]], %[[K]]
  // CHECK: %[[LATE:.+]] = ring.accumulate %[[Q]], %[[K]], %[[Q]] into %[[LATE0]]
  // CHECK: %[[CHOSEN:.+]] = ring.select %[[EARLY]], %[[LATE]] where [false, true] on <0 in 2> : !ring.state<1x2x64x16>
  // CHECK: %[[ADDED:.+]] = ring.accumulate %[[Q]], %[[Q]], %[[Q]] into %[[CHOSEN]]
  // CHECK-DAG: %[[EARLY1:.+]] = ring.select %[[ADDED]], %[[EARLY]]
  // CHECK-DAG: %[[LATE1:.+]] = ring.select %[[LATE]], %[[ADDED]]
  // CHECK-DAG: %[[OE:.+]], %{{.+}} = ring.finish %[[EARLY1]]
  // CHECK-DAG: %[[OL:.+]], %{{.+}} = ring.finish %[[LATE1]]
  // CHECK-NOT: ring.finish
  // CHECK: return %[[OE]], %[[OL]]
  %oe, %le = ring.partial %q, %k, %k : !x, !x, !x -> !o, !l
  %ol0, %ll0 = ring.partial %q, %q, %k : !x, !x, !x -> !o, !l
  %ol1, %ll1 = ring.partial %q, %k, %q : !x, !x, !x -> !o, !l
  %ol, %ll = ring.merge %ol0, %ll0 with %ol1, %ll1 : !o, !l
  %op, %lp = ring.partial %q, %q, %q : !x, !x, !x -> !o, !l
  %oc = ring.select %oe, %ol where [false, true] on <0 in 2> : !o
  %lc = ring.select %le, %ll where [false, true] on <0 in 2> : !l
  %om, %lm = ring.merge %oc, %lc with %op, %lp : !o, !l
  %oe1 = ring.select %om, %oe where [false, true] on <0 in 2> : !o
  %le1 = ring.select %lm, %le where [false, true] on <0 in 2> : !l
  %ol2 = ring.select %ol, %om where [false, true] on <0 in 2> : !o
  %ll2 = ring.select %ll, %lm where [false, true] on <0 in 2> : !l
  return %oe1, %ol2 : !o, !o
}
