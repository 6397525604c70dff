// SPDX-License-Identifier: Apache-2.0
// What ring-plan chooses where it is left to choose, and what its options do.

// RUN: ring-opt %s --ring-plan --split-input-file --verify-diagnostics | FileCheck %s

!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x2x4096x64xbf16>
!sink = tensor<1x8x1x1xbf16>
!mask = tensor<1x1x4096x4096xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  // CHECK-LABEL: func.func @plain(
  func.func @plain(%q: !t, %k: !kv) -> !t {
    // CHECK: plan(<strategy = ring, axis = <0 in 8x4>, heads_axis = 1, directions = both, form = fused, num_links = 4, compute = <q_chunk = {{[0-9]+}}, k_chunk = {{[0-9]+}}, grid = [[GRID:7x9|8x8]], ccl_offset = {{7x0|0x8}}>>)
    // expected-remark-re @below {{ring-plan: ring_joint, q{{[0-9]+}} k{{[0-9]+}}: {{[0-9.]+}} us predicted ({{[0-9]+}} % math utilisation; transfers hidden {{[0-9]+}} %), not covered by any published figure ({{.*}}ring {{[0-9.]+}} us{{.*}}) on wormhole-galaxy}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 0, heads = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @causal(
  func.func @causal(%q: !t, %k: !t) -> !t {
    // CHECK: plan(<strategy = ring, axis = <1 in 8x4>, heads_axis = 0, layout = zigzag>)
    // expected-remark-re @below {{ring-plan: zigzag ring, heads on axis 0, {{.*}} us predicted {{.*}}(ring_joint {{.*}}all_gather}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }

  // Eight devices would share two key heads, and each would take its own out of
  // them first.
  // CHECK-LABEL: func.func @causal_with_few_key_heads(
  func.func @causal_with_few_key_heads(%q: !t, %k: !kv) -> !t {
    // CHECK: plan(<strategy = ring, axis = <1 in 8x4>, layout = zigzag, directions = both, form = fused
    // expected-remark-re @below {{ring-plan: zigzag ring_joint, q{{.*}} us predicted}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // A sink changes nothing: it opens the sum on every device.
  // CHECK-LABEL: func.func @causal_with_a_sink(
  func.func @causal_with_a_sink(%q: !t, %k: !t, %s: !sink) -> !t {
    // CHECK: plan(<strategy = ring, axis = <1 in 8x4>, heads_axis = 0, layout = zigzag>)
    // expected-remark @below {{zigzag ring, heads on axis 0, }}
    %0 = ring.attention %q, %k, %k sink(%s : !sink) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @window(
  func.func @window(%q: !t, %k: !t) -> !t {
    // The ring's first transfer starts beside the device's own block, a halo before it.
    // CHECK: plan(<strategy = ring, axis = <0 in 8x4>, heads_axis = 1, directions = both>)
    // expected-remark-re @below {{ring-plan: ring, both directions, heads on axis 1, {{.*}}(halo }}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 127, after = 31>) parallel(<sequence = 0>) : !t, !t, !t -> !t
    return %0 : !t
  }

  // 3000 rows to either side are all eight shards of 512: a neighbour before
  // would be a neighbour after as well.
  // CHECK-LABEL: func.func @long_window(
  func.func @long_window(%q: !t, %k: !kv) -> !t {
    // CHECK: plan(<strategy = all_gather, axis = <0 in 8x4>, heads_axis = 1>)
    // expected-remark-re @below {{ring-plan: all_gather, heads on axis 1, {{.*}}ring }}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 3000, after = 3000>) parallel(<sequence = 0>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @masked(
  func.func @masked(%q: !t, %k: !kv, %m: !mask) -> !t {
    // CHECK: plan(<strategy = all_gather, axis = <0 in 8x4>, heads_axis = 1>)
    // expected-remark @below {{ring-plan: all_gather, heads on axis 1, }}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 0>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @joint(
  func.func @joint(%q: !t, %j: tensor<1x8x128x64xbf16>) -> (!t, tensor<1x8x128x64xbf16>) {
    // CHECK: plan(<strategy = ring, axis = <0 in 8x4>, heads_axis = 1, directions = both, form = fused
    // expected-remark @below {{ring-plan: ring_joint, heads on axis 1, }}
    %0, %1 = ring.attention %q, %q, %q joint(%j, %j, %j : tensor<1x8x128x64xbf16>, tensor<1x8x128x64xbf16>, tensor<1x8x128x64xbf16>) parallel(<sequence = 0>) : !t, !t, !t -> !t joint(tensor<1x8x128x64xbf16>)
    return %0, %1 : !t, tensor<1x8x128x64xbf16>
  }

  // A plan that is there stays, and nothing is said.
  // CHECK-LABEL: func.func @planned(
  func.func @planned(%q: !t, %k: !kv) -> !t {
    // CHECK: plan(<strategy = all_gather, axis = <0 in 2x2>, layout = striped>)
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) plan(<strategy = all_gather, axis = <0 in 2x2>, layout = striped>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

// -----

// How parts become one, by their size and the ranks: a few rows go round the ring, of
// many each rank merges its share, and between two there is one step.

!q = tensor<1x8x1x128xbf16>
!kv = tensor<1x1x131072x128xbf16>
!users = tensor<32x32x1x128xbf16>
!caches = tensor<32x8x8192x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x32>]>} {
  // CHECK-LABEL: func.func @one_user(
  func.func @one_user(%q: !q, %k: !kv) -> !q {
    // CHECK: plan(<strategy = split_kv, axis = <1 in 1x32>, merge = gather>)
    // expected-remark @below {{ring-plan: split_kv, merged from a gather, }}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q, !kv, !kv -> !q
    return %0 : !q
  }

  // CHECK-LABEL: func.func @many_users(
  func.func @many_users(%q: !users, %k: !caches) -> !users {
    // CHECK: plan(<strategy = split_kv, axis = <1 in 1x32>, merge = reduce>)
    // expected-remark @below {{ring-plan: split_kv, merged by a reduce, }}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !users, !caches, !caches -> !users
    return %0 : !users
  }
}

// -----

// Decoding: one query, or one tile of them, against a long cache.

!q1 = tensor<1x8x1x64xbf16>
!q32 = tensor<1x8x32x64xbf16>
!q33 = tensor<1x8x33x64xbf16>
!q4096 = tensor<1x8x4096x64xbf16>
!kv = tensor<1x2x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  // CHECK-LABEL: func.func @decode(
  func.func @decode(%q: !q1, %k: !kv, %m: tensor<1x1x1x4096xbf16>) -> !q1 {
    // CHECK: plan(<strategy = split_kv, axis = <1 in 1x2>, merge = tree>)
    // expected-remark-re @below {{ring-plan: split_kv, merged in a tree, {{.*}} on n300}}
    %0 = ring.attention %q, %k, %k mask(%m : tensor<1x1x1x4096xbf16>) parallel(<sequence = 1>) : !q1, !kv, !kv -> !q1
    return %0 : !q1
  }

  // CHECK-LABEL: func.func @one_tile(
  func.func @one_tile(%q: !q32, %k: !kv) -> !q32 {
    // CHECK: plan(<strategy = split_kv
    // expected-remark @below {{ring-plan: split_kv, merged in a tree, }}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q32, !kv, !kv -> !q32
    return %0 : !q32
  }

  // As many queries as keys are another matter.
  // CHECK-LABEL: func.func @prefill(
  func.func @prefill(%q: !q4096, %k: !kv) -> !q4096 {
    // CHECK: plan(<strategy = ring, axis = <1 in 1x2>, form = fused, topology = linear, num_links = 2, compute
    // expected-remark-re @below {{ring-plan: ring_joint, {{.*}}all_gather}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q4096, !kv, !kv -> !q4096
    return %0 : !q4096
  }

  // CHECK-LABEL: func.func @one_rank(
  func.func @one_rank(%q: !q33, %k: !kv) -> !q33 {
    // CHECK: plan(<strategy = replicate, axis = <0 in 1x2>>)
    // expected-remark @below {{ring-plan: replicate, }}
    // expected-warning @below {{ring-plan: nothing is distributed, since the sequence's axis has one device: #ring.axis<0 in 1x2>}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 0>) : !q33, !kv, !kv -> !q33
    // Once is enough.
    // expected-remark @below {{ring-plan: replicate, }}
    %1 = ring.attention %0, %k, %k parallel(<sequence = 0>) : !q33, !kv, !kv -> !q33
    return %1 : !q33
  }
}

// -----

// The pages of a cache are on every device, so each computes its own queries over
// all of them. The device op puts no pages together by ops of their own, but each
// of its cores reads all keys by itself.

!q = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @paged(
  func.func @paged(%q: !q, %k: !cache, %pages: tensor<1x32xi32>) -> !q {
    %start = "ttir.full"() <{fill_value = 1024 : i32, shape = array<i32: 1>}> : () -> tensor<1xi32>
    // CHECK: plan(<strategy = all_gather, axis = <1 in 1x4>, layout = zigzag>)
    // expected-remark-re @below {{ring-plan: zigzag all_gather, {{.*}}ring_distributed {{.*}} on 1x4 Wormhole chips}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !q, !cache, !cache -> !q
    return %0 : !q
  }

  // It takes the start of a chunk as a parameter; without a constant, pages are
  // put together by ops.
  // CHECK-LABEL: func.func @paged_from_anywhere(
  func.func @paged_from_anywhere(%q: !q, %k: !cache, %pages: tensor<1x32xi32>, %start: tensor<1xi32>) -> !q {
    // CHECK: plan(<strategy = {{ring|all_gather}}, axis = <1 in 1x4>{{(, layout = zigzag)?(, directions = both)?}}>)
    // expected-remark @below {{ring-plan: }}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !q, !cache, !cache -> !q
    return %0 : !q
  }
}

// -----

// A device's own function has its heads already: they are not split again. The
// shards are contiguous there, so dealing them anew has to be worth it.

!t = tensor<1x2x32768x64xbf16>
!own = tensor<1x2x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  // CHECK-LABEL: func.func @replicated(
  func.func @replicated(%q: !t) -> !own {
    // CHECK: plan(<strategy = ring, axis = <0 in 8x4>, directions = both, form = fused, {{.*}}>) per_device
    // expected-remark @below {{ring-plan: ring_joint, }}
    %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) per_device : !t, !t, !t -> !t
    %1 = "ttir.mesh_partition"(%0) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!t) -> !own
    return %1 : !own
  }

  // Where the whole result is wanted, all of it would have to be put in order again.
  // CHECK-LABEL: func.func @keeps_the_whole(
  func.func @keeps_the_whole(%q: !t) -> !t {
    // CHECK: plan(<strategy = ring, axis = <0 in 8x4>, directions = both, form = fused, {{.*}}>) per_device
    // expected-remark @below {{ring-plan: ring_joint, }}
    %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) per_device : !t, !t, !t -> !t
    return %0 : !t
  }
}

// -----

!t = tensor<1x8x4096x64xbf16>

// Packed rows are few, so one gather beats a ring of them. An order of the keys is
// not carried out, and that is said.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  // CHECK-LABEL: func.func @dilated(
  // CHECK:         plan(<strategy = all_gather, axis = <1 in 1x8>>)
  func.func @dilated(%q: !t) -> !t {
    // expected-remark @below {{ring-plan: all_gather, }}
    // expected-remark @below {{ring-plan: keys are visited in hilbert order: no result depends on it, but every device copies its keys and values}}
    %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [512, 4096], rates = [1, 4], order = hilbert>) parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }
}
