// SPDX-License-Identifier: Apache-2.0
// Attentions that hand tokens to each other are planned together: what has to be
// exchanged between them counts.

// RUN: ring-opt %s --ring-plan="machine=t3000 form=explicit" --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<1x4x16384x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  // A full attention by itself leaves tokens in order; behind a causal one, dealt
  // as a zigzag, it takes them as they come.
  // CHECK-LABEL: func.func @causal_then_full(
  func.func @causal_then_full(%x: !x) -> !x {
    // CHECK: ring.attention {{.*}} pattern(#ring.causal) {{.*}}layout = zigzag
    // expected-remark-re @below {{ring-plan: zigzag ring, {{.*}} on t3000}}
    %0 = ring.attention %x, %x, %x pattern(#ring.causal) parallel(<sequence = 1>) : !x, !x, !x -> !x
    %1 = "ttir.add"(%x, %0) : (!x, !x) -> !x
    %2 = "ttir.neg"(%1) : (!x) -> !x
    // CHECK: ring.attention {{.*}}layout = zigzag
    // expected-remark-re @+2 {{ring-plan: zigzag ring, both directions, q{{[0-9]+}} k{{[0-9]+}} for its neighbours' sake: {{[0-9.]+}} ms in place of {{[0-9.]+}} ms by ring, both directions, q{{[0-9]+}} k{{[0-9]+}}, but {{[0-9.]+}} ms in place of {{[0-9.]+}} ms for 2 attentions and what is exchanged around them}}
    // expected-remark-re @below {{ring-plan: zigzag ring, {{.*}} on t3000}}
    %3 = ring.attention %2, %2, %2 parallel(<sequence = 1>) : !x, !x, !x -> !x
    %4 = "ttir.add"(%1, %3) : (!x, !x) -> !x
    return %4 : !x
  }

  // In functions of their own neither has a neighbour.
  // CHECK-LABEL: func.func @full(
  func.func @full(%x: !x) -> !x {
    // CHECK: plan(<strategy = ring, axis = <1 in 1x8>, directions = both>)
    // expected-remark-re @below {{ring-plan: ring, both directions, {{.*}} on t3000}}
    %0 = ring.attention %x, %x, %x parallel(<sequence = 1>) : !x, !x, !x -> !x
    return %0 : !x
  }

  // Tokens that are mixed in between go over the whole tensor in any case.
  // CHECK-LABEL: func.func @apart(
  func.func @apart(%x: !x) -> !x {
    // expected-remark-re @below {{ring-plan: zigzag ring, {{.*}} on t3000}}
    %0 = ring.attention %x, %x, %x pattern(#ring.causal) parallel(<sequence = 1>) : !x, !x, !x -> !x
    %1 = "ttir.cumsum"(%0) <{dim = 2 : i64}> : (!x) -> !x
    // CHECK: ring.attention {{.*}}plan(<strategy = ring, axis = <1 in 1x8>, directions = both>)
    // expected-remark-re @below {{ring-plan: ring, both directions, {{.*}} on t3000}}
    %2 = ring.attention %1, %1, %1 parallel(<sequence = 1>) : !x, !x, !x -> !x
    return %2 : !x
  }
}
