// SPDX-License-Identifier: Apache-2.0
// What each strategy makes of a planned attention: the shards, the transfers,
// the blocks and the way back. That the sums are right is for the executed tests.

// RUN: ring-opt %s --ring-shard --split-input-file --verify-roundtrip | FileCheck %s

!t = tensor<1x8x100x16xbf16>
!kv = tensor<1x2x100x16xbf16>

// 100 rows on 3 ranks are padded to 2 tiles a rank: 192. The 2 key heads serve 4
// devices on the heads' axis, each of which keeps the one that its queries need.
// Both directions: own, -1 and +1.

// CHECK-LABEL: func.func @ring_with_padding_and_heads(
// CHECK-SAME: %[[Q:.+]]: tensor<1x8x100x16xbf16>, %[[K:.+]]: tensor<1x2x100x16xbf16>, %[[V:.+]]: tensor
func.func @ring_with_padding_and_heads(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: %[[SQ:.+]] = ring.shard %[[Q]] as <[_, 0, 1, _] in 4x3, sequence = 2 as <contiguous, 192 over 3>> : {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: %[[K2:.+]] = ring.shard %[[K]] as <[_, _, 1, _] in 4x3, {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: %[[KA:.+]] = "ttir.slice_static"(%[[K2]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
  // CHECK: %[[KB:.+]] = "ttir.slice_static"(%[[K2]]) <{begins = [0 : i32, 1 : i32, 0 : i32, 0 : i32]
  // CHECK: %[[SK:.+]] = ring.select %[[KB]], %[[KA]] where [false, false, true, true] on <0 in 4x3> : tensor<1x1x64x16xbf16>
  // CHECK: %[[V2:.+]] = ring.shard %[[V]] as <[_, _, 1, _] in 4x3,
  // CHECK: %[[SV:.+]] = ring.select {{.+}} on <0 in 4x3>
  // CHECK: %[[O0:.+]], %[[L0:.+]] = ring.partial %[[SQ]], %[[SK]], %[[SV]] length(100) block(<keys = <contiguous, 192 over 3>, axis = <1 in 4x3>>)
  // CHECK: %[[FORWARD:.+]]:2 = ring.shift %[[SK]], %[[SV]] by 1 on <1 in 4x3>
  // CHECK: %[[BACKWARD:.+]]:2 = ring.shift %[[SK]], %[[SV]] by -1 on <1 in 4x3>
  // CHECK: %[[O1:.+]], %[[L1:.+]] = ring.partial %[[SQ]], %[[FORWARD]]#0, %[[FORWARD]]#1 length(100) block({{.+}} source = -1,
  // CHECK: %[[M1:.+]], %[[ML1:.+]] = ring.merge %[[O0]], %[[L0]] with %[[O1]], %[[L1]]
  // CHECK: %[[O2:.+]], %[[L2:.+]] = ring.partial %[[SQ]], %[[BACKWARD]]#0, %[[BACKWARD]]#1 length(100) block({{.+}} source = 1,
  // CHECK: %[[M2:.+]], %{{.+}} = ring.merge %[[M1]], %[[ML1]] with %[[O2]], %[[L2]]
  // CHECK: %[[CAST:.+]] = "ttir.typecast"(%[[M2]]) {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: %[[WHOLE:.+]] = ring.unshard %[[CAST]] as <[_, 0, 1, _] in 4x3, sequence = 2 as <contiguous, 192 over 3>> : {{.+}} -> tensor<1x8x100x16xbf16>
  // CHECK: return %[[WHOLE]]
  %0 = ring.attention %q, %k, %v plan(<strategy = ring, axis = <1 in 4x3>, heads_axis = 0, directions = both>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// One key head is on every device of the heads' axis as it is.

// CHECK-LABEL: func.func @ring_with_one_key_head(
// CHECK-SAME: %[[Q:.+]]: tensor<1x8x100x16xbf16>, %[[K:[^ ]+]]: tensor<1x1x100x16xbf16>, %[[V:[^ ]+]]: tensor
func.func @ring_with_one_key_head(%q: !t, %k: tensor<1x1x100x16xbf16>, %v: tensor<1x1x100x16xbf16>) -> !t {
  // CHECK: %[[SK:.+]] = ring.shard %[[K]] as <[_, _, 1, _] in 4x3, {{.+}} -> tensor<1x1x64x16xbf16>
  // CHECK: %[[SV:.+]] = ring.shard
  // CHECK-NOT: ring.select
  // CHECK: ring.partial %{{.+}}, %[[SK]], %[[SV]] length(100)
  %0 = ring.attention %q, %k, %v plan(<strategy = ring, axis = <1 in 4x3>, heads_axis = 0>) : !t, tensor<1x1x100x16xbf16>, tensor<1x1x100x16xbf16> -> !t
  return %0 : !t
}

// An even ring meets the shard across from both sides, half of it from each.

// CHECK-LABEL: func.func @even_ring(
func.func @even_ring(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: %[[SK:.+]] = ring.shard %{{.+}} as <[_, _, 0, _] in 4, sequence = 2 as <zigzag, 256 over 4>> : tensor<1x2x100x16xbf16> -> tensor<1x2x64x16xbf16>
  // CHECK: ring.partial {{.+}} pattern(#ring.causal) block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, axis = <0 in 4>>)
  // CHECK: %[[F:.+]]:2 = ring.shift {{.+}} by 1 on
  // CHECK: %[[B:.+]]:2 = ring.shift {{.+}} by -1 on
  // CHECK: source = -1,
  // CHECK: source = 1,
  // CHECK: %[[EARLY:.+]] = "ttir.slice_static"(%[[F]]#0) {{.+}} -> tensor<1x2x32x16xbf16>
  // CHECK: %[[EARLY2:.+]]:2 = ring.shift %[[EARLY]], %{{.+}} by 1 on
  // CHECK: %[[LATE:.+]] = "ttir.slice_static"(%[[B]]#0) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
  // CHECK: %[[LATE2:.+]]:2 = ring.shift %[[LATE]], %{{.+}} by -1 on
  // CHECK: %[[ACROSS:.+]] = "ttir.concat"(%[[EARLY2]]#0, %[[LATE2]]#0) <{dim = 2 : si32}>
  // CHECK: ring.partial %{{.+}}, %[[ACROSS]], {{.+}} source = -2,
  // CHECK-NOT: ring.shift
  // CHECK: ring.unshard
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 4>, layout = zigzag, directions = both>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// One direction goes all the way round. A causal pattern never reaches the
// padding, so no length is needed.

// CHECK-LABEL: func.func @striped_ring(
func.func @striped_ring(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK-COUNT-3: as <[_, _, 0, _] in 3, sequence = 2 as <striped, 192 over 3>>
  // CHECK-NOT: length(
  // CHECK: %[[ONE:.+]]:2 = ring.shift {{.+}} by 1 on <0 in 3>
  // CHECK: source = -1,
  // CHECK: %{{.+}}:2 = ring.shift %[[ONE]]#0, %[[ONE]]#1 by 1 on <0 in 3>
  // CHECK: source = -2,
  // CHECK-NOT: ring.shift
  // CHECK: ring.unshard {{.+}} sequence = 2 as <striped, 192 over 3>
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = ring, axis = <0 in 3>, layout = striped>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// Gathered keys are in order, however the queries are dealt.

// CHECK-LABEL: func.func @all_gather(
func.func @all_gather(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: %[[SQ:.+]] = ring.shard {{.+}} as <zigzag, 128 over 2>
  // CHECK: %[[SK:.+]] = ring.shard {{.+}} as <contiguous, 128 over 2>
  // CHECK: %[[SV:.+]] = ring.shard {{.+}} as <contiguous, 128 over 2>
  // CHECK: %[[AK:.+]] = ring.all_gather %[[SK]] dim 2 on <0 in 2>
  // CHECK: %[[AV:.+]] = ring.all_gather %[[SV]] dim 2 on <0 in 2>
  // CHECK: ring.partial %[[SQ]], %[[AK]], %[[AV]] pattern(#ring.causal) scale(5.000000e-01) block(<queries = <zigzag, 128 over 2>, keys = <contiguous, 128 over 1>, axis = <0 in 2>>)
  // CHECK-NOT: ring.merge
  // CHECK: ring.unshard {{.+}} as <zigzag, 128 over 2>
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) scale(0.5) plan(<strategy = all_gather, axis = <0 in 2>, layout = zigzag>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// Heads for rows and back; 2 key heads on 4 ranks are repeated before the trade.

// CHECK-LABEL: func.func @ulysses(
func.func @ulysses(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: %[[HQ:.+]] = ring.all_to_all %{{.+}} split 1 concat 2 on <0 in 4> : {{.+}} -> tensor<1x2x128x16xbf16>
  // CHECK: %[[RK:.+]] = "ttir.repeat_interleave"({{.+}}) <{dim = 1 : si32, repeats = 2 : ui32}>
  // CHECK: %[[HK:.+]] = ring.all_to_all %[[RK]] split 1 concat 2 on <0 in 4> : {{.+}} -> tensor<1x1x128x16xbf16>
  // CHECK: %[[HV:.+]] = ring.all_to_all
  // CHECK: %[[OUT:.+]], %{{.+}} = ring.partial %[[HQ]], %[[HK]], %[[HV]] pattern(#ring.causal) :
  // CHECK: %[[CAST:.+]] = "ttir.typecast"(%[[OUT]])
  // CHECK: ring.all_to_all %[[CAST]] split 2 concat 1 on <0 in 4> : tensor<1x2x128x16xbf16> -> tensor<1x8x32x16xbf16>
  // CHECK-NOT: ring.all_to_all
  // CHECK: ring.unshard
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = ulysses, axis = <0 in 4>>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// One key head goes to every rank as it is.

// CHECK-LABEL: func.func @ulysses_with_one_key_head(
func.func @ulysses_with_one_key_head(%q: !t, %k: tensor<1x1x100x16xbf16>, %v: tensor<1x1x100x16xbf16>) -> !t {
  // CHECK: %[[HQ:.+]] = ring.all_to_all
  // CHECK-NOT: repeat_interleave
  // CHECK: %[[HK:.+]] = ring.all_gather %{{.+}} dim 2 on <0 in 4> : {{.+}} -> tensor<1x1x128x16xbf16>
  // CHECK: %[[HV:.+]] = ring.all_gather
  // CHECK: ring.partial %[[HQ]], %[[HK]], %[[HV]] pattern(#ring.causal) :
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = ulysses, axis = <0 in 4>>) : !t, tensor<1x1x100x16xbf16>, tensor<1x1x100x16xbf16> -> !t
  return %0 : !t
}

// Neighbours trade heads, and between the groups there is a ring.

// CHECK-LABEL: func.func @usp(
func.func @usp(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK-COUNT-3: ring.all_to_all {{.+}} split 1 concat 2 on <0 in 4, size = 2>
  // CHECK: ring.partial {{.+}} block(<queries = <contiguous, 128 over 2>, keys = <contiguous, 128 over 2>, axis = <0 in 4, size = 2, stride = 2>>)
  // CHECK: ring.shift {{.+}} by 1 on <0 in 4, size = 2, stride = 2>
  // CHECK: ring.partial {{.+}} source = -1,
  // CHECK: ring.all_to_all {{.+}} split 2 concat 1 on <0 in 4, size = 2>
  // CHECK: ring.unshard
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = usp, axis = <0 in 4>, head_ranks = 2>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// Shards of 32: a window of 40 before needs a whole neighbour and the last 8 rows
// of the next one, 10 after the first 10 of the neighbour on the other side.

// CHECK-LABEL: func.func @halo(
func.func @halo(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.partial {{.+}} pattern(#ring.window<before = 40, after = 10>) length(100) block(<queries = <contiguous, 128 over 4>, keys = <contiguous, 128 over 4>, axis = <0 in 4>>)
  // CHECK: ring.gather {{.+}} parts [<source = -1, size = 32>] on <0 in 4>
  // CHECK: ring.gather {{.+}} parts [<source = -1, size = 32>] on <0 in 4>
  // CHECK: ring.partial {{.+}} source = -1, axis
  // 8 rows and 10 rows, in whole tiles.
  // CHECK: ring.gather {{.+}} parts [<source = -2, size = 32>]
  // CHECK: ring.partial {{.+}} source = -2, axis
  // CHECK: ring.gather {{.+}} parts [<source = 1, size = 32>]
  // CHECK: ring.partial {{.+}} source = 1, axis
  // CHECK-NOT: ring.gather
  // CHECK: ring.unshard
  %0 = ring.attention %q, %k, %v pattern(#ring.window<before = 40, after = 10>) plan(<strategy = halo, axis = <0 in 4>>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// Shards of 64 rows: a reach of 39 takes both tiles, one of 19 the last.

// CHECK-LABEL: func.func @halo_of_tiles(
func.func @halo_of_tiles(%q: tensor<1x2x256x16xbf16>) -> tensor<1x2x256x16xbf16> {
  // CHECK: ring.gather {{.+}} parts [<source = -1, size = 64>]
  // CHECK: ring.partial {{.+}} source = -1, axis
  %0 = ring.attention %q, %q, %q pattern(#ring.window<before = 39, after = 0>) plan(<strategy = halo, axis = <0 in 4>>) : tensor<1x2x256x16xbf16>, tensor<1x2x256x16xbf16>, tensor<1x2x256x16xbf16> -> tensor<1x2x256x16xbf16>
  // CHECK: ring.gather {{.+}} parts [<source = -1, offset = 32, size = 32>]
  // CHECK: ring.partial {{.+}} source = -1, first_key = 32, axis
  %1 = ring.attention %0, %0, %0 pattern(#ring.window<before = 19, after = 0>) plan(<strategy = halo, axis = <0 in 4>>) : tensor<1x2x256x16xbf16>, tensor<1x2x256x16xbf16>, tensor<1x2x256x16xbf16> -> tensor<1x2x256x16xbf16>
  return %1 : tensor<1x2x256x16xbf16>
}

// Parts are merged in a tree on 2^k ranks, and passed round on others.

// CHECK-LABEL: func.func @split_kv_tree(
func.func @split_kv_tree(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.all_gather {{.+}} -> tensor<1x8x128x16xbf16>
  // CHECK: %[[O:.+]], %[[L:.+]] = ring.partial {{.+}} length(100) block(<keys = <contiguous, 128 over 4>, axis = <0 in 4>>)
  // CHECK: %[[A:.+]]:2 = ring.shift %[[O]], %[[L]] by 1 on <0 in 4>
  // CHECK: %[[O1:.+]], %[[L1:.+]] = ring.merge %[[O]], %[[L]] with %[[A]]#0, %[[A]]#1
  // CHECK: %[[B:.+]]:2 = ring.shift %[[O1]], %[[L1]] by 2 on <0 in 4>
  // CHECK: ring.merge %[[O1]], %[[L1]] with %[[B]]#0, %[[B]]#1
  // CHECK: ring.unshard {{.+}} as <[_, _, _, _] in 4>
  %0 = ring.attention %q, %k, %v plan(<strategy = split_kv, axis = <0 in 4>>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @split_kv_round(
func.func @split_kv_round(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: %[[O:.+]], %[[L:.+]] = ring.partial
  // CHECK: %[[A:.+]]:2 = ring.shift %[[O]], %[[L]] by 1 on <0 in 3>
  // CHECK: %[[B:.+]]:2 = ring.shift %[[A]]#0, %[[A]]#1 by 1 on <0 in 3>
  // CHECK: ring.merge %{{.+}} with %[[B]]#0, %[[B]]#1
  %0 = ring.attention %q, %k, %v plan(<strategy = split_kv, axis = <0 in 3>>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// From a gather or by a reduce the rows of all heads lie behind each other, 800 of
// them, each with its log-sum-exp behind 16 columns.

// CHECK-LABEL: func.func @split_kv_gather(
func.func @split_kv_gather(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.partial
  // CHECK: ring.all_gather %{{.+}} dim 1 on <0 in 3> : tensor<1x1x800x17xf32> -> tensor<1x3x800x17xf32>
  // CHECK-COUNT-2: ring.merge {{.+}} tensor<1x1x800x16xf32>
  // CHECK-NOT: ring.merge
  %0 = ring.attention %q, %k, %v plan(<strategy = split_kv, axis = <0 in 3>, merge = gather>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @split_kv_reduce(
func.func @split_kv_reduce(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.partial
  // CHECK: ring.all_to_all %{{.+}} split 2 concat 1 on <0 in 3> : tensor<1x1x801x17xf32> -> tensor<1x3x267x17xf32>
  // CHECK-COUNT-2: ring.merge {{.+}} tensor<1x1x267x16xf32>
  // CHECK: ring.all_gather %{{.+}} dim 2 on <0 in 3> : tensor<1x1x267x16xbf16> -> tensor<1x1x801x16xbf16>
  // CHECK-NOT: ring.all_gather
  %0 = ring.attention %q, %k, %v plan(<strategy = split_kv, axis = <0 in 3>, merge = reduce>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// Halves at a time: of 8 parts 4, 2 and 1 are left.
// CHECK-LABEL: func.func @split_kv_halves(
func.func @split_kv_halves(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.all_to_all
  // CHECK: ring.merge {{.+}} tensor<1x4x100x16xf32>
  // CHECK: ring.merge {{.+}} tensor<1x2x100x16xf32>
  // CHECK: ring.merge {{.+}} tensor<1x1x100x16xf32>
  // CHECK-NOT: ring.merge
  // CHECK: return
  %0 = ring.attention %q, %k, %v plan(<strategy = split_kv, axis = <0 in 8>, merge = reduce>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @replicate(
func.func @replicate(%q: !t, %k: !kv, %v: !kv) -> !t {
  // CHECK: ring.shard {{.+}} as <[_, _, 0, _] in 3, sequence = 2 as <contiguous, {{.+}} over 3>>
  // CHECK: ring.all_gather
  // CHECK: ring.all_gather
  // CHECK: ring.all_gather
  // CHECK: ring.partial {{.+}} pattern(#ring.causal) :
  // CHECK-NOT: ring.shift
  // CHECK: ring.unshard
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) plan(<strategy = replicate, axis = <0 in 3>>) : !t, !kv, !kv -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x100x16xbf16>
!j = tensor<1x4x7x16xbf16>
!lse = tensor<1x4x107x1xf32>

// Joint queries stand behind the sequence's and see all keys; joint keys are a
// block that every device has, and never padding.

// CHECK-LABEL: func.func @joint(
// CHECK-SAME: %[[JQ:[a-z0-9]+]]: tensor<1x4x7x16xbf16>
func.func @joint(%q: !t, %j: !j) -> (!t, !j, !lse) {
  // CHECK: %[[SQ:.+]] = ring.shard {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: %[[SJ:.+]] = ring.shard %[[JQ]] as <[_, 1, _, _] in 2x2> : {{.+}} -> tensor<1x2x7x16xbf16>
  // CHECK: %[[ALL:.+]] = "ttir.concat"(%[[SQ]], %[[SJ]]) <{dim = 2 : si32}> : {{.+}} -> tensor<1x2x71x16xbf16>
  // CHECK: %[[JO:.+]], %[[JL:.+]] = ring.partial %[[ALL]], %{{.+}}, %{{[a-z0-9_]+}} : tensor<1x2x71x16xbf16>, tensor<1x2x7x16xbf16>
  // CHECK: %[[O0:.+]], %[[L0:.+]] = ring.partial %[[ALL]], {{.+}} length(100) block(<keys = <contiguous, 128 over 2>, axis = <0 in 2x2>>)
  // CHECK: ring.merge %[[JO]], %[[JL]] with %[[O0]], %[[L0]]
  // CHECK: %[[O:.+]], %[[L:.+]] = ring.merge
  // CHECK: %[[CAST:.+]] = "ttir.typecast"(%[[O]])
  // CHECK-DAG: "ttir.slice_static"(%[[CAST]]) {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK-DAG: "ttir.slice_static"(%[[CAST]]) <{begins = [0 : i32, 0 : i32, 64 : i32, 0 : i32], {{.+}} -> tensor<1x2x7x16xbf16>
  // CHECK-DAG: ring.unshard {{.+}} as <[_, 1, _, _] in 2x2> : tensor<1x2x7x16xbf16> -> tensor<1x4x7x16xbf16>
  // CHECK-DAG: %[[SL:.+]] = ring.unshard {{.+}} : tensor<1x2x64x1xf32> -> tensor<1x4x100x1xf32>
  // CHECK-DAG: %[[JLSE:.+]] = ring.unshard {{.+}} : tensor<1x2x7x1xf32> -> tensor<1x4x7x1xf32>
  // CHECK: "ttir.concat"(%[[SL]], %[[JLSE]]) <{dim = 2 : si32}> : {{.+}} -> tensor<1x4x107x1xf32>
  %0, %1, %2 = ring.attention %q, %q, %q joint(%j, %j, %j : !j, !j, !j) plan(<strategy = ring, axis = <0 in 2x2>, heads_axis = 1>) : !t, !t, !t -> !t joint(!j) lse(!lse)
  return %0, %1, %2 : !t, !j, !lse
}

// Where every device has all keys there is no block either; still the length is
// that of the sequence alone.

// CHECK-LABEL: func.func @joint_everywhere(
func.func @joint_everywhere(%q: !t, %j: !j) -> (!t, !j, !lse) {
  // CHECK: ring.partial %{{.+}}, %{{.+}}, %{{[a-z0-9_]+}} : tensor<1x4x107x16xbf16>, tensor<1x4x7x16xbf16>
  // CHECK: ring.partial {{.+}} length(64) : tensor<1x4x107x16xbf16>, tensor<1x4x100x16xbf16>
  // CHECK-DAG: ring.unshard {{.+}} as <[_, _, _, _] in 2> : tensor<1x4x100x1xf32>
  // CHECK-DAG: ring.unshard {{.+}} as <[_, _, _, _] in 2> : tensor<1x4x7x1xf32>
  %0, %1, %2 = ring.attention %q, %q, %q joint(%j, %j, %j : !j, !j, !j) length(64) plan(<strategy = replicate, axis = <0 in 2>>) : !t, !t, !t -> !t joint(!j) lse(!lse)
  return %0, %1, %2 : !t, !j, !lse
}

// The sink opens the sum, one logit per head of the device.

// CHECK-LABEL: func.func @sink_and_lse(
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<1x4x1x1xbf16>
func.func @sink_and_lse(%q: !t, %s: tensor<1x4x1x1xbf16>) -> (!t, tensor<1x4x100x1xf32>) {
  // CHECK: %[[SS:.+]] = ring.shard %[[S]] as <[_, 1, _, _] in 2x2> : {{.+}} -> tensor<1x2x1x1xbf16>
  // CHECK: %[[E:.+]], %[[EL:.+]] = ring.empty sink(%[[SS]]
  // CHECK: %[[O:.+]], %[[L:.+]] = ring.partial
  // CHECK: ring.merge %[[E]], %[[EL]] with %[[O]], %[[L]]
  // CHECK: ring.unshard {{.+}} : tensor<1x2x64x1xf32> -> tensor<1x4x100x1xf32>
  %0, %1 = ring.attention %q, %q, %q sink(%s : tensor<1x4x1x1xbf16>) pattern(#ring.causal) plan(<strategy = all_gather, axis = <0 in 2x2>, heads_axis = 1, layout = zigzag>) : !t, !t, !t -> !t lse(tensor<1x4x100x1xf32>)
  return %0, %1 : !t, tensor<1x4x100x1xf32>
}

// -----

!t = tensor<1x2x100x16xf32>
!mask = tensor<1x2x100x100xf32>
!row = tensor<1x1x1x100xf32>

// The columns of each device's rows are turned so that its own keys come first:
// then step by step they are the same slices on every device.

// CHECK-LABEL: func.func @mask_for_a_ring(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<1x2x100x100xf32>
func.func @mask_for_a_ring(%q: !t, %m: !mask) -> !t {
  // CHECK: %[[WIDE:.+]] = "ttir.pad"(%[[M]]) {{.+}} -> tensor<1x2x100x128xf32>
  // CHECK: %[[ALL:.+]] = "ttir.pad"(%[[WIDE]]) {{.+}} -> tensor<1x2x128x128xf32>
  // CHECK: %[[R0:.+]] = "ttir.slice_static"(%[[ALL]]) {{.+}} -> tensor<1x2x64x128xf32>
  // CHECK: %[[R1:.+]] = "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 0 : i32, 64 : i32, 0 : i32]
  // CHECK: %[[OWN:.+]] = "ttir.slice_static"(%[[R1]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32]
  // CHECK: %[[OTHER:.+]] = "ttir.slice_static"(%[[R1]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
  // CHECK: %[[TURNED:.+]] = "ttir.concat"(%[[OWN]], %[[OTHER]]) <{dim = 3 : si32}>
  // CHECK: %[[ROLLED:.+]] = "ttir.concat"(%[[R0]], %[[TURNED]]) <{dim = 2 : si32}>
  // CHECK: %[[LOCAL:.+]] = ring.shard %[[ROLLED]] as <[_, 1, 0, _] in 2x2, sequence = 2 as <contiguous, 128 over 2>> : {{.+}} -> tensor<1x1x64x128xf32>
  // CHECK: %[[STEP0:.+]] = "ttir.slice_static"(%[[LOCAL]]) {{.+}} -> tensor<1x1x64x64xf32>
  // CHECK: ring.partial {{.+}} mask(%[[STEP0]]
  // CHECK: %[[STEP1:.+]] = "ttir.slice_static"(%[[LOCAL]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32]
  // CHECK: ring.partial {{.+}} mask(%[[STEP1]] {{.+}} source = -1
  %0 = ring.attention %q, %q, %q mask(%m : !mask) plan(<strategy = ring, axis = <0 in 2x2>, heads_axis = 1>) : !t, !t, !t -> !t
  return %0 : !t
}

// One row for all queries: one turned row per rank.

// CHECK-LABEL: func.func @row_for_a_ring(
func.func @row_for_a_ring(%q: !t, %m: !row) -> !t {
  // CHECK: ring.shard %{{.+}} as <[_, _, 0, _] in 2, sequence = 2 as <contiguous, 2 over 2>> : tensor<1x1x2x128xf32> -> tensor<1x1x1x128xf32>
  // CHECK: ring.partial {{.+}} mask(%{{.+}} : tensor<1x1x1x64xf32>)
  %0 = ring.attention %q, %q, %q mask(%m : !row) plan(<strategy = ring, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// Gathered keys take whole rows of it, split keys whole columns.

// CHECK-LABEL: func.func @mask_for_gathered_keys(
func.func @mask_for_gathered_keys(%q: !t, %m: !mask) -> !t {
  // CHECK: %[[WIDE:.+]] = "ttir.pad"({{.+}} -> tensor<1x2x100x128xf32>
  // CHECK: %[[LOCAL:.+]] = ring.shard %[[WIDE]] as <[_, _, 0, _] in 2, sequence = 2 as <contiguous, 128 over 2>> : {{.+}} -> tensor<1x2x64x128xf32>
  // CHECK: ring.partial {{.+}} mask(%[[LOCAL]]
  %0 = ring.attention %q, %q, %q mask(%m : !mask) plan(<strategy = all_gather, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @mask_for_split_keys(
func.func @mask_for_split_keys(%q: !t, %m: !mask) -> !t {
  // CHECK: %[[LOCAL:.+]] = ring.shard %{{.+}} as <[_, _, _, 0] in 2, sequence = 3 as <contiguous, 128 over 2>> : tensor<1x2x100x100xf32> -> tensor<1x2x100x64xf32>
  // CHECK: ring.partial {{.+}} mask(%[[LOCAL]]
  %0 = ring.attention %q, %q, %q mask(%m : !mask) plan(<strategy = split_kv, axis = <0 in 2>>) : !t, !t, !t -> !t
  return %0 : !t
}
