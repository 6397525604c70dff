// SPDX-License-Identifier: Apache-2.0
// The ring of rings: what goes to the next inner ring is sent before the round,
// and every block says how far its keys have come on either axis.

// RUN: ring-opt %s --ring-shard --verify-roundtrip --split-input-file | FileCheck %s
// RUN: ring-opt %s --ring-shard --ring-merge-lse --ring-overlap --ring-verify-schedule --split-input-file 2>/dev/null | FileCheck %s --check-prefix=OVERLAP

!t = tensor<1x2x256x16xbf16>

// 2 rings of 2 on two axes of the mesh. Shards go over the outer axis first.

// CHECK-LABEL: func.func @two_axes(
// CHECK: %[[Q:.+]] = ring.shard %{{.+}} as <[_, _, 1, _] in 2x2, sequence = 2 as <zigzag, 256 over 4>, outer = 0> : {{.+}} -> tensor<1x2x64x16xbf16>
// CHECK: %[[K:.+]] = ring.shard
// CHECK: %[[V:.+]] = ring.shard
// CHECK: %[[NEXT:.+]]:2 = ring.shift %[[K]], %[[V]] by 1 on <0 in 2x2>
// CHECK: ring.partial %[[Q]], %[[K]], %[[V]] pattern(#ring.causal) block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, axis = <1 in 2x2>, outer = <0 in 2x2>>)
// CHECK: %[[IN0:.+]]:2 = ring.shift %[[K]], %[[V]] by 1 on <1 in 2x2>
// CHECK: ring.partial %[[Q]], %[[IN0]]#0, %[[IN0]]#1 pattern(#ring.causal) block({{.+}} source = -1, axis = <1 in 2x2>, outer = <0 in 2x2>>)
// CHECK: ring.partial %[[Q]], %[[NEXT]]#0, %[[NEXT]]#1 pattern(#ring.causal) block({{.+}}>, axis = <1 in 2x2>, outer_source = -1, outer = <0 in 2x2>>)
// CHECK: %[[IN1:.+]]:2 = ring.shift %[[NEXT]]#0, %[[NEXT]]#1 by 1 on <1 in 2x2>
// CHECK: ring.partial %[[Q]], %[[IN1]]#0, %[[IN1]]#1 pattern(#ring.causal) block({{.+}} source = -1, axis = <1 in 2x2>, outer_source = -1, outer = <0 in 2x2>>)
// CHECK-NOT: ring.shift
// CHECK: ring.unshard %{{.+}} as <[_, _, 1, _] in 2x2, sequence = 2 as <zigzag, 256 over 4>, outer = 0>

// The slow transfer has a whole round to arrive.

// OVERLAP-LABEL: func.func @two_axes(
// OVERLAP: %[[SLOW:.+]] = ring.start_shift {{.+}} on <0 in 2x2>
// OVERLAP: %[[FAST:.+]] = ring.start_shift {{.+}} on <1 in 2x2>
// OVERLAP: ring.accumulate {{.+}} axis = <1 in 2x2>, outer = <0 in 2x2>>)
// OVERLAP: ring.wait %[[FAST]]
// OVERLAP: ring.accumulate {{.+}} source = -1, axis = <1 in 2x2>, outer = <0 in 2x2>>)
// OVERLAP: ring.wait %[[SLOW]]
// OVERLAP: ring.start_shift {{.+}} on <1 in 2x2>
// OVERLAP: ring.accumulate {{.+}} axis = <1 in 2x2>, outer_source = -1, outer = <0 in 2x2>>)
func.func @two_axes(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = double_ring, axis = <1 in 2x2>, layout = zigzag, outer = 0>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x2x256x16xbf16>

// 3 rings of 2 side by side on one axis: both directions reach the outer
// neighbours from either side. Sharding knows nothing of it.

// CHECK-LABEL: func.func @one_axis(
// CHECK: %[[K:.+]] = ring.shard %{{.+}} as <[_, _, 1, _] in 1x6, sequence = 2 as <contiguous, 384 over 6>>
// CHECK: ring.shift {{.+}} by 1 on <1 in 1x6, size = 3, stride = 2>
// CHECK: ring.shift {{.+}} by -1 on <1 in 1x6, size = 3, stride = 2>
// CHECK: ring.partial {{.+}} block(<keys = <contiguous, 384 over 6>, axis = <1 in 1x6, size = 2>, outer = <1 in 1x6, size = 3, stride = 2>>)
// CHECK: ring.shift {{.+}} by 1 on <1 in 1x6, size = 2>
// CHECK: ring.partial {{.+}} source = -1, axis = <1 in 1x6, size = 2>, outer = <
// CHECK: ring.partial {{.+}} axis = <1 in 1x6, size = 2>, outer_source = -1,
// CHECK: ring.partial {{.+}} source = -1, axis = <1 in 1x6, size = 2>, outer_source = -1,
// CHECK: ring.partial {{.+}} axis = <1 in 1x6, size = 2>, outer_source = 1,
// CHECK: ring.partial {{.+}} source = -1, axis = <1 in 1x6, size = 2>, outer_source = 1,
// CHECK-NOT: ring.partial
func.func @one_axis(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v plan(<strategy = double_ring, axis = <1 in 1x6>, directions = both, inner_ranks = 2>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x2x256x16xbf16>

// One ring alone, of either kind.

// CHECK-LABEL: func.func @degenerate(
// CHECK-COUNT-3: ring.shift {{.+}} on <0 in 4x1>
// CHECK-NOT: ring.shift {{.+}} on <1 in 4x1>
// CHECK-COUNT-3: ring.shift {{.+}} on <0 in 4x1, size = 4>
// CHECK-NOT: ring.shift
func.func @degenerate(%q: !t, %k: !t, %v: !t) -> (!t, !t) {
  %0 = ring.attention %q, %k, %v plan(<strategy = double_ring, axis = <1 in 4x1>, outer = 0>) : !t, !t, !t -> !t
  %1 = ring.attention %q, %k, %v plan(<strategy = double_ring, axis = <0 in 4x1>, inner_ranks = 4>) : !t, !t, !t -> !t
  return %0, %1 : !t, !t
}
