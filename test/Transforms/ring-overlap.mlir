// SPDX-License-Identifier: Apache-2.0
// Transfers start when their data and a buffer are there, and are waited for
// just before the first block that needs them.

// RUN: ring-opt %s --ring-overlap --ring-verify-schedule --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: ring-opt %s --ring-overlap --split-input-file | ring-opt --ring-overlap --split-input-file --verify-roundtrip | FileCheck %s

!x = tensor<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// K and V of one step travel as one, here also where they are shifted apart.
// One shard of K and V is 2 * 4096 bytes: two ranks need one pair of buffers.

// REMARK: a device sends 8192 bytes on #ring.axis<0 in 2>, has 2 buffers of 8192 bytes together and holds at most 16384 bytes of keys and values

// CHECK-LABEL: func.func @ring_of_2(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]: {{[^,]+}}, %[[S0:[a-z0-9]+]]:
func.func @ring_of_2(%q: !x, %k: !x, %v: !x, %s0: !s) -> !s {
  // CHECK-NEXT: %[[BK:.+]] = ring.buffer
  // CHECK-NEXT: %[[BV:.+]] = ring.buffer
  // CHECK-NEXT: %[[TOKEN:.+]] = ring.start_shift %[[K]], %[[V]] into %[[BK]], %[[BV]] by 1 on <0 in 2>
  // CHECK-NEXT: %[[S1:.+]] = ring.accumulate %[[Q]], %[[K]], %[[V]] into %[[S0]]
  // CHECK-NEXT: %[[NEXT:.+]]:2 = ring.wait %[[TOKEN]]
  // CHECK-NEXT: %[[S2:.+]] = ring.accumulate %[[Q]], %[[NEXT]]#0, %[[NEXT]]#1 into %[[S1]]
  // CHECK-NEXT: return %[[S2]]
  %s1 = ring.accumulate %q, %k, %v into %s0 : !x, !x, !x -> !s
  %k1 = ring.shift %k by 1 on <0 in 2> : !x
  %v1 = ring.shift %v by 1 on <0 in 2> : !x
  %s2 = ring.accumulate %q, %k1, %v1 into %s1 : !x, !x, !x -> !s
  return %s2 : !s
}

// -----

!x = tensor<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// A ring of 4 and another layer after it: the same two pairs of buffers, and
// never more than three shards of K and V.

// REMARK: a device sends 49152 bytes on #ring.axis<0 in 4>, has 4 buffers of 16384 bytes together and holds at most 24576 bytes of keys and values

// CHECK-LABEL: func.func @two_layers(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
func.func @two_layers(%q: !x, %k: !x, %v: !x) -> !x {
  // CHECK-NEXT: %[[K0:.+]] = ring.buffer
  // CHECK-NEXT: %[[V0:.+]] = ring.buffer
  // CHECK-NEXT: %[[K1:.+]] = ring.buffer
  // CHECK-NEXT: %[[V1:.+]] = ring.buffer
  // CHECK-NOT: ring.buffer :
  // CHECK: %[[T1:.+]] = ring.start_shift %[[K]], %[[V]] into %[[K0]], %[[V0]]
  // CHECK-NEXT: ring.init
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[K]], %[[V]]
  // CHECK-NEXT: %[[A:.+]]:2 = ring.wait %[[T1]]
  // CHECK-NEXT: %[[T2:.+]] = ring.start_shift %[[A]]#0, %[[A]]#1 into %[[K1]], %[[V1]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[A]]#0, %[[A]]#1
  // CHECK-NEXT: %[[B:.+]]:2 = ring.wait %[[T2]]
  // CHECK-NEXT: %[[T3:.+]] = ring.start_shift %[[B]]#0, %[[B]]#1 into %[[K0]], %[[V0]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[B]]#0, %[[B]]#1
  // CHECK-NEXT: %[[C:.+]]:2 = ring.wait %[[T3]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[C]]#0, %[[C]]#1
  %s0 = ring.init : !s
  %s1 = ring.accumulate %q, %k, %v into %s0 : !x, !x, !x -> !s
  %k1, %v1 = ring.shift %k, %v by 1 on <0 in 4> : !x, !x
  %s2 = ring.accumulate %q, %k1, %v1 into %s1 : !x, !x, !x -> !s
  %k2, %v2 = ring.shift %k1, %v1 by 1 on <0 in 4> : !x, !x
  %s3 = ring.accumulate %q, %k2, %v2 into %s2 : !x, !x, !x -> !s
  %k3, %v3 = ring.shift %k2, %v2 by 1 on <0 in 4> : !x, !x
  %s4 = ring.accumulate %q, %k3, %v3 into %s3 : !x, !x, !x -> !s
  %o, %l = ring.finish %s4 : !s -> !x, tensor<1x2x64x1xf32>

  // CHECK: %[[NEXTK:.+]] = "ttir.add"
  // CHECK-NEXT: %[[NEXTV:.+]] = "ttir.multiply"
  // CHECK-NEXT: %[[T4:.+]] = ring.start_shift %[[NEXTK]], %[[NEXTV]] into %[[K0]], %[[V0]]
  // CHECK: %[[D:.+]]:2 = ring.wait %[[T4]]
  // CHECK-NEXT: %[[T5:.+]] = ring.start_shift %[[D]]#0, %[[D]]#1 into %[[K1]], %[[V1]]
  // CHECK: %[[E:.+]]:2 = ring.wait %[[T5]]
  // CHECK-NEXT: ring.start_shift %[[E]]#0, %[[E]]#1 into %[[K0]], %[[V0]]
  // CHECK: ring.wait
  // CHECK-NOT: ring.shift
  %nk = "ttir.add"(%o, %o) : (!x, !x) -> !x
  %nv = "ttir.multiply"(%o, %o) : (!x, !x) -> !x
  %t0 = ring.init : !s
  %t1 = ring.accumulate %o, %nk, %nv into %t0 : !x, !x, !x -> !s
  %nk1, %nv1 = ring.shift %nk, %nv by 1 on <0 in 4> : !x, !x
  %t2 = ring.accumulate %o, %nk1, %nv1 into %t1 : !x, !x, !x -> !s
  %nk2, %nv2 = ring.shift %nk1, %nv1 by 1 on <0 in 4> : !x, !x
  %t3 = ring.accumulate %o, %nk2, %nv2 into %t2 : !x, !x, !x -> !s
  %nk3, %nv3 = ring.shift %nk2, %nv2 by 1 on <0 in 4> : !x, !x
  %t4 = ring.accumulate %o, %nk3, %nv3 into %t3 : !x, !x, !x -> !s
  %p, %m = ring.finish %t4 : !s -> !x, tensor<1x2x64x1xf32>
  return %p : !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!h = tensor<1x2x32x16xbf16>
!s = !ring.state<1x2x64x16>

// Both directions of a ring of 4. The diametric shard comes half from either
// side: the slices run as soon as the shard that they are cut from is there,
// so that the last hop goes on behind both blocks of the first.

// CHECK-LABEL: func.func @both_directions(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[S0:[a-z0-9]+]]:
func.func @both_directions(%q: !x, %k: !x, %s0: !s) -> !s {
  // CHECK: %[[TF:.+]] = ring.start_shift %[[K]] into %{{.+}} by 1 on
  // CHECK-NEXT: %[[TB:.+]] = ring.start_shift %[[K]] into %{{.+}} by -1 on
  // CHECK-NEXT: %[[S1:.+]] = ring.accumulate %[[Q]], %[[K]], %[[K]] into %[[S0]]
  // CHECK-NEXT: %[[F:.+]] = ring.wait %[[TF]]
  // CHECK-NEXT: %[[HF:.+]] = "ttir.slice_static"(%[[F]])
  // CHECK-NEXT: %[[TF2:.+]] = ring.start_shift %[[HF]] into %{{.+}} by 1 on
  // CHECK-NEXT: %[[S2:.+]] = ring.accumulate %[[Q]], %[[F]], %[[F]] into %[[S1]]
  // CHECK-NEXT: %[[B:.+]] = ring.wait %[[TB]]
  // CHECK-NEXT: %[[HB:.+]] = "ttir.slice_static"(%[[B]])
  // CHECK-NEXT: %[[TB2:.+]] = ring.start_shift %[[HB]] into %{{.+}} by -1 on
  // CHECK-NEXT: %[[S3:.+]] = ring.accumulate %[[Q]], %[[B]], %[[B]] into %[[S2]]
  // CHECK-DAG: %[[F2:.+]] = ring.wait %[[TF2]]
  // CHECK-DAG: %[[B2:.+]] = ring.wait %[[TB2]]
  // CHECK: "ttir.concat"(%[[F2]], %[[B2]])
  %s1 = ring.accumulate %q, %k, %k into %s0 : !x, !x, !x -> !s
  %f1 = ring.shift %k by 1 on <0 in 4> : !x
  %b1 = ring.shift %k by -1 on <0 in 4> : !x
  %s2 = ring.accumulate %q, %f1, %f1 into %s1 : !x, !x, !x -> !s
  %s3 = ring.accumulate %q, %b1, %b1 into %s2 : !x, !x, !x -> !s
  %hf = "ttir.slice_static"(%f1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32],
      ends = [1 : i32, 2 : i32, 32 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !h
  %hb = "ttir.slice_static"(%b1) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32],
      ends = [1 : i32, 2 : i32, 64 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !h
  %f2 = ring.shift %hf by 1 on <0 in 4> : !h
  %b2 = ring.shift %hb by -1 on <0 in 4> : !h
  %k2 = "ttir.concat"(%f2, %b2) <{dim = 2 : si32}> : (!h, !h) -> !x
  %s4 = ring.accumulate %q, %k2, %k2 into %s3 : !x, !x, !x -> !s
  return %s4 : !s
}

// -----

!x = tensor<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// Shifts that all start from the own shard could all start at once; two buffers
// are enough, so the third waits until the first has been read.

// CHECK-LABEL: func.func @from_own_shard(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[S0:[a-z0-9]+]]:
func.func @from_own_shard(%q: !x, %k: !x, %s0: !s) -> !s {
  // CHECK-NEXT: %[[B0:.+]] = ring.buffer
  // CHECK-NEXT: %[[B1:.+]] = ring.buffer
  // CHECK-NEXT: %[[T1:.+]] = ring.start_shift %[[K]] into %[[B0]] by 1
  // CHECK-NEXT: %[[T2:.+]] = ring.start_shift %[[K]] into %[[B1]] by 2
  // CHECK-NEXT: %[[K1:.+]] = ring.wait %[[T1]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[K1]], %[[K1]]
  // CHECK-NEXT: %[[T3:.+]] = ring.start_shift %[[K]] into %[[B0]] by 3
  // CHECK-NEXT: %[[K2:.+]] = ring.wait %[[T2]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[K2]], %[[K2]]
  // CHECK-NEXT: %[[K3:.+]] = ring.wait %[[T3]]
  // CHECK-NEXT: ring.accumulate %[[Q]], %[[K3]], %[[K3]]
  %k1 = ring.shift %k by 1 on <0 in 8> : !x
  %k2 = ring.shift %k by 2 on <0 in 8> : !x
  %k3 = ring.shift %k by 3 on <0 in 8> : !x
  %s1 = ring.accumulate %q, %k1, %k1 into %s0 : !x, !x, !x -> !s
  %s2 = ring.accumulate %q, %k2, %k2 into %s1 : !x, !x, !x -> !s
  %s3 = ring.accumulate %q, %k3, %k3 into %s2 : !x, !x, !x -> !s
  return %s3 : !s
}

// -----

!x = tensor<1x2x64x16xbf16>

// All that must be there at the same time has a buffer of its own.

// CHECK-LABEL: func.func @together(
func.func @together(%k: !x) -> (!x, !x, !x) {
  // CHECK-COUNT-3: ring.buffer :
  // CHECK-COUNT-3: ring.start_shift
  // CHECK-COUNT-3: ring.wait
  // CHECK-NEXT: return
  %k1 = ring.shift %k by 1 on <0 in 8> : !x
  %k2 = ring.shift %k by 2 on <0 in 8> : !x
  %k3 = ring.shift %k by 3 on <0 in 8> : !x
  return %k1, %k2, %k3 : !x, !x, !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// Every other kind of transfer has its start, too, except ring.relayout. A
// transfer that nobody needs is gone.

// CHECK-LABEL: func.func @other_kinds(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]:
func.func @other_kinds(%q: !x, %k: !x) -> (tensor<1x2x128x16xbf16>, tensor<1x1x128x16xbf16>, tensor<1x2x72x16xbf16>, !x) {
  // CHECK-NOT: ring.shift
  // CHECK-DAG: ring.start_all_gather %[[K]] into %{{.+}} dim 2 on <0 in 2>
  // CHECK-DAG: ring.start_all_to_all %[[Q]] into %{{.+}} split 1 concat 2 on <0 in 2>
  // CHECK-DAG: ring.start_gather %[[K]] into %{{.+}} dim 2 parts [<source = -1, offset = 56, size = 8>, <source = 0, size = 64>] on <0 in 2>
  // CHECK-DAG: ring.relayout
  // CHECK-DAG: %[[ALL:.+]] = ring.wait %{{.+}} : tensor<1x2x128x16xbf16>
  // CHECK-DAG: %[[HEADS:.+]] = ring.wait %{{.+}} : tensor<1x1x128x16xbf16>
  // CHECK-DAG: %[[HALO:.+]] = ring.wait %{{.+}} : tensor<1x2x72x16xbf16>
  // CHECK: return %[[ALL]], %[[HEADS]], %[[HALO]]
  %dead = ring.shift %k by 1 on <0 in 2> : !x
  %dead2 = ring.shift %dead by 1 on <0 in 2> : !x
  %all = ring.all_gather %k dim 2 on <0 in 2> : !x -> tensor<1x2x128x16xbf16>
  %heads = ring.all_to_all %q split 1 concat 2 on <0 in 2> : !x -> tensor<1x1x128x16xbf16>
  %halo = ring.gather %k dim 2 parts [<source = -1, offset = 56, size = 8>, <source = 0, size = 64>] on <0 in 2>
      : !x -> tensor<1x2x72x16xbf16>
  %zigzag = ring.relayout %k dim 2 from <contiguous, 128 over 2> to <zigzag, 128 over 2> on <0 in 2> : !x
  return %all, %heads, %halo, %zigzag : tensor<1x2x128x16xbf16>, tensor<1x1x128x16xbf16>, tensor<1x2x72x16xbf16>, !x
}

// -----

!o = tensor<1x2x64x16xf32>
!l = tensor<1x2x64x1xf32>

// Decode: each round of the tree sends what the round before it merged.

// CHECK-LABEL: func.func @decode_tree(
// CHECK-SAME:      %[[O:[a-z0-9]+]]: {{[^,]+}}, %[[L:[a-z0-9]+]]:
func.func @decode_tree(%o: !o, %l: !l) -> !o {
  // CHECK: %[[T1:.+]] = ring.start_shift %[[O]], %[[L]] into %[[BO:.+]], %[[BL:.+]] by 1
  // CHECK-NEXT: %[[R1:.+]]:2 = ring.wait %[[T1]]
  // CHECK-NEXT: %[[O1:.+]], %[[L1:.+]] = ring.merge %[[O]], %[[L]] with %[[R1]]#0, %[[R1]]#1
  // CHECK-NEXT: %[[T2:.+]] = ring.start_shift %[[O1]], %[[L1]] into %[[BO]], %[[BL]] by 2
  // CHECK-NEXT: %[[R2:.+]]:2 = ring.wait %[[T2]]
  // CHECK-NEXT: ring.merge %[[O1]], %[[L1]] with %[[R2]]#0, %[[R2]]#1
  %p1 = ring.shift %o by 1 on <0 in 4> : !o
  %r1 = ring.shift %l by 1 on <0 in 4> : !l
  %m1, %n1 = ring.merge %o, %l with %p1, %r1 : !o, !l
  %p2 = ring.shift %m1 by 2 on <0 in 4> : !o
  %r2 = ring.shift %n1 by 2 on <0 in 4> : !l
  %m2, %n2 = ring.merge %m1, %n1 with %p2, %r2 : !o, !l
  return %m2 : !o
}
