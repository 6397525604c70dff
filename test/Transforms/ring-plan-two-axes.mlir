// SPDX-License-Identifier: Apache-2.0
// A sequence on two axes of the mesh: only the ring of rings and replicate know
// it; others say so.

// RUN: ring-opt %s --ring-plan 2>/dev/null | FileCheck %s
// RUN: ring-opt %s --ring-plan=strategy=replicate 2>/dev/null | FileCheck %s --check-prefix=REPLICATE
// RUN: not ring-opt %s --ring-plan=strategy=ring 2>&1 | FileCheck %s --check-prefix=RING
// RUN: not ring-opt %s --ring-plan="strategy=double_ring inner-ranks=2" 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not ring-opt %s --ring-attention-pipeline="target=ttir strategy=double_ring" 2>&1 | FileCheck %s --check-prefix=TTIR

// CHECK: plan(<strategy = double_ring, axis = <1 in 2x4>, {{.*}}outer = 0>)
// REPLICATE: plan(<strategy = replicate, axis = <1 in 2x4>>)
// RING: cannot use strategy ring: expects the sequence on one mesh axis, but got two: only double_ring and replicate know them
// INNER: cannot be planned: expects no inner ranks where the sequence is on two mesh axes, but got 2
// TTIR: cannot be made the same on every device: expects the ranks of a pattern or of padding on one mesh axis, but got #ring.axis<1 in 2x4> and #ring.axis<0 in 2x4>

!t = tensor<1x8x2048x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @two_axes(%q: !t, %k: !t, %v: !t) -> !t {
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1, outer = 0>) : !t, !t, !t -> !t
    return %0 : !t
  }
}
