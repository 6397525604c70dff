// SPDX-License-Identifier: Apache-2.0
// A fused plan becomes a composite on the shards, with the explicit ring as its
// decomposition.

// RUN: ring-opt %s --ring-outline-fused --split-input-file | FileCheck %s
// RUN: ring-opt %s --ring-outline-fused --ring-shard --canonicalize --split-input-file | FileCheck %s --check-prefix=SHARDED

!x = tensor<1x8x500x64xbf16>

// CHECK-LABEL: func.func @joint_op(
// CHECK:         %[[Q:.+]] = ring.shard %{{.+}} as <[_, 0, 1, _] in 2x4, sequence = 2 as <contiguous, 512 over 4>> : tensor<1x8x500x64xbf16> -> tensor<1x4x128x64xbf16>
// CHECK:         %[[K:.+]] = ring.shard
// CHECK:         %[[V:.+]] = ring.shard
// CHECK:         %[[LOCAL:.+]] = "ttcore.composite"(%[[Q]], %[[K]], %[[V]])
// CHECK-SAME:        cluster_axis = 1 : ui32
// CHECK-SAME:        compute_with_storage_grid_size = array<i64: 8, 7>
// CHECK-SAME:        dim = 2 : si32
// CHECK-SAME:        exp_approx_mode = false
// CHECK-SAME:        fp32_dest_acc_en = false
// CHECK-SAME:        is_balanced = false, is_causal = false, is_cross = false
// CHECK-SAME:        joint_strategy = "rear"
// CHECK-SAME:        k_chunk_size = 512 : i64
// CHECK-SAME:        logical_l = 0 : i64, logical_n = 500 : i64
// CHECK-SAME:        math_approx_mode = false, math_fidelity = "hifi2"
// CHECK-SAME:        num_links = 2 : ui32
// CHECK-SAME:        q_chunk_size = 256 : i64, ring_size = 4 : ui32, scale = 1.250000e-01 : f32
// CHECK-SAME:        topology = #ttcore.topology<linear>
// CHECK-SAME:        composite_name = "ring_joint_scaled_dot_product_attention", decomposition = @[[FALLBACK:[a-z_0-9]+]]
// CHECK:         %[[OUT:.+]] = ring.unshard %[[LOCAL]]
// CHECK:         return %[[OUT]]
// CHECK:       func.func private @[[FALLBACK]](%{{.+}}: tensor<1x4x128x64xbf16>, %{{.+}}: tensor<1x4x128x64xbf16>, %{{.+}}: tensor<1x4x128x64xbf16>) -> tensor<1x4x128x64xbf16>
// CHECK:         ring.attention {{.*}} length(500) {{.*}} per_device : tensor<1x4x512x64xbf16>

// The whole tensors of the fallback are never put together.
// SHARDED-LABEL: func.func private @ring_attention
// SHARDED-NOT:     ring.unshard
// SHARDED-NOT:     ring.shard
// SHARDED-COUNT-4: ring.partial
func.func @joint_op(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v parallel(<sequence = 1, heads = 0>)
      plan(<strategy = ring, axis = <1 in 2x4>, heads_axis = 0, form = fused, topology = linear, num_links = 2,
            compute = <q_chunk = 256, k_chunk = 512, grid = 8x7>>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x256x64xbf16>
!j = tensor<1x4x40x64xbf16>

// Joint tokens are on every device.
// CHECK-LABEL: func.func @joint_tokens(
// CHECK:         %[[LOCAL:.+]]:2 = "ttcore.composite"
// CHECK-SAME:        logical_l = 40 : i64, logical_n = 256 : i64
// CHECK-SAME:        (tensor<1x4x128x64xbf16>, tensor<1x4x128x64xbf16>, tensor<1x4x128x64xbf16>, tensor<1x4x40x64xbf16>, tensor<1x4x40x64xbf16>, tensor<1x4x40x64xbf16>) -> (tensor<1x4x128x64xbf16>, tensor<1x4x40x64xbf16>)
func.func @joint_tokens(%q: !x, %k: !x, %v: !x, %jq: !j, %jk: !j, %jv: !j) -> (!x, !j) {
  %0, %1 = ring.attention %q, %k, %v joint(%jq, %jk, %jv : !j, !j, !j) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x2>, form = fused>) : !x, !x, !x -> !x joint(!j)
  return %0, %1 : !x, !j
}

// -----

!x = tensor<1x4x256x64xbf16>

// The op that does not communicate takes all rows and gives a zigzag shard.
// CHECK-LABEL: func.func @distributed_op(
// CHECK:         %[[LOCAL:.+]] = "ttcore.composite"
// CHECK-SAME:        composite_name = "ring_distributed_scaled_dot_product_attention"
// CHECK-SAME:        -> tensor<1x4x128x64xbf16>
// CHECK:         ring.unshard %[[LOCAL]] as <[_, _, 1, _] in 1x2, sequence = 2 as <zigzag, 256 over 2>>
func.func @distributed_op(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = all_gather, axis = <1 in 1x2>, layout = zigzag, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x256x64xbf16>

// An explicit plan is not this pass's business.
// CHECK-LABEL: func.func @explicit(
// CHECK-NEXT:    ring.attention
// CHECK-NOT:     composite
func.func @explicit(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x2>, layout = zigzag>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x256x64xbf16>
!j = tensor<1x4x200x64xbf16>

// Joint tokens that are dealt out: 200 on 2 ranks, padded to 4 tiles each, so the
// device op knows by 128 < 200 that they are shares.
// CHECK-LABEL: func.func @joint_shares(
// CHECK:         ring.shard %{{.+}} as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 256 over 2>> : tensor<1x4x200x64xbf16> -> tensor<1x4x128x64xbf16>
// CHECK:         %[[LOCAL:.+]]:2 = "ttcore.composite"
// CHECK-SAME:        logical_l = 200 : i64, logical_n = 256 : i64
// CHECK-SAME:        num_global_semaphores = 2 : ui32
// CHECK-SAME:        persistent_output_buffer_joint_k = tensor<1x4x256x64xbf16>, persistent_output_buffer_joint_v = tensor<1x4x256x64xbf16>
// CHECK-SAME:        persistent_output_buffer_k = tensor<1x4x256x64xbf16>, persistent_output_buffer_v = tensor<1x4x256x64xbf16>
// CHECK:         ring.unshard %[[LOCAL]]#1 as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 256 over 2>> : tensor<1x4x128x64xbf16> -> tensor<1x4x200x64xbf16>
// CHECK:       func.func private @ring_attention
// CHECK:         ring.attention {{.*}} joint_length(200) parallel(<sequence = 1, joint = sharded>) {{.*}} per_device

// SHARDED-LABEL: func.func @joint_shares(
// SHARDED-LABEL: func.func private @ring_attention
// SHARDED-NOT:     ring.unshard
// SHARDED-NOT:     ring.shard
// SHARDED:         ring.all_gather
// SHARDED-COUNT-2: ring.partial
// SHARDED:         ring.partial {{.+}} length(200)
func.func @joint_shares(%q: !x, %k: !x, %v: !x, %jq: !j, %jk: !j, %jv: !j) -> (!x, !j) {
  %0, %1 = ring.attention %q, %k, %v joint(%jq, %jk, %jv : !j, !j, !j) parallel(<sequence = 1, joint = sharded>)
      plan(<strategy = ring, axis = <1 in 1x2>, form = fused>) : !x, !x, !x -> !x joint(!j)
  return %0, %1 : !x, !j
}

// -----

!x = tensor<1x4x256x64xbf16>
!cache = tensor<20x2x64x64xbf16>
!table = tensor<1x8xi32>

// The page table is an operand, the start of the chunk a parameter. What the op may
// be replaced by puts the pages together by itself.
// CHECK-LABEL: func.func @pages(
// CHECK:         "ttcore.composite"(%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}})
// CHECK-SAME:        chunk_start_idx = 128 : i64
// CHECK-SAME:        composite_name = "ring_distributed_scaled_dot_product_attention"
// CHECK-SAME:        (tensor<1x4x256x64xbf16>, tensor<20x2x64x64xbf16>, tensor<20x2x64x64xbf16>, tensor<1x8xi32>) -> tensor<1x4x128x64xbf16>

// SHARDED-LABEL: func.func @pages(
// SHARDED-LABEL: func.func private @ring_attention
// SHARDED-NOT:     ring.unshard
// SHARDED:         "ttir.embedding"
// SHARDED:         ring.partial {{.+}} block(<queries = <zigzag, 256 over 2, offset = 128>, keys = <contiguous, 512 over 1>, axis = <1 in 1x2>>)
func.func @pages(%q: !x, %k: !cache, %v: !cache, %t: !table) -> !x {
  %start = "ttir.constant"() <{value = dense<128> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = ring.attention %q, %k, %v pages(%t : !table) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = all_gather, axis = <1 in 1x2>, layout = zigzag, form = fused>) : !x, !cache, !cache -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x512x64xbf16>

// Every setting of the plan reaches the device op under that op's name for it.
// CHECK-LABEL: func.func @settings(
// CHECK:         "ttcore.composite"
// CHECK-SAME:        ccl_core_grid_offset = array<i64: 0, 7>
// CHECK-SAME:        cluster_axis = 1 : ui32
// CHECK-SAME:        compute_with_storage_grid_size = array<i64: 8, 7>
// CHECK-SAME:        exp_approx_mode = true
// CHECK-SAME:        fp32_dest_acc_en = true
// CHECK-SAME:        is_balanced = true, is_causal = true, is_cross = false
// CHECK-SAME:        k_chunk_size = 128 : i64
// CHECK-SAME:        math_approx_mode = true, math_fidelity = "hifi4"
// CHECK-SAME:        num_global_semaphores = 2 : ui32, num_links = 4 : ui32
// CHECK-SAME:        persistent_output_buffer_k = tensor<1x4x512x64xbf16>, persistent_output_buffer_v = tensor<1x4x512x64xbf16>
// CHECK-SAME:        q_chunk_size = 64 : i64
// CHECK-SAME:        topology = #ttcore.topology<ring>, use_column_major_ccl = false
func.func @settings(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, layout = zigzag, form = fused, num_links = 4,
            compute = <q_chunk = 64, k_chunk = 128, exp_approx = true, fidelity = hifi4, fp32_accumulation = true,
                       grid = 8x7, ccl_offset = 0x7>>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x512x64xbf16>

// The op that does not communicate has neither links nor cores that move data.
// CHECK-LABEL: func.func @settings_without_transfers(
// CHECK:         "ttcore.composite"
// CHECK-NOT:         ccl_core_grid_offset
// CHECK-NOT:         num_links
// CHECK-NOT:         persistent_output_buffer
// CHECK-SAME:        compute_with_storage_grid_size = array<i64: 8, 8>
// CHECK-SAME:        exp_approx_mode = true
// CHECK-SAME:        fp32_dest_acc_en = true
// CHECK-SAME:        k_chunk_size = 128 : i64
// CHECK-SAME:        math_fidelity = "lofi"
// CHECK-SAME:        q_chunk_size = 64 : i64, ring_size = 4 : ui32
// CHECK:         return
func.func @settings_without_transfers(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = all_gather, axis = <1 in 1x4>, layout = zigzag, form = fused, num_links = 4,
            compute = <q_chunk = 64, k_chunk = 128, exp_approx = true, fidelity = lofi, fp32_accumulation = true,
                       grid = 8x8, ccl_offset = 0x8>>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x512x64xbf16>

// Cores beside those that compute follow each other down a column, and the op has
// to be told. What the plan leaves open is said all the same: chunks of one tile,
// no approximation.
// CHECK-LABEL: func.func @column(
// CHECK:         "ttcore.composite"
// CHECK-SAME:        ccl_core_grid_offset = array<i64: 7, 0>
// CHECK-SAME:        exp_approx_mode = false, fp32_dest_acc_en = false
// CHECK-SAME:        k_chunk_size = 32 : i64
// CHECK-SAME:        math_approx_mode = false, math_fidelity = "hifi2"
// CHECK-SAME:        q_chunk_size = 32 : i64
// CHECK-SAME:        use_column_major_ccl = true
func.func @column(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, form = fused, compute = <grid = 7x8, ccl_offset = 7x0>>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x500x64xbf16>

// The op takes padding to be the last rows of the last rank, which of a zigzag are
// not the end of the sequence. It is told of none, and the pattern hides the
// padding; in order it is told.
// CHECK-LABEL: func.func @padded_zigzag(
// CHECK:         "ttcore.composite"
// CHECK-SAME:        is_balanced = true, is_causal = true
// CHECK-SAME:        logical_n = 512 : i64
// CHECK:       func.func private @ring_attention
// CHECK-NOT:     length(
// CHECK:       func.func @padded_in_order(
// CHECK:         "ttcore.composite"
// CHECK-SAME:        is_balanced = false, is_causal = true
// CHECK-SAME:        logical_n = 500 : i64
func.func @padded_zigzag(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, layout = zigzag, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}
func.func @padded_in_order(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!q = tensor<1x4x100x64xbf16>
!kv = tensor<1x2x1000x64xbf16>

// Fewer queries than keys.
// CHECK-LABEL: func.func @cross(
// CHECK:         "ttcore.composite"
// CHECK-SAME:        is_balanced = false, is_causal = false, is_cross = true
// CHECK-SAME:        logical_n = 1000 : i64
// CHECK-SAME:        (tensor<1x4x32x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x4x32x64xbf16>
func.func @cross(%q: !q, %k: !kv, %v: !kv) -> !q {
  %0 = ring.attention %q, %k, %v parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, form = fused>) : !q, !kv, !kv -> !q
  return %0 : !q
}

// -----

!x = tensor<1x4x256x64x!ttcore.tile<32x32, bfp_bf8>>

// The op gives bf16, whatever it is given, and so does what it may be replaced by.
// CHECK-LABEL: func.func @block_floats(
// CHECK:         %[[LOCAL:.+]] = "ttcore.composite"
// CHECK-SAME:        -> tensor<1x4x128x64xbf16>
// CHECK:         %[[CAST:.+]] = "ttir.typecast"(%[[LOCAL]]) {{.*}} -> tensor<1x4x128x64x!ttcore.tile<32x32, bfp_bf8>>
// CHECK:         ring.unshard %[[CAST]]
// CHECK:       func.func private @ring_attention
// CHECK:         "ttir.typecast"(%{{.+}}) {{.*}} -> tensor<1x4x128x64xbf16>
// CHECK-NEXT:    return
func.func @block_floats(%q: !x, %k: !x, %v: !x) -> !x {
  %0 = ring.attention %q, %k, %v parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x2>, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}
