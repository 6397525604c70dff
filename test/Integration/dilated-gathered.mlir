// SPDX-License-Identifier: Apache-2.0
// A device's own function that gathers the sequence for a dilated attention: its
// composite is raised, and the gathers go. What it is checked against is the
// file itself, which runs the composite's decomposition.

// RUN: ring-opt %s --ring-outline-dilated --ring-shard --convert-ring-to-ttir -o %t.mlir
// RUN: FileCheck %s --check-prefix=SOURCE < %t.mlir
// SOURCE: "ttir.all_gather"
// SOURCE: "ttcore.composite"
// RUN: ring-run %t.mlir --ring-attention-pipeline=strategy=usp --bisect
// RUN: ring-run %t.mlir --ring-attention-pipeline=target=ttir --check
// RUN: ring-opt %t.mlir --ring-attention-pipeline=strategy=usp 2>/dev/null | FileCheck %s --implicit-check-not=all_gather
// CHECK-LABEL: func.func @attention(
// CHECK:         ring.start_shift {{.*}} on <1 in 2x4>
// CHECK:         return

!s = tensor<1x4x32x16xf32>
!t = tensor<1x4x128x16xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: !s, %k: !s, %v: !s) -> !s {
    %wq = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wk = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wv = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %0 = ring.attention %wq, %wk, %wv pattern(#ring.dilated<segments = [16, 128], rates = [1, 4], causal = true>) : !t, !t, !t -> !t
    %own = "ttir.mesh_partition"(%0) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!t) -> !s
    return %own : !s
  }
}
