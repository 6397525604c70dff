// SPDX-License-Identifier: Apache-2.0
// What an explicit plan costs depends on what its program is made of. A schedule
// hides the transfers of a ring behind its blocks; ops of TTIR follow each other,
// merges among them, so that trading heads, which merges nothing, is faster.

// RUN: ring-opt %s --ring-plan="machine=t3000 form=explicit" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-plan="machine=t3000 form=explicit target=ttir" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TTIR
// RUN: ring-opt %s --ring-plan="machine=t3000 form=explicit target=ttnn" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TTNN
// RUN: ring-opt %s --ring-plan="machine=t3000 target=ring" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-plan="machine=t3000 layout=zigzag strategy=ring_joint" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: not ring-opt %s --ring-plan="machine=t3000 target=metal" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not ring-opt %s --ring-plan="machine=t3000 target=ttir sdpa-fw-mask=twos" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MASK

!q = tensor<1x32x16384x128xbf16>
!k = tensor<1x8x16384x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @causal(%q: !q, %k: !k, %v: !k) -> !q {
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1, heads = 0>) : !q, !k, !k -> !q
    return %0 : !q
  }
}

// RING: ring-plan: zigzag ring, {{.*}}(all_gather {{.*}}, ulysses {{.*}}, usp {{.*}}) on t3000
// TTIR: ring-plan: ulysses, {{.*}}(usp {{.*}}, replicate {{.*}}, ring {{.*}}) on t3000{{$}}
// TTNN: ring-plan: ulysses, {{.*}}(usp {{.*}}, replicate {{.*}}, all_gather {{.*}}) on t3000{{$}}
// FUSED: ring-plan: zigzag ring_joint, {{.*}} on t3000
// WRONG: expects target to be auto, ring, ttir or ttnn, but got 'metal'
// MASK: expects sdpa-fw-mask to be ones or none, but got 'twos'
