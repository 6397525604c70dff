// SPDX-License-Identifier: Apache-2.0
// Caches, paged and dealt out, and positions that only the running program knows.

// RUN: ring-opt %s --ring-shard --split-input-file | FileCheck %s

!q = tensor<1x4x128x16xbf16>
!cache = tensor<9x2x32x16xbf16>
!table = tensor<1x6xi32>

// 6 pages on 4 ranks: 2 each, and page 0 twice for the last rank, hidden by the
// length. The positions of the queries start at 64.

// CHECK-LABEL: func.func @own_pages(
// CHECK-SAME: %{{.+}}: tensor<1x4x128x16xbf16>, %[[K:.+]]: tensor<9x2x32x16xbf16>, %[[T:.+]]: tensor<1x6xi32>
func.func @own_pages(%q: !q, %k: !cache, %t: !table) -> !q {
  %start = "ttir.constant"() <{value = dense<64> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK-DAG: %[[ST:.+]] = ring.shard %[[T]] as <[_, 0] in 4, sequence = 1 as <contiguous, 8 over 4>> : tensor<1x6xi32> -> tensor<1x2xi32>
  // CHECK-DAG: %[[SK:.+]] = ring.shard %[[K]] as <[_, _, _, _] in 4>
  // CHECK: %[[ROWS:.+]] = "ttir.reshape"(%[[SK]]) {{.+}} -> tensor<9x1024xbf16>
  // CHECK: %[[PAGES:.+]] = "ttir.embedding"(%[[ST]], %[[ROWS]]) : (tensor<1x2xi32>, tensor<9x1024xbf16>) -> tensor<1x2x1024xbf16>
  // CHECK: %[[SPLIT:.+]] = "ttir.reshape"(%[[PAGES]]) {{.+}} -> tensor<1x2x2x32x16xbf16>
  // CHECK: %[[HEADS:.+]] = "ttir.permute"(%[[SPLIT]]) <{permutation = array<i64: 0, 2, 1, 3, 4>}>
  // CHECK: %[[OWN:.+]] = "ttir.reshape"(%[[HEADS]]) {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: ring.partial {{.+}}, %[[OWN]], {{.+}} pattern(#ring.causal) length(192) block(<queries = <contiguous, 128 over 4, offset = 64>, keys = <contiguous, 256 over 4>, axis = <0 in 4>>)
  // CHECK: ring.shift %[[OWN]],
  %0 = ring.attention %q, %k, %k pages(%t : !table) start(%start : tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = ring, axis = <0 in 4>>) : !q, !cache, !cache -> !q
  return %0 : !q
}

// Who wants all pages has them: nothing is sent.

// CHECK-LABEL: func.func @all_pages(
func.func @all_pages(%q: !q, %k: !cache, %t: !table) -> !q {
  %start = "ttir.constant"() <{value = dense<64> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK-NOT: ring.all_gather
  // CHECK: ring.partial {{.+}} pattern(#ring.causal) block(<queries = <zigzag, 256 over 4, offset = 64>, keys = <contiguous, 192 over 1>, axis = <0 in 4>>)
  %0 = ring.attention %q, %k, %k pages(%t : !table) start(%start : tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = all_gather, axis = <0 in 4>, layout = zigzag>) : !q, !cache, !cache -> !q
  return %0 : !q
}

// A start that only the running program knows: the positions of the queries are
// a tensor, those of the keys are where they always are.

// CHECK-LABEL: func.func @start_unknown(
// CHECK-SAME: %[[START:[a-z0-9]+]]: tensor<1xi32>
func.func @start_unknown(%q: !q, %k: !cache, %t: !table, %start: tensor<1xi32>) -> !q {
  // CHECK: %[[FIRST:.+]] = "ttir.reshape"(%[[START]]) {{.+}} -> tensor<1x1xi32>
  // CHECK: %[[ALL:.+]] = "ttir.add"({{.+}}) : (tensor<1x128xi32>, tensor<1x128xi32>)
  // CHECK: %[[OWN:.+]] = ring.shard %[[ALL]] as <[_, 0] in 2, sequence = 1 as <contiguous, 128 over 2>> : tensor<1x128xi32> -> tensor<1x64xi32>
  // CHECK: ring.partial {{.+}} query_positions(%[[OWN]] : tensor<1x64xi32>) pattern(#ring.causal) block(<keys = <contiguous, 192 over 2>, axis = <0 in 2>>)
  // CHECK: ring.partial {{.+}} query_positions(%[[OWN]] : tensor<1x64xi32>) pattern(#ring.causal) block(<keys = <contiguous, 192 over 2>, source = -1, axis = <0 in 2>>)
  %0 = ring.attention %q, %k, %k pages(%t : !table) start(%start : tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = ring, axis = <0 in 2>>) : !q, !cache, !cache -> !q
  return %0 : !q
}

// Pages that are dealt out in pairs: a device has 5 of 10 blocks, and of 6 pages
// the first two or the next, then the last two or none, which -1 stands for. It
// counts its blocks from 0 on.

// CHECK-LABEL: func.func @dealt_pages(
// CHECK-SAME: %[[Q:.+]]: tensor<1x4x128x16xbf16>, %[[K:.+]]: tensor<10x2x32x16xbf16>, %[[T:.+]]: tensor<1x6xi32>
func.func @dealt_pages(%q: !q, %k: tensor<10x2x32x16xbf16>, %t: !table, %start: tensor<1xi32>) -> !q {
  // CHECK: %[[NUMBERS:.+]] = "ttir.typecast"(%[[T]])
  // CHECK: %[[FILLED:.+]] = "ttir.pad"(%[[NUMBERS]]) <{padding = array<i32: 0, 0, 0, 2>, value = -1.000000e+00 : f32}>
  // CHECK: %[[DEALT:.+]] = ring.shard %[[FILLED]] as <[_, 0] in 2, sequence = 1 as <block_cyclic, 8 over 2 by 2>>
  // CHECK: "ttir.constant"() <{value = dense<{{\[\[\[\[}}0.000000e+00], [5.000000e+00{{\]\]\]\]}}>
  // CHECK: %[[LOCAL:.+]] = "ttir.subtract"(%[[DEALT]],
  // CHECK: %[[UNUSED:.+]] = "ttir.lt"(%[[DEALT]],
  // CHECK: "ttir.where"(%[[UNUSED]], %{{.+}}, %[[LOCAL]])
  // CHECK: %[[SK:.+]] = ring.shard %[[K]] as <[0, _, _, _] in 2> : tensor<10x2x32x16xbf16> -> tensor<5x2x32x16xbf16>
  // CHECK: ring.shift {{.+}} by 1 on <0 in 2> : tensor<1x4x64x16xbf16>, tensor<1x64xi32>
  // CHECK: ring.partial {{.+}} length(192) block(<keys = <block_cyclic, 256 over 2 by 64>, axis = <0 in 2>>)
  // CHECK: ring.shift {{.+}} by 1 on <0 in 2> : tensor<1x4x64x16xf32>, tensor<1x4x64x1xf32>
  // CHECK: ring.merge
  // CHECK: ring.shift {{.+}} by 1 on <0 in 2> : tensor<1x4x64x16xf32>, tensor<1x4x64x1xf32>
  %0 = ring.attention %q, %k, %k pages(%t : !table) start(%start : tensor<1xi32>) pattern(#ring.causal)
      parallel(<sequence = 0, cache_block = 64>)
      plan(<strategy = pass_q, axis = <0 in 2>>) : !q, tensor<10x2x32x16xbf16>, tensor<10x2x32x16xbf16> -> !q
  return %0 : !q
}

// Documents whose ends are a tensor: positions of both sides, of which those of
// the keys travel.

// CHECK-LABEL: func.func @documents(
func.func @documents(%q: !q, %ends: tensor<3xi32>) -> !q {
  // CHECK: "ttir.le"({{.+}}) : (tensor<128x3xf32>, tensor<128x3xf32>)
  // CHECK: %[[ALL:.+]] = "ttir.where"
  // CHECK: %[[ROWS:.+]] = ring.shard %[[ALL]] as <[_, 0] in 2, sequence = 1 as <contiguous, 128 over 2>>
  // CHECK: ring.partial {{.+}} query_positions(%[[ROWS]] : tensor<1x64xi32>) key_positions(%{{.+}} : tensor<1x64xi32>) pattern(#ring.window<before = 127, after = 0>)
  // CHECK: ring.shift {{.+}} : tensor<1x4x64x16xbf16>, tensor<1x4x64x16xbf16>, tensor<1x1x64x1xi32>
  %0 = ring.attention %q, %q, %q documents(%ends : tensor<3xi32>) pattern(#ring.causal)
      plan(<strategy = ring, axis = <0 in 2>>) : !q, !q, !q -> !q
  return %0 : !q
}
