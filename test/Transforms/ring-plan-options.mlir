// SPDX-License-Identifier: Apache-2.0
// Each option of ring-plan, and what it leaves to the attention.

// RUN: sed 's/{ttcore.meshes = [^}]*}/{}/' %s | ring-opt --ring-plan="mesh-shape=2x4" 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: ring-plan: {{(zigzag )?}}ring_joint, {{.*}} on t3000
// MESH: plan(<strategy = ring, axis = <1 in 2x4>, heads_axis = 0,{{( layout = zigzag,)?}} directions = both, form = fused, topology = linear, compute

// RUN: ring-opt %s --ring-plan="strategy=ring layout=striped directions=forward" 2>&1 | FileCheck %s --check-prefix=STRIPED
// STRIPED: ring-plan: striped ring, q
// STRIPED: plan(<strategy = ring, axis = <1 in 1x8>, layout = striped>)

// RUN: ring-opt %s --ring-plan="strategy=all_gather topology=linear num-links=2" 2>/dev/null | FileCheck %s --check-prefix=LINKS
// LINKS: plan(<strategy = all_gather, axis = <1 in 1x8>, layout = zigzag, topology = linear, num_links = 2>)

// Of contiguous shards the ring is an open chain, which has no way back along
// the line.
// RUN: ring-opt %s --ring-plan="strategy=ring topology=linear" 2>/dev/null | FileCheck %s --check-prefix=LINE
// LINE: plan(<strategy = ring, axis = <1 in 1x8>, topology = linear>)

// RUN: ring-opt %s --ring-plan="strategy=ring q-chunk=128 k-chunk=256" 2>/dev/null | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: compute = <q_chunk = 128, k_chunk = 256>

// RUN: ring-opt %s --ring-plan="strategy=ulysses" 2>/dev/null | FileCheck %s --check-prefix=ULYSSES
// ULYSSES: plan(<strategy = ulysses, axis = <1 in 1x8>>)

// Of 8 ranks, as many trade heads as pays; the rest is a ring.
// RUN: ring-opt %s --ring-plan="strategy=usp" 2>/dev/null | FileCheck %s --check-prefix=USP
// USP: plan(<strategy = usp, axis = <1 in 1x8>{{.*}}, head_ranks = {{2|4}}>)

// RUN: ring-opt %s --ring-plan="strategy=usp head-ranks=2 directions=both" 2>/dev/null | FileCheck %s --check-prefix=USP2
// USP2: plan(<strategy = usp, axis = <1 in 1x8>, directions = both, head_ranks = 2>)

// With the heads on 4 devices there is one key head on each.
// RUN: sed -e 's/sequence = 1/sequence = 1, heads = 0/' -e 's/1x8>]/4x8>]/' %s | ring-opt --ring-plan="strategy=usp mesh-shape=4x8" 2>/dev/null | FileCheck %s --check-prefix=USP1
// USP1: plan(<strategy = usp, axis = <1 in 4x8>, heads_axis = 0, {{.*}}head_ranks = {{[12]}}>)

// RUN: ring-opt %s --ring-plan="strategy=ring_joint" 2>&1 | FileCheck %s --check-prefix=JOINT
// JOINT: ring-plan: zigzag ring_joint, q
// JOINT: plan(<strategy = ring, axis = <1 in 1x8>, layout = zigzag, directions = both, form = fused, compute

// RUN: ring-opt %s --ring-plan="strategy=ring_distributed" 2>&1 | FileCheck %s --check-prefix=DISTRIBUTED
// DISTRIBUTED: plan(<strategy = all_gather, axis = <1 in 1x8>, layout = zigzag, form = fused, compute

// RUN: ring-opt %s --ring-plan="form=fused" 2>&1 | FileCheck %s --check-prefix=JOINT-FORM
// JOINT-FORM: plan(<strategy = ring, axis = <1 in 1x8>, layout = zigzag, directions = both, form = fused, compute

// RUN: ring-opt %s --ring-plan="strategy=replicate" 2>&1 | FileCheck %s --check-prefix=REPLICATE
// REPLICATE: ring-plan: replicate, q

// The settings of the kernel travel in the plan, whatever the form.
// RUN: ring-opt %s --ring-plan="strategy=ring exp-approx=true fidelity=hifi4 fp32-accumulation=true grid=6x7 ccl-offset=6x0" 2>/dev/null | FileCheck %s --check-prefix=SETTINGS
// SETTINGS: compute = <exp_approx = true, fidelity = hifi4, fp32_accumulation = true, grid = 6x7, ccl_offset = 6x0>

// What the options leave open of a fused op's settings is chosen.
// RUN: ring-opt %s --ring-plan="strategy=ring_joint grid=6x7 ccl-offset=6x0 k-chunk=128 num-links=1 topology=linear" 2>/dev/null | FileCheck %s --check-prefix=FUSED
// FUSED: form = fused, topology = linear, compute = <q_chunk = {{[0-9]+}}, k_chunk = 128, grid = 6x7, ccl_offset = 6x0>

// Another machine with the same mesh, by its name or by a file.
// RUN: ring-opt %s --ring-plan="machine=cpu-mesh" 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: ring-plan: {{.*}} predicted ({{.*}}), not covered by any published figure {{.*}} on cpu-mesh
// RUN: sed -e 's/1x8>]/2x4>]/' %s | ring-opt --ring-plan="machine=%S/../../machines/t3000.machine" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: ring-plan: {{.*}} on t3000

!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @causal(%q: !t, %k: !kv) -> !t {
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}
