// SPDX-License-Identifier: Apache-2.0
// Attentions over a cache as TTIR has them, run on a mesh and compared with what
// TTIR means: whole and in pages, one position for all or one for each user.

// RUN: ring-run %s --function=steps --ring-attention-pipeline --bisect
// RUN: ring-run %s --function=steps --ring-attention-pipeline="strategy=split_kv target=ttir" --bisect
// RUN: ring-run %s --function=steps --ring-attention-pipeline="strategy=ring" --check
// RUN: ring-run %s --function=steps --ring-attention-pipeline="strategy=all_gather" --check
// RUN: ring-run %s --function=pages --ring-attention-pipeline --bisect
// RUN: ring-run %s --function=pages --ring-attention-pipeline="strategy=ring target=ttir" --bisect
// RUN: ring-run %s --function=pages --ring-attention-pipeline="strategy=all_gather" --check
// RUN: ring-run %s --function=pages --ring-attention-pipeline="strategy=split_kv" --check
// RUN: ring-run %s --function=gathered --ring-attention-pipeline --bisect
// RUN: ring-run %s --function=gathered --ring-attention-pipeline="target=ttir" --check
// RUN: ring-run %s --function=gathered --ring-attention-pipeline="strategy=ring" --check

#split = #ring.parallel<sequence = 1>
!q = tensor<1x3x4x32xf32>
!one = tensor<1x1x4x32xf32>
!cache = tensor<3x2x100x32xf32>
!own = tensor<3x2x25x32xf32>
!whole = tensor<3x2x100x32xf32>
!blocks = tensor<9x2x32x32xf32>
!chunk = tensor<2x4x40x32xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @steps(%q: !q, %k: !cache, %v: !cache, %m: tensor<3x1x4x100xf32>, %s: tensor<1x4x1x1xf32>) -> (!q, !q, !q)
      attributes {ring.parallel = #split} {
    %all = "ttir.constant"() <{value = dense<37> : tensor<3xi32>}> : () -> tensor<3xi32>
    %each = "ttir.constant"() <{value = dense<[99, 0, 37]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %all) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, scale = 0.3 : f32}> : (!q, !cache, !cache, tensor<3xi32>) -> !q
    %1 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %each, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}> : (!q, !cache, !cache, tensor<3xi32>, tensor<1x4x1x1xf32>) -> !q
    %2 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %m, %all) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}> : (!q, !cache, !cache, tensor<3x1x4x100xf32>, tensor<3xi32>) -> !q
    return %0, %1, %2 : !q, !q, !q
  }

  // The start of the chunk and the position of the one user are computed.
  func.func @pages(%q: !q, %one: !one, %chunk: !chunk, %k: !blocks, %v: !blocks) -> (!q, !one, !chunk)
      attributes {ring.parallel = #split} {
    %three = "ttir.constant"() <{value = dense<[[8, 0, 3], [1, 2, 5], [7, 6, 4]]> : tensor<3x3xi32>}> : () -> tensor<3x3xi32>
    %two = "ttir.constant"() <{value = dense<[[8, 0, 3], [1, 2, 5]]> : tensor<2x3xi32>}> : () -> tensor<2x3xi32>
    %row = "ttir.constant"() <{value = dense<[[8, 0, 3]]> : tensor<1x3xi32>}> : () -> tensor<1x3xi32>
    %all = "ttir.constant"() <{value = dense<70> : tensor<3xi32>}> : () -> tensor<3xi32>
    %half = "ttir.constant"() <{value = dense<25> : tensor<1xi32>}> : () -> tensor<1xi32>
    %start = "ttir.add"(%half, %half) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %out = ttir.empty() : !q
    %outOne = ttir.empty() : !one
    %outChunk = ttir.empty() : !chunk
    %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %v, %three, %out, %all) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (!q, !blocks, !blocks, tensor<3x3xi32>, !q, tensor<3xi32>) -> !q
    %1 = "ttir.paged_scaled_dot_product_attention_decode"(%one, %k, %v, %row, %outOne, %start) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>, sliding_window_size = 40 : ui32}> : (!one, !blocks, !blocks, tensor<1x3xi32>, !one, tensor<1xi32>) -> !one
    %2 = "ttir.chunked_scaled_dot_product_attention"(%chunk, %k, %v, %two, %start, %outChunk) : (!chunk, !blocks, !blocks, tensor<2x3xi32>, tensor<1xi32>, !chunk) -> !chunk
    return %0, %1, %2 : !q, !one, !chunk
  }

  // A device's function: the cache is gathered, the queries are the same on all.
  func.func @gathered(%k: !own, %v: !own) -> !q {
    %q = "ttir.constant"() <{value = dense<0.25> : !q}> : () -> !q
    %kw = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !whole
    %vw = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !whole
    %each = "ttir.constant"() <{value = dense<[99, 10, 37]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %kw, %vw, %each) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (!q, !whole, !whole, tensor<3xi32>) -> !q
    return %0 : !q
  }
}
