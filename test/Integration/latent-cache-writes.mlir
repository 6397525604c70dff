// SPDX-License-Identifier: Apache-2.0
// Rows that are written into a latent cache, one tensor of keys whose first columns are
// the values, before it is read. Every device writes what it owns, also where its one
// head serves the query heads of several devices: the result is that of the whole cache,
// after every pass, and so is the cache.

// RUN: split-file %s %t
// RUN: for case in paged paged-fill dense dense-fill in-place; do for strategy in split_kv ring pass_q all_gather; do \
// RUN:   ring-run %t/$case.mlir --ring-attention-pipeline=strategy=$strategy --bisect --seed 3 2> %t.err || { cat %t.err; echo $case $strategy; exit 1; }; \
// RUN:   ring-run %t/$case.mlir --ring-attention-pipeline="strategy=$strategy target=ttir" --check --seed 4 2> %t.err || { cat %t.err; echo $case $strategy; exit 1; }; \
// RUN: done; done

// Nobody writes a whole cache, each device has a quarter of one, and no head is repeated.
// RUN: ring-opt %t/paged.mlir --ring-attention-pipeline=strategy=split_kv 2>/dev/null | FileCheck %s
// CHECK-NOT: "ttir.repeat_interleave"
// CHECK: %[[K:.+]] = ring.shard %arg1 as <[0, _, _, _] in 4x2> : tensor<16x1x32x48xf32> -> tensor<4x1x32x48xf32>
// CHECK: "ttir.paged_update_cache"(%[[K]], %{{.+}}, %{{.+}}, %{{.+}}) {{.*}}: (tensor<4x1x32x48xf32>, tensor<1x3x1x48xf32>, tensor<3xi32>, tensor<3x1xi32>) -> tensor<4x1x32x48xf32>
// CHECK-NOT: "ttir.paged_update_cache"

// Who reads the values for something else needs the whole cache.
// RUN: ring-opt %t/read-twice.mlir --ring-attention-pipeline=strategy=split_kv 2>/dev/null | FileCheck %s --check-prefix=TWICE
// TWICE: "ttir.paged_update_cache"(%arg1
// RUN: ring-run %t/read-twice.mlir --ring-attention-pipeline=strategy=split_kv --check

//--- paged.mlir
!q = tensor<1x3x8x48xf32>
!o = tensor<1x3x8x32xf32>
!x = tensor<1x3x1x48xf32>
!pages = tensor<16x1x32x48xf32>
#dealt = #ring.parallel<sequence = 0, heads = 1, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @step(%q: !q, %k: !pages, %x: !x) -> (!o, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12], [0, 7, 8, -1], [3, 5, 10, 15]]> : tensor<3x4xi32>}> : () -> tensor<3x4xi32>
    %at = "ttir.constant"() <{value = dense<[127, 40, -1]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.paged_update_cache"(%k, %x, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> !pages
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k1, %t, %at) <{head_dim_v = 32 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, tensor<3x4xi32>, tensor<3xi32>) -> !o
    return %0, %k1 : !o, !pages
  }
}

//--- paged-fill.mlir
!q = tensor<1x4x32x48xf32>
!o = tensor<1x4x32x32xf32>
!x = tensor<1x1x96x48xf32>
!pages = tensor<16x1x32x48xf32>
!values = tensor<16x1x32x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @chunk(%q: !q, %k: !pages, %x: !x) -> (!o, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12, 0, 7, 8, -1]]> : tensor<1x8xi32>}> : () -> tensor<1x8xi32>
    %k1 = "ttir.paged_fill_cache"(%k, %x, %t) : (!pages, !x, tensor<1x8xi32>) -> !pages
    %v1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [16 : i32, 1 : i32, 32 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!pages) -> !values
    %from = "ttir.constant"() <{value = dense<70> : tensor<1xi32>}> : () -> tensor<1xi32>
    %0 = ring.attention %q, %k1, %v1 pages(%t : tensor<1x8xi32>) start(%from : tensor<1xi32>) pattern(#ring.causal) parallel(#dealt) : !q, !pages, !values -> !o
    return %0, %k1 : !o, !pages
  }
}

//--- dense.mlir
!q = tensor<3x4x1x48xf32>
!o = tensor<3x4x1x32xf32>
!x = tensor<1x1x3x48xf32>
!cache = tensor<3x1x100x48xf32>
!values = tensor<3x1x100x32xf32>
#dealt = #ring.parallel<sequence = 0, heads = 1, cache_block = 8>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @step(%q: !q, %k: !cache, %x: !x) -> (!o, !cache) {
    %i = "ttir.constant"() <{value = dense<61> : tensor<1xi32>}> : () -> tensor<1xi32>
    %at = "ttir.constant"() <{value = dense<61> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.update_cache"(%k, %x, %i) <{batch_offset = 0 : i32}> : (!cache, !x, tensor<1xi32>) -> !cache
    %v1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 1 : i32, 100 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!cache) -> !values
    %0 = ring.attention %q, %k1, %v1 start(%at : tensor<3xi32>) pattern(#ring.causal) parallel(#dealt) : !q, !cache, !values -> !o
    return %0, %k1 : !o, !cache
  }
}

//--- dense-fill.mlir
!q = tensor<3x4x1x48xf32>
!o = tensor<3x4x1x32xf32>
!x = tensor<1x1x37x48xf32>
!cache = tensor<3x1x100x48xf32>
!values = tensor<3x1x100x32xf32>
#dealt = #ring.parallel<sequence = 0, heads = 1, cache_block = 8>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @step(%q: !q, %k: !cache, %x: !x) -> (!o, !cache) {
    %at = "ttir.constant"() <{value = dense<[50, 99, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.fill_cache"(%k, %x) <{batch_offset = 1 : i32}> : (!cache, !x) -> !cache
    %v1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 1 : i32, 100 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!cache) -> !values
    %0 = ring.attention %q, %k1, %v1 start(%at : tensor<3xi32>) pattern(#ring.causal) parallel(#dealt) : !q, !cache, !values -> !o
    return %0, %k1 : !o, !cache
  }
}

//--- in-place.mlir
!q = tensor<1x3x8x48xf32>
!o = tensor<1x3x8x32xf32>
!x = tensor<1x3x1x48xf32>
!pages = tensor<16x1x32x48xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !pages, %x: !x) -> (!o, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12], [0, 7, 8, -1], [3, 5, 10, 15]]> : tensor<3x4xi32>}> : () -> tensor<3x4xi32>
    %at = "ttir.constant"() <{value = dense<[127, 40, -1]> : tensor<3xi32>}> : () -> tensor<3xi32>
    "ttir.paged_update_cache"(%k, %x, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> ()
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t, %at) <{head_dim_v = 32 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, tensor<3x4xi32>, tensor<3xi32>) -> !o
    return %0, %k : !o, !pages
  }
}

//--- read-twice.mlir
!q = tensor<1x3x8x48xf32>
!o = tensor<1x3x8x32xf32>
!x = tensor<1x3x1x48xf32>
!pages = tensor<16x1x32x48xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !pages, %x: !x) -> (!o, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12], [0, 7, 8, -1], [3, 5, 10, 15]]> : tensor<3x4xi32>}> : () -> tensor<3x4xi32>
    %at = "ttir.constant"() <{value = dense<[127, 40, -1]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.paged_update_cache"(%k, %x, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> !pages
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k1, %t, %at) <{head_dim_v = 32 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, tensor<3x4xi32>, tensor<3xi32>) -> !o
    %1 = "ttir.add"(%k1, %k1) : (!pages, !pages) -> !pages
    return %0, %1 : !o, !pages
  }
}
