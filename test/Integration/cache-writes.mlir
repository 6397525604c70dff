// SPDX-License-Identifier: Apache-2.0
// Rows that are written into a cache before it is read. Where it is dealt out, every
// device writes what it owns: the result is that of the whole cache, after every pass,
// and so is the cache.

// RUN: split-file %s %t
// RUN: for case in paged paged-fill dense dense-fill in-place; do for strategy in split_kv ring pass_q all_gather; do \
// RUN:   ring-run %t/$case.mlir --ring-attention-pipeline=strategy=$strategy --bisect --seed 3 2> %t.err || { cat %t.err; echo $case $strategy; exit 1; }; \
// RUN:   ring-run %t/$case.mlir --ring-attention-pipeline="strategy=$strategy target=ttir" --check --seed 4 2> %t.err || { cat %t.err; echo $case $strategy; exit 1; }; \
// RUN:   ring-run %t/$case.mlir --ring-attention-pipeline="strategy=$strategy target=ttnn" --check --seed 5 2> %t.err || { cat %t.err; echo $case $strategy; exit 1; }; \
// RUN: done; done

// Nobody writes a whole cache, and each device has a quarter of one.
// RUN: ring-opt %t/paged.mlir --ring-attention-pipeline=strategy=split_kv 2>/dev/null | FileCheck %s
// CHECK: %[[K:.+]] = ring.shard %arg1 as <[0, _, _, _] in 4x1> : tensor<16x2x32x32xf32> -> tensor<4x2x32x32xf32>
// CHECK: "ttir.paged_update_cache"(%[[K]], %{{.+}}, %{{.+}}, %{{.+}}) {{.*}}: (tensor<4x2x32x32xf32>, tensor<1x3x2x32xf32>, tensor<3xi32>, tensor<3x1xi32>) -> tensor<4x2x32x32xf32>
// CHECK-NOT: "ttir.paged_update_cache"(%arg

// Two heads that four devices share are written on all of them, each of which attends to
// its own.
// RUN: for case in paged paged-fill dense dense-fill in-place; do \
// RUN:   sed 's/"mesh" = 4x1/"mesh" = 4x4/; s/sequence = 0/sequence = 0, heads = 1/' %t/$case.mlir > %t/shared.mlir; \
// RUN:   for strategy in split_kv ring; do for target in ring ttir ttnn; do \
// RUN:     ring-run %t/shared.mlir --ring-attention-pipeline="strategy=$strategy target=$target" --check --seed 6 2> %t.err || { cat %t.err; echo $case $strategy $target; exit 1; }; \
// RUN: done; done; done
// RUN: ring-opt %t/shared.mlir --ring-attention-pipeline=strategy=split_kv 2>/dev/null | FileCheck %s --check-prefix=SHARED
// SHARED: %[[K:.+]] = ring.shard %arg1 as <[0, _, _, _] in 4x4> : tensor<16x2x32x32xf32> -> tensor<4x2x32x32xf32>
// SHARED: "ttir.paged_update_cache"(%[[K]], %{{.+}}, %{{.+}}, %{{.+}})
// SHARED-NOT: "ttir.paged_update_cache"(%arg
// SHARED: ring.select {{.+}} where [false, false, true, true] on <1 in 4x4> : tensor<4x1x32x32xf32>

// What was written in place is so again for a device.
// RUN: ring-opt %t/in-place.mlir --ring-attention-pipeline="strategy=split_kv target=ttir" 2>/dev/null | FileCheck %s --check-prefix=PLACE
// PLACE: "ttir.paged_update_cache"(%[[K:[0-9]+]], {{.+}} : (tensor<4x2x32x32xf32>, tensor<1x3x2x32xf32>, tensor<3xi32>, tensor<3x1xi32>) -> ()
// PLACE: "ttir.reshape"(%[[K]])
// PLACE-NOT: ring.in_place

// TTNN has it so alone.
// RUN: ring-opt %t/in-place.mlir --ring-attention-pipeline="strategy=split_kv target=ttnn" -o %t/in-place.ttnn.mlir 2>/dev/null
// RUN: FileCheck %s --check-prefix=TTNN < %t/in-place.ttnn.mlir
// RUN: ring-opt %t/in-place.ttnn.mlir | diff %t/in-place.ttnn.mlir -
// TTNN: "ttnn.paged_update_cache"(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{share_cache = false}> : (tensor<4x2x32x32xf32, {{.+}}>, tensor<1x3x2x32xf32, {{.+}}>, tensor<3xi32, {{.+}}>, tensor<3x1xi32, {{.+}}>) -> ()

// A host program says that it has no such call.
// RUN: not ring-translate --mlir-to-python %t/in-place.ttnn.mlir -o %t/in-place.py 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not ring-translate --mlir-to-cpp %t/in-place.ttnn.mlir -o %t/in-place.cpp 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: 'ttnn.paged_update_cache' op

// A table that names another device's block is found out when it runs: block 4 is the
// second device's, and the first page the first one's.
// RUN: sed 's/dense<\[\[1, 4,/dense<[[4, 1,/' %t/paged.mlir > %t/swapped.mlir
// RUN: not ring-run %t/swapped.mlir --ring-attention-pipeline=strategy=split_kv 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: {{.*}}expects indices from 0 to 3, but index 0 is 4

//--- paged.mlir
!q = tensor<1x3x4x32xf32>
!x = tensor<1x3x2x32xf32>
!pages = tensor<16x2x32x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !pages, %v: !pages, %xk: !x, %xv: !x) -> (!q, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12], [0, 7, 8, -1], [3, 5, 10, 15]]> : tensor<3x4xi32>}> : () -> tensor<3x4xi32>
    %at = "ttir.constant"() <{value = dense<[127, 40, -1]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.paged_update_cache"(%k, %xk, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> !pages
    %v1 = "ttir.paged_update_cache"(%v, %xv, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> !pages
    %out = ttir.empty() : !q
    %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k1, %v1, %t, %out, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, !pages, tensor<3x4xi32>, !q, tensor<3xi32>) -> !q
    return %0, %k1 : !q, !pages
  }
}

//--- paged-fill.mlir
!q = tensor<1x4x32x32xf32>
!x = tensor<1x2x96x32xf32>
!pages = tensor<16x2x32x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @chunk(%q: !q, %k: !pages, %v: !pages, %xk: !x, %xv: !x) -> (!q, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12, 0, 7, 8, -1]]> : tensor<1x8xi32>}> : () -> tensor<1x8xi32>
    %k1 = "ttir.paged_fill_cache"(%k, %xk, %t) : (!pages, !x, tensor<1x8xi32>) -> !pages
    %v1 = "ttir.paged_fill_cache"(%v, %xv, %t) : (!pages, !x, tensor<1x8xi32>) -> !pages
    %out = ttir.empty() : !q
    %from = "ttir.constant"() <{value = dense<70> : tensor<1xi32>}> : () -> tensor<1xi32>
    %0 = "ttir.chunked_scaled_dot_product_attention"(%q, %k1, %v1, %t, %from, %out) {ring.parallel = #dealt} : (!q, !pages, !pages, tensor<1x8xi32>, tensor<1xi32>, !q) -> !q
    return %0, %v1 : !q, !pages
  }
}

//--- dense.mlir
!q = tensor<1x3x4x32xf32>
!x = tensor<1x2x3x32xf32>
!cache = tensor<3x2x100x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 8>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !cache, %v: !cache, %xk: !x, %xv: !x) -> (!q, !cache) {
    %i = "ttir.constant"() <{value = dense<61> : tensor<1xi32>}> : () -> tensor<1xi32>
    %at = "ttir.constant"() <{value = dense<61> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.update_cache"(%k, %xk, %i) <{batch_offset = 0 : i32}> : (!cache, !x, tensor<1xi32>) -> !cache
    %v1 = "ttir.update_cache"(%v, %xv, %i) <{batch_offset = 0 : i32}> : (!cache, !x, tensor<1xi32>) -> !cache
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k1, %v1, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !cache, !cache, tensor<3xi32>) -> !q
    return %0, %k1 : !q, !cache
  }
}

//--- dense-fill.mlir
!q = tensor<1x3x4x32xf32>
!x = tensor<1x2x37x32xf32>
!cache = tensor<3x2x100x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 8>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !cache, %v: !cache, %xk: !x, %xv: !x) -> (!q, !cache, !cache) {
    %at = "ttir.constant"() <{value = dense<[50, 99, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %k1 = "ttir.fill_cache"(%k, %xk) <{batch_offset = 1 : i32}> : (!cache, !x) -> !cache
    %v1 = "ttir.fill_cache"(%v, %xv) <{batch_offset = 1 : i32}> : (!cache, !x) -> !cache
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k1, %v1, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !cache, !cache, tensor<3xi32>) -> !q
    return %0, %k1, %v1 : !q, !cache, !cache
  }
}

//--- in-place.mlir
!q = tensor<1x3x4x32xf32>
!x = tensor<1x3x2x32xf32>
!pages = tensor<16x2x32x32xf32>
#dealt = #ring.parallel<sequence = 0, cache_block = 32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  func.func @step(%q: !q, %k: !pages, %v: !pages, %xk: !x, %xv: !x) -> (!q, !pages) {
    %t = "ttir.constant"() <{value = dense<[[1, 4, 11, 12], [0, 7, 8, -1], [3, 5, 10, 15]]> : tensor<3x4xi32>}> : () -> tensor<3x4xi32>
    %at = "ttir.constant"() <{value = dense<[127, 40, -1]> : tensor<3xi32>}> : () -> tensor<3xi32>
    "ttir.paged_update_cache"(%k, %xk, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> ()
    "ttir.paged_update_cache"(%v, %xv, %at, %t) <{share_cache = false}> : (!pages, !x, tensor<3xi32>, tensor<3x4xi32>) -> ()
    %out = ttir.empty() : !q
    %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %v, %t, %out, %at) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> {ring.parallel = #dealt} : (!q, !pages, !pages, tensor<3x4xi32>, !q, tensor<3xi32>) -> !q
    return %0, %k : !q, !pages
  }
}
