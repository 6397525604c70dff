// SPDX-License-Identifier: Apache-2.0
// The ring of a causal pattern over contiguous shards is an open chain: what has
// come h hops goes to ranks from h on, who see it, and to nobody before.

// RUN: ring-opt %s --ring-shard --verify-diagnostics -o /dev/null
// RUN: ring-opt %s --ring-shard --verify-roundtrip | FileCheck %s
// RUN: ring-opt %s --ring-shard --ring-overlap 2>/dev/null | FileCheck %s --check-prefix=STARTED
// RUN: ring-opt %s --ring-shard --ring-split-blocks --ring-place-on-devices --convert-ring-to-ttir 2>/dev/null | FileCheck %s --check-prefix=TTIR

!t = tensor<1x4x256x16xbf16>

// On a line there is then no way back either, and no remark.
// CHECK-LABEL: func.func @forward(
// CHECK: %[[ONE:.+]]:2 = ring.shift %{{.+}}, %{{.+}} by 1 on <0 in 4x1> reaching 1 :
// CHECK: %[[TWO:.+]]:2 = ring.shift %[[ONE]]#0, %[[ONE]]#1 by 1 on <0 in 4x1> reaching 2 :
// CHECK: ring.shift %[[TWO]]#0, %[[TWO]]#1 by 1 on <0 in 4x1> reaching 3 :
// STARTED-LABEL: func.func @forward(
// STARTED: ring.start_shift {{.+}} by 1 on <0 in 4x1> reaching 1 :
// STARTED: ring.start_shift {{.+}} by 1 on <0 in 4x1> reaching 2 :
// STARTED: ring.start_shift {{.+}} by 1 on <0 in 4x1> reaching 3 :
// A device's permutation has all ranks: the chain is closed from its end to its
// start, and whoever is not in it keeps what it has.
// TTIR-LABEL: func.func @forward(
// TTIR: "ttir.collective_permute"{{.+}}dense<{{\[\[}}0, 1], [1, 2], [2, 3], [3, 0]]>
// TTIR: "ttir.collective_permute"{{.+}}dense<{{\[\[}}0, 0], [1, 2], [2, 3], [3, 1]]>
// TTIR: "ttir.collective_permute"{{.+}}dense<{{\[\[}}0, 0], [1, 1], [2, 3], [3, 2]]>
func.func @forward(%q: !t) -> !t {
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4x1>, topology = linear>) : !t, !t, !t -> !t
  return %0 : !t
}

// Backward the first shards pass through ranks that do not see them.
// CHECK-LABEL: func.func @both(
// CHECK: ring.shift %{{.+}}, %{{.+}} by 1 on <0 in 4x1> reaching 1 :
// CHECK: ring.shift %{{.+}}, %{{.+}} by -1 on <0 in 4x1> :
// CHECK: ring.shift %{{.+}}, %{{.+}} by 1 on <0 in 4x1> reaching 2 :
// CHECK: ring.shift %{{.+}}, %{{.+}} by -1 on <0 in 4x1> :
func.func @both(%q: !t) -> !t {
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4x1>, directions = both>) : !t, !t, !t -> !t
  return %0 : !t
}

// Between groups that trade heads, too.
// CHECK-LABEL: func.func @groups(
// CHECK: ring.shift %{{.+}}, %{{.+}} by 1 on <0 in 4x1, size = 2, stride = 2> reaching 1 :
func.func @groups(%q: !t) -> !t {
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = usp, axis = <0 in 4x1>, head_ranks = 2>) : !t, !t, !t -> !t
  return %0 : !t
}

// A zigzag has keys for everybody on every hop, and so has who sees all.
// CHECK-LABEL: func.func @closed(
// CHECK-NOT: reaching
func.func @closed(%q: !t) -> (!t, !t) {
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4x1>, layout = zigzag>) : !t, !t, !t -> !t
  %1 = ring.attention %q, %q, %q plan(<strategy = ring, axis = <0 in 4x1>>) : !t, !t, !t -> !t
  return %0, %1 : !t, !t
}
