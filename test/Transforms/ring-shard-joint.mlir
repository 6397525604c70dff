// SPDX-License-Identifier: Apache-2.0
// Joint tokens that are dealt out: queries stay where they are, keys are gathered
// while the ring of the sequence runs and are the last that it adds.

// RUN: ring-opt %s --ring-shard --split-input-file | FileCheck %s

!t = tensor<1x4x256x16xbf16>
!j = tensor<1x4x40x16xbf16>
!lse = tensor<1x4x296x1xf32>

// 40 tokens on 4 ranks are padded to a tile each; ranks 2 and 3 have only padding.

// CHECK-LABEL: func.func @shares(
// CHECK-SAME: %[[J:[a-z0-9]+]]: tensor<1x4x40x16xbf16>
func.func @shares(%q: !t, %j: !j) -> (!t, !j, !lse) {
  // CHECK: %[[SQ:.+]] = ring.shard {{.+}} -> tensor<1x4x64x16xbf16>
  // CHECK: %[[JQ:.+]] = ring.shard %[[J]] as <[_, _, 0, _] in 4, sequence = 2 as <contiguous, 128 over 4>> : {{.+}} -> tensor<1x4x32x16xbf16>
  // CHECK: %[[JK:.+]] = ring.all_gather {{.+}} dim 2 on <0 in 4> : tensor<1x4x32x16xbf16> -> tensor<1x4x128x16xbf16>
  // CHECK: %[[JV:.+]] = ring.all_gather {{.+}} dim 2 on <0 in 4> : tensor<1x4x32x16xbf16> -> tensor<1x4x128x16xbf16>
  // CHECK: %[[ALL:.+]] = "ttir.concat"(%[[SQ]], %[[JQ]]) <{dim = 2 : si32}> : {{.+}} -> tensor<1x4x96x16xbf16>
  // CHECK: ring.partial %[[ALL]], {{.+}} block(
  // CHECK-COUNT-3: ring.shift
  // CHECK: %[[O:.+]], %[[L:.+]] = ring.partial %[[ALL]], %[[JK]], %[[JV]] length(40) :
  // CHECK: ring.merge {{.+}} with %[[O]], %[[L]]
  // CHECK-DAG: ring.unshard {{.+}} as <[_, _, 0, _] in 4, sequence = 2 as <contiguous, 128 over 4>> : tensor<1x4x32x16xbf16> -> tensor<1x4x40x16xbf16>
  // CHECK-DAG: ring.unshard {{.+}} as <[_, _, 0, _] in 4, sequence = 2 as <contiguous, 128 over 4>> : tensor<1x4x32x1xf32> -> tensor<1x4x40x1xf32>
  %0, %1, %2 = ring.attention %q, %q, %q joint(%j, %j, %j : !j, !j, !j) parallel(<sequence = 0, joint = sharded>)
      plan(<strategy = ring, axis = <0 in 4>>) : !t, !t, !t -> !t joint(!j) lse(!lse)
  return %0, %1, %2 : !t, !j, !lse
}

// -----

!t = tensor<1x4x256x16xbf16>
!local = tensor<1x4x64x16xbf16>
!j = tensor<1x4x32x16xbf16>
!share = tensor<1x4x8x16xbf16>

// In a device's own function shares come as they are and go as they came: the
// gathers and the partition are gone. A joint length is that of the whole.

// CHECK-LABEL: func.func @own_shares(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<1x4x64x16xbf16>, %[[J:[a-z0-9]+]]: tensor<1x4x8x16xbf16>
func.func @own_shares(%q: !local, %j: !share) -> (!local, !share) {
  // CHECK: %[[JK:.+]] = ring.all_gather %[[J]] dim 2
  // CHECK: "ttir.concat"(%[[Q]], %[[J]])
  // CHECK: ring.partial {{.+}}, %[[JK]], {{.+}} length(30) :
  // CHECK: %[[JO:.+]] = "ttir.slice_static"({{.+}}) {{.+}} -> tensor<1x4x8x16xbf16>
  // CHECK-NOT: ring.unshard
  // CHECK-NOT: mesh_partition
  // CHECK: return %{{.+}}, %[[JO]]
  %wq = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !t
  %wj = "ttir.all_gather"(%j) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!share) -> !j
  %0, %1 = ring.attention %wq, %wq, %wq joint(%wj, %wj, %wj : !j, !j, !j) joint_length(30)
      parallel(<sequence = 0, joint = sharded>) plan(<strategy = all_gather, axis = <0 in 4>>) per_device
      : !t, !t, !t -> !t joint(!j)
  %2 = "ttir.mesh_partition"(%0) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!t) -> !local
  %3 = "ttir.mesh_partition"(%1) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!j) -> !share
  return %2, %3 : !local, !share
}
