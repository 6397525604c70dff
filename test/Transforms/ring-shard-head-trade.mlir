// SPDX-License-Identifier: Apache-2.0
// What goes with traded heads: zigzag layouts, masks, sinks and joint tokens.

// RUN: ring-opt %s --ring-shard --split-input-file | FileCheck %s

!t = tensor<1x4x256x16xbf16>

// 4 ranks, 2 of them trade: rank 0 has chunks 0 and 7 of 8, rank 1 chunks 1 and 6.
// Behind the trade they stand 0 7 1 6; in order, 0 1 6 7, they are chunks 0 and 3
// of 4: a zigzag over the 2 groups.

// CHECK-LABEL: func.func @zigzag(
func.func @zigzag(%q: !t) -> !t {
  // CHECK: ring.shard {{.+}} as <zigzag, 256 over 4>
  // CHECK: %[[HQ:.+]] = ring.all_to_all {{.+}} split 1 concat 2 on <0 in 4, size = 2> : {{.+}} -> tensor<1x2x128x16xbf16>
  // CHECK: %[[C0:.+]] = "ttir.slice_static"(%[[HQ]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
  // CHECK: %[[C1:.+]] = "ttir.slice_static"(%[[HQ]]) <{begins = [0 : i32, 0 : i32, 64 : i32, 0 : i32]
  // CHECK: %[[C6:.+]] = "ttir.slice_static"(%[[HQ]]) <{begins = [0 : i32, 0 : i32, 96 : i32, 0 : i32]
  // CHECK: %[[C7:.+]] = "ttir.slice_static"(%[[HQ]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
  // CHECK: %[[Q:.+]] = "ttir.concat"(%[[C0]], %[[C1]], %[[C6]], %[[C7]])
  // CHECK: ring.partial %[[Q]], {{.+}} block(<queries = <zigzag, 256 over 2>, keys = <zigzag, 256 over 2>, axis = <0 in 4, size = 2, stride = 2>>)
  // CHECK: ring.partial %[[Q]], {{.+}} source = -1,
  // CHECK: ring.all_to_all {{.+}} split 2 concat 1 on <0 in 4, size = 2>
  // CHECK: ring.unshard {{.+}} as <zigzag, 256 over 4>
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = usp, axis = <0 in 4>, layout = zigzag, head_ranks = 2>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>
!sink = tensor<1x4x1x1xbf16>
!mask = tensor<1x1x128x128xbf16>
!headmask = tensor<1x4x128x128xbf16>

// Each rank takes its own heads of the sink. The rows of a mask for all heads are
// gathered, those of a mask by heads traded as their queries are.

// CHECK-LABEL: func.func @sink_and_mask(
func.func @sink_and_mask(%q: !t, %s: !sink, %m: !mask) -> !t {
  // CHECK: %[[M:.+]] = ring.all_gather {{.+}} dim 2 on <0 in 2> : tensor<1x1x64x128xbf16> -> tensor<1x1x128x128xbf16>
  // CHECK: %[[OTHER:.+]] = "ttir.slice_static"({{.+}}) {{.+}} -> tensor<1x2x1x1xbf16>
  // CHECK: %[[S:.+]] = ring.select %{{.+}}, %[[OTHER]] where [false, true] on <0 in 2>
  // CHECK: ring.empty sink(%[[S]]
  // CHECK: ring.partial {{.+}} mask(%[[M]] :
  %0 = ring.attention %q, %q, %q mask(%m : !mask) sink(%s : !sink) plan(<strategy = ulysses, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @mask_by_heads(
func.func @mask_by_heads(%q: !t, %m: !headmask) -> !t {
  // CHECK: ring.all_to_all {{.+}} split 1 concat 2 on <0 in 2> : tensor<1x4x64x128xbf16> -> tensor<1x2x128x128xbf16>
  %0 = ring.attention %q, %q, %q mask(%m : !headmask) plan(<strategy = ulysses, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x128x16xbf16>
!j = tensor<1x4x8x16xbf16>

// All ranks have the joint tokens; each computes its own heads of them, and the
// heads are gathered at the end.

// CHECK-LABEL: func.func @joint(
func.func @joint(%q: !t, %j: !j) -> (!t, !j) {
  // CHECK: %[[HQ:.+]] = ring.all_to_all
  // CHECK: %[[JQ:.+]] = ring.select {{.+}} where [false, true] on <0 in 2> : tensor<1x2x8x16xbf16>
  // CHECK: "ttir.concat"(%[[HQ]], %[[JQ]]) {{.+}} -> tensor<1x2x136x16xbf16>
  // CHECK: ring.partial {{.+}} : tensor<1x2x136x16xbf16>, tensor<1x2x8x16xbf16>
  // CHECK: ring.partial {{.+}} : tensor<1x2x136x16xbf16>, tensor<1x2x128x16xbf16>
  // CHECK: ring.all_to_all {{.+}} split 2 concat 1
  // CHECK: ring.all_gather {{.+}} dim 1 on <0 in 2> : tensor<1x2x8x16xbf16> -> tensor<1x4x8x16xbf16>
  %0, %1 = ring.attention %q, %q, %q joint(%j, %j, %j : !j, !j, !j) plan(<strategy = ulysses, axis = <0 in 2>>) : !t, !t, !t -> !t joint(!j)
  return %0, %1 : !t, !j
}
