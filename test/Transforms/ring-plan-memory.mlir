// SPDX-License-Identifier: Apache-2.0
// A function has to fit a device as a whole: weights, arguments and what lives
// around its attentions.

// RUN: split-file %s %t
// RUN: ring-opt %t/layer.mlir --ring-plan="machine=t3000 form=explicit device-memory=64MiB" 2>&1 | FileCheck %s --check-prefix=FAST
// FAST: remark: ring-plan: ring, both directions,
// FAST: plan(<strategy = ring, axis = <1 in 1x8>, directions = both>)

// The ring takes 15 MiB by itself; with the tokens that are added afterwards and
// the weight, all takes 16.
// RUN: ring-opt %t/layer.mlir --ring-plan="machine=t3000 form=explicit device-memory=15.5MiB" 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: remark: ring-plan: usp of 4 x 2, {{.*}} to fit: with ring, both directions, {{.*}} all of @layer needs 16.0 MiB a device, 15.5 MiB are allowed
// SMALL: remark: ring-plan: usp of 4 x 2, {{.*}} on t3000
// SMALL: plan(<strategy = usp,

// RUN: not ring-opt %t/layer.mlir --ring-plan="machine=t3000 form=explicit strategy=ring directions=both device-memory=15.5MiB" 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: attention cannot be planned: all of @layer needs 16.0 MiB a device, 128.0 KiB of it weights and 15.0 MiB an attention by ring, 15.5 MiB are allowed; usp would fit; about 16 devices would do; bfp8_b would do

// RUN: not ring-opt %t/layer.mlir --ring-plan="device-memory=much" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: expects device-memory to be like 12GiB, but got 'much'

//--- layer.mlir

!x = tensor<1x4x8192x128xbf16>
!w = tensor<1x4x128x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @layer(%x: !x, %w: !w) -> !x {
    %q = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (!x, !w) -> !x
    %0 = ring.attention %q, %x, %x parallel(<sequence = 1>) : !x, !x, !x -> !x
    %1 = "ttir.add"(%x, %0) : (!x, !x) -> !x
    return %1 : !x
  }
}
