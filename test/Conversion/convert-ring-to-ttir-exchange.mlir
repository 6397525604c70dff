// SPDX-License-Identifier: Apache-2.0
// A device's function with contiguous shards: to zigzag and back by two
// exchanges of half shards for each of query, key, value and output, whatever
// the number of ranks. No sequence is put together on the way.

// RUN: ring-opt %s --ring-attention-pipeline="target=ttir mesh-shape=1x4 strategy=ring layout=zigzag directions=forward" 2>/dev/null | FileCheck %s --implicit-check-not=all_gather
// RUN: sed -e 's/x96x/x72x/g' %s | ring-opt --ring-attention-pipeline="target=ttir mesh-shape=1x3 strategy=ring layout=zigzag directions=forward" 2>/dev/null | FileCheck %s --check-prefix=THREE --implicit-check-not=all_gather

!q = tensor<1x4x24x32xbf16>
!k = tensor<1x2x24x32xbf16>
!allq = tensor<1x4x96x32xbf16>
!allk = tensor<1x2x96x32xbf16>

// CHECK-LABEL: func.func @causal(
// CHECK-COUNT-2: "ttir.collective_permute"{{.+}} (tensor<1x4x12x32xbf16>)
// CHECK-COUNT-4: "ttir.collective_permute"{{.+}} (tensor<1x2x12x32xbf16>)
// CHECK-COUNT-3: "ttir.collective_permute"{{.+}} (tensor<1x2x48x32xbf16>)
// CHECK-COUNT-2: "ttir.collective_permute"{{.+}} (tensor<1x4x12x32xbf16>)
// CHECK-NOT:     "ttir.collective_permute"

// THREE-LABEL: func.func @causal(
// THREE-COUNT-2: "ttir.collective_permute"{{.+}} (tensor<1x4x12x32xbf16>)
// THREE-COUNT-4: "ttir.collective_permute"{{.+}} (tensor<1x2x12x32xbf16>)
// THREE-COUNT-2: "ttir.collective_permute"{{.+}} (tensor<1x2x48x32xbf16>)
// THREE-COUNT-2: "ttir.collective_permute"{{.+}} (tensor<1x4x12x32xbf16>)
// THREE-NOT:     "ttir.collective_permute"
func.func @causal(%q: !q, %k: !k, %v: !k) -> !q {
  %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !allq
  %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!k) -> !allk
  %2 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!k) -> !allk
  %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!allq, !allk, !allk) -> !allq
  %4 = "ttir.mesh_partition"(%3) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!allq) -> !q
  return %4 : !q
}
