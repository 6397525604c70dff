// SPDX-License-Identifier: Apache-2.0
// Each option of ring-plan, and what it leaves to the attention.

// RUN: sed 's/{ttcore.meshes = [^}]*}/{}/' %s | ring-opt --ring-plan="mesh-shape=2x4" 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: ring, zigzag, both, explicit over 4 ranks: zigzag balances a causal triangle
// MESH: plan(<strategy = ring, axis = <1 in 2x4>, layout = zigzag, directions = both>)

// RUN: ring-opt %s --ring-plan="strategy=ring layout=striped directions=forward" 2>&1 | FileCheck %s --check-prefix=STRIPED
// STRIPED: ring, striped, forward, explicit over 8 ranks: asked for
// STRIPED: plan(<strategy = ring, axis = <1 in 1x8>, layout = striped>)

// RUN: ring-opt %s --ring-plan="strategy=all_gather topology=linear num-links=2" 2>/dev/null | FileCheck %s --check-prefix=LINKS
// RUN: ring-opt %s --ring-plan="strategy=ring topology=linear" 2>/dev/null | FileCheck %s --check-prefix=LINE
// LINE: plan(<strategy = ring, axis = <1 in 1x8>, layout = zigzag, topology = linear>)
// LINKS: plan(<strategy = all_gather, axis = <1 in 1x8>, layout = zigzag, topology = linear, num_links = 2>)

// RUN: ring-opt %s --ring-plan="strategy=ring q-chunk=128 k-chunk=256" 2>/dev/null | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: compute = <q_chunk = 128, k_chunk = 256>

// RUN: ring-opt %s --ring-plan="strategy=ulysses" 2>/dev/null | FileCheck %s --check-prefix=ULYSSES
// ULYSSES: plan(<strategy = ulysses, axis = <1 in 1x8>>)

// Of 8 ranks, as many trade heads as there are key heads; the rest is a ring.
// RUN: ring-opt %s --ring-plan="strategy=usp" 2>/dev/null | FileCheck %s --check-prefix=USP
// USP: plan(<strategy = usp, axis = <1 in 1x8>, layout = zigzag, ulysses = 4>)

// RUN: ring-opt %s --ring-plan="strategy=usp ulysses=2 directions=both" 2>/dev/null | FileCheck %s --check-prefix=USP2
// USP2: plan(<strategy = usp, axis = <1 in 1x8>, layout = zigzag, directions = both, ulysses = 2>)

// With the heads on 4 devices there is one key head on each: none to trade.
// RUN: sed -e 's/sequence = 1/sequence = 1, heads = 0/' -e 's/1x8>]/4x8>]/' %s | ring-opt --ring-plan="strategy=usp mesh-shape=4x8" 2>/dev/null | FileCheck %s --check-prefix=USP1
// USP1: plan(<strategy = usp, axis = <1 in 4x8>, heads_axis = 0, layout = zigzag, ulysses = 1>)

// RUN: ring-opt %s --ring-plan="strategy=ring_joint" 2>&1 | FileCheck %s --check-prefix=JOINT
// JOINT: ring, zigzag, both, fused over 8 ranks: asked for
// JOINT: plan(<strategy = ring, axis = <1 in 1x8>, layout = zigzag, directions = both, form = fused>)

// RUN: ring-opt %s --ring-plan="strategy=ring_distributed" 2>&1 | FileCheck %s --check-prefix=DISTRIBUTED
// DISTRIBUTED: plan(<strategy = all_gather, axis = <1 in 1x8>, layout = zigzag, form = fused>)

// RUN: ring-opt %s --ring-plan="form=fused" 2>&1 | FileCheck %s --check-prefix=JOINT-FORM
// JOINT-FORM: plan(<strategy = ring, axis = <1 in 1x8>, layout = zigzag, directions = both, form = fused>)

// RUN: ring-opt %s --ring-plan="strategy=replicate" 2>&1 | FileCheck %s --check-prefix=REPLICATE
// REPLICATE: replicate, contiguous, forward, explicit over 8 ranks: asked for

!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @causal(%q: !t, %k: !kv) -> !t {
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}
