// SPDX-License-Identifier: Apache-2.0
// One tensor as query, key and value: what is the same on the way in may travel
// once, but never be taken for something else: the same keys and values under
// another scale are other packed keys.

// RUN: ring-run %s --ring-attention-pipeline --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring directions=both" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=all_gather" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=ulysses" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=usp head-ranks=2" --check
// RUN: ring-run %s --ring-attention-pipeline="target=ttir" --check

!t = tensor<1x4x100x32xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @same(%x: !t, %y: !t) -> (!t, !t, !t) attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    %0 = "ttir.scaled_dot_product_attention"(%x, %x, %x) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    %1 = "ttir.scaled_dot_product_attention"(%y, %x, %y) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    %2 = "ttir.scaled_dot_product_attention"(%y, %x, %y) <{is_causal = false, scale = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %0, %1, %2 : !t, !t, !t
  }
}
