// SPDX-License-Identifier: Apache-2.0
// Packed documents: blocks list the places of their rows, which are as far apart
// as the longest document is long, and one window tells documents apart.

// RUN: ring-opt %s --ring-plan="strategy=ring directions=forward" --ring-shard | FileCheck %s --check-prefixes=CHECK,RING
// RUN: ring-opt %s --ring-plan="strategy=halo" --ring-shard | FileCheck %s --check-prefixes=CHECK,HALO
// RUN: ring-opt %s --ring-plan="strategy=halo layout=balanced" --ring-shard | FileCheck %s --check-prefixes=CHECK,EVEN

!t = tensor<1x1x128x8xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // Documents of 48 and 80 rows, shards of 32: rows of the second document have
  // moved by 80. One hop reaches all that is seen but on the last rank, whose
  // queries see two ranks before theirs; a second one does.
  // CHECK-LABEL: func.func @documents(
  // RING:         ring.partial {{.*}} pattern(#ring.window<before = 79, after = 0>) block(<query_places = <counts = [1, 2, 1, 1], ranges = [0, 32, 1, 32, 16, 1, 128, 16, 1, 144, 32, 1, 176, 32, 1]>, key_places = <counts = [1, 2, 1, 1], ranges = [0, 32, 1, 32, 16, 1, 128, 16, 1, 144, 32, 1, 176, 32, 1]>, axis = <1 in 1x4>>)
  // RING-COUNT-2: ring.shift
  // RING-NOT:     ring.shift
  // HALO-NOT:     ring.shift
  // HALO-NOT:     ring.route {{.*}} tensor<1x1x32x8xf32> -> tensor<1x1x32x8xf32>
  // HALO-COUNT-2: ring.route %{{.+}} dim 2 legs
  // HALO:         ring.partial {{.*}} pattern(#ring.window<before = 79, after = 0>)
  // EVEN:         %[[Q:.+]] = ring.shard
  // EVEN:         %[[DEALT:.+]] = ring.route %[[Q]] dim 2 legs
  // EVEN:         ring.partial %[[DEALT]]
  // EVEN:         %[[BACK:.+]] = ring.route {{.*}} -> tensor<1x1x32x8xf32>
  // EVEN:         ring.unshard %[[BACK]]
  func.func @documents(%q: !t, %k: !t, %v: !t) -> !t {
    %0 = ring.attention %q, %k, %v pattern(#ring.documents<ends = [48, 128], causal = true>)
        parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }
}
