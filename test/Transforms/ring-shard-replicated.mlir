// SPDX-License-Identifier: Apache-2.0
// In a device's own function the shard is what the gather was made from, and who
// takes the device's piece of the result gets it as it is.

// RUN: ring-opt %s --ring-shard --split-input-file --canonicalize | FileCheck %s

!local = tensor<1x2x64x16xbf16>
!whole = tensor<1x2x256x16xbf16>

// CHECK-LABEL: func.func @contiguous(
// CHECK-SAME: %[[Q:.+]]: tensor<1x2x64x16xbf16>, %[[K:.+]]: tensor<1x2x64x16xbf16>)
func.func @contiguous(%q: !local, %k: !local) -> !local {
  // CHECK-NOT: gather
  // CHECK-NOT: ring.shard
  // CHECK: ring.partial %[[Q]], %[[K]], %[[K]] block(<keys = <contiguous, 256 over 4>, axis = <0 in 4>>)
  // CHECK: ring.shift %[[K]], %[[K]] by 1
  // CHECK-NOT: ring.unshard
  // CHECK-NOT: mesh_partition
  // CHECK: %[[CAST:.+]] = "ttir.typecast"
  // CHECK-NEXT: return %[[CAST]]
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %2 = ring.attention %0, %1, %1 plan(<strategy = ring, axis = <0 in 4>>) per_device : !whole, !whole, !whole -> !whole
  %3 = "ttir.mesh_partition"(%2) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  return %3 : !local
}

// Contiguous shards come, zigzag is worked on: dealt again on the way in and out.

// CHECK-LABEL: func.func @zigzag(
// CHECK-SAME: %[[Q:.+]]: tensor<1x2x64x16xbf16>)
func.func @zigzag(%q: !local) -> !local {
  // CHECK: %[[Z:.+]] = ring.relayout %[[Q]] {{.*}}from <contiguous, 256 over 4> to <zigzag, 256 over 4>
  // CHECK: ring.partial %[[Z]],
  // CHECK: %[[BACK:.+]] = ring.relayout %{{.+}} {{.*}}from <zigzag, 256 over 4> to <contiguous, 256 over 4>
  // CHECK-NEXT: return %[[BACK]]
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %1 = ring.attention %0, %0, %0 pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4>, layout = zigzag>) per_device : !whole, !whole, !whole -> !whole
  %2 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  return %2 : !local
}

// Two users take their piece, one wants the whole: one relayout, one unshard.

// CHECK-LABEL: func.func @many_users(
func.func @many_users(%q: !local) -> (!local, !local, !whole) {
  // CHECK: %[[OUT:.+]] = "ttir.typecast"
  // CHECK: %[[OWN:.+]] = ring.relayout %[[OUT]]
  // CHECK-NOT: ring.relayout
  // CHECK: %[[WHOLE:.+]] = ring.unshard %[[OUT]] as <[_, _, 0, _] in 4, sequence = 2 as <zigzag, 256 over 4>> replicated
  // CHECK: return %[[OWN]], %[[OWN]], %[[WHOLE]]
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %1 = ring.attention %0, %0, %0 pattern(#ring.causal) plan(<strategy = all_gather, axis = <0 in 4>, layout = zigzag>) per_device : !whole, !whole, !whole -> !whole
  %2 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  %3 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  return %2, %3, %1 : !local, !local, !whole
}

// Pieces along another axis or another dimension are made from the whole.

// CHECK-LABEL: func.func @other_pieces(
func.func @other_pieces(%q: !local) -> (tensor<1x1x256x16xbf16>, tensor<1x2x128x16xbf16>) {
  // CHECK: %[[WHOLE:.+]] = ring.unshard
  // CHECK: "ttir.mesh_partition"(%[[WHOLE]]) <{cluster_axis = 0 : ui32, dim = 1 : si32}>
  // CHECK: "ttir.mesh_partition"(%[[WHOLE]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}>
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %1 = ring.attention %0, %0, %0 plan(<strategy = ring, axis = <0 in 4x2>>) per_device : !whole, !whole, !whole -> !whole
  %2 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 1 : si32}> : (!whole) -> tensor<1x1x256x16xbf16>
  %3 = "ttir.mesh_partition"(%1) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!whole) -> tensor<1x2x128x16xbf16>
  return %2, %3 : tensor<1x1x256x16xbf16>, tensor<1x2x128x16xbf16>
}

// What no gather made, every device has whole and takes its rows of. What every
// device has and nothing splits is there already: the sink.

// CHECK-LABEL: func.func @no_gather(
// CHECK-SAME: %[[Q:.+]]: tensor<1x2x256x16xbf16>, %[[S:.+]]: tensor<1x2x1x1xbf16>)
func.func @no_gather(%q: !whole, %s: tensor<1x2x1x1xbf16>) -> !whole {
  // CHECK: ring.shard %[[Q]] as <[_, _, 0, _] in 4, sequence = 2 as <contiguous, 256 over 4>> replicated
  // CHECK: ring.empty sink(%[[S]]
  // CHECK: ring.unshard {{.+}} replicated
  %0 = ring.attention %q, %q, %q sink(%s : tensor<1x2x1x1xbf16>) plan(<strategy = ring, axis = <0 in 4>>) per_device : !whole, !whole, !whole -> !whole
  return %0 : !whole
}

// -----

!local = tensor<1x2x25x16xbf16>
!whole = tensor<1x2x100x16xbf16>

// Shards that are there already are not padded where they divide: 25 rows a
// rank stay 25. A zigzag of 100 does not divide by 8 and pads to whole tiles.

// CHECK-LABEL: func.func @odd_shards(
// CHECK-SAME: %[[Q:.+]]: tensor<1x2x25x16xbf16>)
func.func @odd_shards(%q: !local) -> (!local, !local) {
  // CHECK: ring.partial %[[Q]], %[[Q]], %[[Q]] block(<keys = <contiguous, 100 over 4>
  // CHECK: ring.shard %{{.+}} as <[_, _, 0, _] in 4, sequence = 2 as <zigzag, 256 over 4>> replicated : {{.+}} -> tensor<1x2x64x16xbf16>
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
  %1 = ring.attention %0, %0, %0 plan(<strategy = ring, axis = <0 in 4>>) per_device : !whole, !whole, !whole -> !whole
  %2 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  %3 = ring.attention %0, %0, %0 pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4>, layout = zigzag>) per_device : !whole, !whole, !whole -> !whole
  %4 = "ttir.mesh_partition"(%3) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!whole) -> !local
  return %2, %4 : !local, !local
}
