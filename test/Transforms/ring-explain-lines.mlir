// SPDX-License-Identifier: Apache-2.0
// Different attentions of one function are told apart by their lines. Chips that no
// machine has are called by their mesh, once.

// RUN: ring-opt %s --ring-explain -o /dev/null | FileCheck %s --match-full-lines
// RUN: ring-opt %s --ring-explain=device-memory=1KiB -o /dev/null | FileCheck %s --check-prefix=ALLOWED
// RUN: sed 's/4096x64/16777216x64/g' %s | not ring-opt --ring-plan=strategy=replicate -o /dev/null 2>&1 | FileCheck %s --check-prefix=HAVE

// ALLOWED: needs {{.*}} a device, 1.0 KiB are allowed
// HAVE: needs {{.*}} a device, 1x8 Wormhole chips have 11.2 GiB

!t = tensor<1x8x4096x64xbf16>
!long = tensor<1x8x8192x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  // CHECK:     @several, line [[#@LINE+7]]: ring.attention of 8 heads, 4096 x 4096, on 1x8 Wormhole chips:
  // CHECK-NOT: @several, line [[#@LINE+7]]: {{.*}}
  // CHECK:     @several, line [[#@LINE+7]]: ring.attention of 8 heads, 8192 x 8192, on 1x8 Wormhole chips:
  // CHECK:     @single: ring.attention of 8 heads, 4096 x 4096, #ring.causal, on 1x8 Wormhole chips:
  // CHECK-NOT: @single{{.*}}
  func.func @several(%q: !t, %l: !long) -> (!t, !long) {

    %0 = ring.attention %q, %q, %q parallel(<sequence = 1>) : !t, !t, !t -> !t
    %1 = ring.attention %0, %0, %0 parallel(<sequence = 1>) : !t, !t, !t -> !t
    %2 = ring.attention %l, %l, %l parallel(<sequence = 1>) : !long, !long, !long -> !long
    return %1, %2 : !t, !long
  }
  func.func @single(%q: !t) -> !t {
    %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 1>) : !t, !t, !t -> !t
    %1 = ring.attention %0, %0, %0 pattern(#ring.causal) parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %1 : !t
  }
}
