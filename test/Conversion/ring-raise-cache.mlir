// SPDX-License-Identifier: Apache-2.0
// Attentions over a cache: decode steps, with and without pages, and chunks of a
// prefill.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-diagnostics | FileCheck %s

#split = #ring.parallel<sequence = 0>
!q = tensor<1x2x4x16xbf16>
!cache = tensor<2x2x64x16xbf16>

// A constant position is a length: 20 keys up to position 19.

// CHECK-LABEL: func.func @constant_position(
// CHECK: %[[Q:.+]] = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 2, 0, 3>}> : {{.+}} -> tensor<2x4x1x16xbf16>
// CHECK: %[[O:.+]] = ring.attention %[[Q]], %arg1, %arg1 scale(5.000000e-01) length(20) parallel(<sequence = 0>)
// CHECK: %[[BACK:.+]] = "ttir.permute"(%[[O]]) <{permutation = array<i64: 2, 0, 1, 3>}> : {{.+}} -> tensor<1x2x4x16xbf16>
// CHECK: return %[[BACK]]
func.func @constant_position(%q: !q, %k: !cache) -> !q {
  %p = "ttir.constant"() <{value = dense<19> : tensor<2xi32>}> : () -> tensor<2xi32>
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, scale = 0.5 : f32}> {ring.parallel = #split} : (!q, !cache, !cache, tensor<2xi32>) -> !q
  return %0 : !q
}

// Any other is where the one query of each user stands.

// CHECK-LABEL: func.func @position_of_each_user(
// CHECK: ring.attention {{.+}}, %arg1, %arg1 sink(%arg3 : {{.+}}) start(%arg2 : tensor<2xi32>) pattern(#ring.causal) parallel(<sequence = 0>)
func.func @position_of_each_user(%q: !q, %k: !cache, %p: tensor<2xi32>, %s: tensor<1x4x1x1xbf16>) -> !q {
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %p, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}> {ring.parallel = #split} : (!q, !cache, !cache, tensor<2xi32>, tensor<1x4x1x1xbf16>) -> !q
  return %0 : !q
}

// Without is_causal the position says nothing.

// CHECK-LABEL: func.func @mask(
// CHECK: %[[MASK:.+]] = "ttir.permute"(%arg3) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x1x4x64xbf16>) -> tensor<1x4x1x64xbf16>
// CHECK: ring.attention {{.+}} mask(%[[MASK]] : tensor<1x4x1x64xbf16>) parallel
func.func @mask(%q: !q, %k: !cache, %p: tensor<2xi32>, %m: tensor<1x1x4x64xbf16>) -> !q {
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %m, %p) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}> {ring.parallel = #split} : (!q, !cache, !cache, tensor<1x1x4x64xbf16>, tensor<2xi32>) -> !q
  return %0 : !q
}

// -----

!q = tensor<1x2x4x16xbf16>
!own = tensor<2x2x16x16xbf16>
!cache = tensor<2x2x64x16xbf16>

// A device's function that gathers the cache: the query is on every device.

// CHECK-LABEL: func.func @gathered_cache(
// CHECK: %[[K:.+]] = "ttir.all_gather"(%arg1)
// CHECK: ring.attention {{.+}}, %[[K]], %[[K]] length(64) parallel(<sequence = 1>) per_device
func.func @gathered_cache(%q: !q, %k: !own) -> !q {
  %all = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !cache
  %p = "ttir.constant"() <{value = dense<63> : tensor<2xi32>}> : () -> tensor<2xi32>
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %all, %all, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (!q, !cache, !cache, tensor<2xi32>) -> !q
  return %0 : !q
}

// -----

#split = #ring.parallel<sequence = 0>
!q = tensor<1x1x4x16xbf16>
!chunk = tensor<1x4x64x16xbf16>
!pages = tensor<8x2x32x16xbf16>
!table = tensor<1x3xi32>

// A user's position is where a chunk of one query starts.

// CHECK-LABEL: func.func @one_user(
// CHECK: ring.attention {{.+}}, %arg1, %arg1 pages(%arg2 : tensor<1x3xi32>) start(%arg3 : tensor<1xi32>) pattern(#ring.window<before = 9, after = 0>) parallel(<sequence = 0>)
// CHECK-NOT: ttir.empty
func.func @one_user(%q: !q, %k: !pages, %t: !table, %p: tensor<1xi32>) -> !q {
  %out = ttir.empty() : !q
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %k, %t, %out, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>, sliding_window_size = 10 : ui32}> {ring.parallel = #split} : (!q, !pages, !pages, !table, !q, tensor<1xi32>) -> !q
  return %0 : !q
}

// Without a position all keys count: the query is the last.

// CHECK-LABEL: func.func @full_pages(
// CHECK: %[[START:.+]] = "ttir.constant"() <{value = dense<95> : tensor<1xi32>}>
// CHECK: ring.attention {{.+}} pages(%arg2 : tensor<1x3xi32>) start(%[[START]] : tensor<1xi32>) pattern(#ring.causal)
func.func @full_pages(%q: !q, %k: !pages, %t: !table) -> !q {
  %out = ttir.empty() : !q
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %k, %t, %out) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>}> {ring.parallel = #split} : (!q, !pages, !pages, !table, !q) -> !q
  return %0 : !q
}

// CHECK-LABEL: func.func @chunk(
// CHECK: ring.attention %arg0, %arg1, %arg1 pages(%arg2 : tensor<1x3xi32>) start(%arg3 : tensor<1xi32>) pattern(#ring.causal) scale(5.000000e-01) parallel(<sequence = 0>)
func.func @chunk(%q: !chunk, %k: !pages, %t: !table, %start: tensor<1xi32>) -> !chunk {
  %out = ttir.empty() : !chunk
  %0 = "ttir.chunked_scaled_dot_product_attention"(%q, %k, %k, %t, %start, %out) <{scale = 0.5 : f32}> {ring.parallel = #split} : (!chunk, !pages, !pages, !table, tensor<1xi32>, !chunk) -> !chunk
  return %0 : !chunk
}

// -----

#dealt = #ring.parallel<sequence = 0, cache_block = 32>
!q = tensor<1x2x4x16xbf16>
!cache = tensor<2x2x64x16xbf16>
!pages = tensor<8x2x32x16xbf16>
!x = tensor<1x4x64x16xbf16>

// A cache that is dealt out: every user has a position, also if it is a constant;
// and the block says nothing of a sequence that is no cache.

// CHECK-LABEL: func.func @dealt_caches(
// CHECK: ring.attention {{.+}} pages(%arg2 : tensor<2x3xi32>) start(%arg3 : tensor<2xi32>) pattern(#ring.causal) parallel(<sequence = 0, cache_block = 32>)
// CHECK: %[[LAST:.+]] = "ttir.constant"() <{value = dense<19>
// CHECK: ring.attention {{.+}} start(%[[LAST]] : tensor<2xi32>) pattern(#ring.causal) parallel(<sequence = 0, cache_block = 32>)
// CHECK: ring.attention %arg4, %arg4, %arg4 pattern(#ring.causal) parallel(<sequence = 0>)
func.func @dealt_caches(%q: !q, %k: !pages, %t: tensor<2x3xi32>, %p: tensor<2xi32>, %x: !x, %c: !cache) -> (!q, !q, !x)
    attributes {ring.parallel = #dealt} {
  %out = ttir.empty() : !q
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %k, %t, %out, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (!q, !pages, !pages, tensor<2x3xi32>, !q, tensor<2xi32>) -> !q
  %last = "ttir.constant"() <{value = dense<19> : tensor<2xi32>}> : () -> tensor<2xi32>
  %1 = "ttir.scaled_dot_product_attention_decode"(%q, %c, %c, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (!q, !cache, !cache, tensor<2xi32>) -> !q
  %2 = "ttir.scaled_dot_product_attention"(%x, %x, %x) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!x, !x, !x) -> !x
  return %0, %1, %2 : !q, !q, !x
}
