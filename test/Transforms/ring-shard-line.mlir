// SPDX-License-Identifier: Apache-2.0
// A ring on a line of devices: the last is no neighbour of the first, and what
// that costs is said.

// RUN: ring-opt %s --ring-shard --verify-diagnostics -o /dev/null
// RUN: ring-opt %s --ring-shard 2>/dev/null | FileCheck %s

!t = tensor<1x4x256x16xbf16>

// CHECK-LABEL: func.func @forward(
// CHECK-COUNT-7: ring.shift {{.+}} by 1 on <0 in 8>
func.func @forward(%q: !t) -> !t {
  // expected-remark @below {{ring-shard: on a line of 8 every shift of the ring takes 7 hops from the last rank to the first}}
  %0 = ring.attention %q, %q, %q plan(<strategy = ring, axis = <0 in 8>, topology = linear>) : !t, !t, !t -> !t
  return %0 : !t
}

// Groups of 2 that trade heads: the ring's neighbours are 2 hops apart.
func.func @groups(%q: !t) -> !t {
  // expected-remark @below {{on a line of 8 every shift of the ring takes 6 hops from the last rank to the first, and with both directions each link carries two shards each way}}
  %0 = ring.attention %q, %q, %q plan(<strategy = usp, axis = <0 in 8>, directions = both, topology = linear, head_ranks = 2>) : !t, !t, !t -> !t
  return %0 : !t
}

// Two ranks are neighbours either way, and who gathers has no ring.
func.func @no_ring(%q: !t) -> (!t, !t) {
  %0 = ring.attention %q, %q, %q plan(<strategy = ring, axis = <0 in 2>, topology = linear>) : !t, !t, !t -> !t
  %1 = ring.attention %q, %q, %q plan(<strategy = all_gather, axis = <0 in 2>, topology = linear>) : !t, !t, !t -> !t
  return %0, %1 : !t, !t
}
