// SPDX-License-Identifier: Apache-2.0
// Joint tokens of a model in TTIR: a composite that names what it means. What it
// stood for is gone with it.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-diagnostics | FileCheck %s

!t = tensor<1x4x64x16xbf16>
!j = tensor<1x4x8x16xbf16>

// CHECK-LABEL: func.func @annotated(
// CHECK: %[[O:.+]], %[[J:.+]] = ring.attention %arg0, %arg0, %arg0 joint(%arg1, %arg1, %arg1 : {{.+}}) scale(2.500000e-01) parallel(<sequence = 0, joint = sharded>) :
// CHECK: return %[[O]], %[[J]]
// CHECK-NOT: @meaning
func.func @annotated(%q: !t, %j: !j) -> (!t, !j) {
  %0:2 = "ttcore.composite"(%q, %q, %q, %j, %j, %j) <{composite_attributes = {joint_strategy = "rear", scale = 2.5e-01 : f32}, composite_name = "joint_scaled_dot_product_attention", decomposition = @meaning}> {ring.parallel = #ring.parallel<sequence = 0, joint = sharded>} : (!t, !t, !t, !j, !j, !j) -> (!t, !j)
  return %0#0, %0#1 : !t, !j
}
func.func private @meaning(%q: !t, %k: !t, %v: !t, %jq: !j, %jk: !j, %jv: !j) -> (!t, !j) {
  return %q, %jq : !t, !j
}

// -----

!own = tensor<1x4x16x16xbf16>
!t = tensor<1x4x64x16xbf16>
!share = tensor<1x4x2x16xbf16>
!j = tensor<1x4x8x16xbf16>

// A device's function with its own queries, of the sequence and joint: keys are
// gathered, and the results are this device's rows.

// CHECK-LABEL: func.func @own_queries(
// CHECK: %[[JK:.+]] = "ttir.all_gather"(%arg1)
// CHECK: %[[Q:.+]] = "ttir.all_gather"(%arg0)
// CHECK: %[[JQ:.+]] = "ttir.all_gather"(%arg1)
// CHECK: %[[O:.+]], %[[J:.+]] = ring.attention %[[Q]], {{.+}} joint(%[[JQ]], %[[JK]], {{.+}} parallel(<sequence = 1, joint = sharded>) per_device
// CHECK: %[[OWN:.+]] = "ttir.mesh_partition"(%[[O]])
// CHECK: %[[SHARE:.+]] = "ttir.mesh_partition"(%[[J]]) {{.+}} -> tensor<1x4x2x16xbf16>
// CHECK: return %[[OWN]], %[[SHARE]]
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @own_queries(%q: !own, %j: !share) -> (!own, !share) {
    %k = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !t
    %jk = "ttir.all_gather"(%j) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!share) -> !j
    %0:2 = "ttcore.composite"(%q, %k, %k, %j, %jk, %jk) <{composite_name = "joint_scaled_dot_product_attention", decomposition = @meaning}> : (!own, !t, !t, !share, !j, !j) -> (!own, !share)
    return %0#0, %0#1 : !own, !share
  }
  func.func private @meaning(%q: !own, %k: !t, %v: !t, %jq: !share, %jk: !j, %jv: !j) -> (!own, !share) {
    return %q, %jq : !own, !share
  }
}
