// SPDX-License-Identifier: Apache-2.0
// A paged cache: pages are rows of a table that the page table chooses.

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
  // CHECK: %[[ST:.+]] = ring.shard %[[T]] as <[_, 0] in 4, sequence = 1 as <contiguous, 8 over 4>> : tensor<1x6xi32> -> tensor<1x2xi32>
  // CHECK: %[[SK:.+]] = ring.shard %[[K]] as <[_, _, _, _] in 4>
  // CHECK: %[[ROWS:.+]] = "ttir.reshape"(%[[SK]]) {{.+}} -> tensor<9x1024xbf16>
  // CHECK: %[[PAGES:.+]] = "ttir.embedding"(%[[ST]], %[[ROWS]]) : (tensor<1x2xi32>, tensor<9x1024xbf16>) -> tensor<1x2x1024xbf16>
  // CHECK: %[[SPLIT:.+]] = "ttir.reshape"(%[[PAGES]]) {{.+}} -> tensor<1x2x2x32x16xbf16>
  // CHECK: %[[HEADS:.+]] = "ttir.permute"(%[[SPLIT]]) <{permutation = array<i64: 0, 2, 1, 3, 4>}>
  // CHECK: %[[OWN:.+]] = "ttir.reshape"(%[[HEADS]]) {{.+}} -> tensor<1x2x64x16xbf16>
  // CHECK: ring.partial {{.+}}, %[[OWN]], {{.+}} pattern(#ring.causal) length(192) block(<queries = <contiguous, 128 over 4, offset = 64>, keys = <contiguous, 256 over 4>, axis = <0 in 4>>)
  // CHECK: ring.shift %[[OWN]],
  %0 = ring.attention %q, %k, %k pages(%t, %start : !table, tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = ring, axis = <0 in 4>>) : !q, !cache, !cache -> !q
  return %0 : !q
}

// Who wants all pages has them: nothing is sent.

// CHECK-LABEL: func.func @all_pages(
func.func @all_pages(%q: !q, %k: !cache, %t: !table) -> !q {
  %start = "ttir.constant"() <{value = dense<64> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK-NOT: ring.all_gather
  // CHECK: ring.partial {{.+}} pattern(#ring.causal) block(<queries = <zigzag, 256 over 4, offset = 64>, keys = <contiguous, 192 over 1>, axis = <0 in 4>>)
  %0 = ring.attention %q, %k, %k pages(%t, %start : !table, tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = all_gather, axis = <0 in 4>, layout = zigzag>) : !q, !cache, !cache -> !q
  return %0 : !q
}

// A start that only the running program knows: each block's mask is computed from
// it and from where the device's rows stand.

// CHECK-LABEL: func.func @start_unknown(
// CHECK-SAME: %[[START:[a-z0-9]+]]: tensor<1xi32>
func.func @start_unknown(%q: !q, %k: !cache, %t: !table, %start: tensor<1xi32>) -> !q {
  // CHECK: %[[ROW:.+]] = ring.shard %{{.+}} as <[_, _, 0, _] in 2, sequence = 2 as <contiguous, 128 over 2>> replicated : tensor<1x1x128x1xf32> -> tensor<1x1x64x1xf32>
  // CHECK: %[[LOCAL:.+]] = ring.shard %[[START]] as <[_] in 2>
  // CHECK: %[[POSITION:.+]] = "ttir.add"(%[[ROW]],
  // CHECK: %[[FIRST:.+]] = "ttir.constant"() <{value = dense<{{\[\[\[\[}}0.000000e+00], [9.600000e+01{{\]\]\]\]}}>
  // CHECK: %[[MASK:.+]] = "ttir.where"
  // CHECK: ring.partial {{.+}} mask(%[[MASK]] : tensor<1x1x64x96xf32>) block(<keys = <contiguous, 192 over 2>, axis = <0 in 2>>)
  // CHECK: "ttir.constant"() <{value = dense<{{\[\[\[\[}}9.600000e+01], [0.000000e+00{{\]\]\]\]}}>
  // CHECK: ring.partial {{.+}} mask({{.+}}) block(<keys = <contiguous, 192 over 2>, source = -1, axis = <0 in 2>>)
  %0 = ring.attention %q, %k, %k pages(%t, %start : !table, tensor<1xi32>) pattern(#ring.causal)
      plan(<strategy = ring, axis = <0 in 2>>) : !q, !cache, !cache -> !q
  return %0 : !q
}
