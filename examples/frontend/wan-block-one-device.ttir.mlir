// SPDX-License-Identifier: Apache-2.0
// The block of wan-block.ttir.mlir as it arrives from a model that knows nothing of
// several devices: whole tensors on a mesh of one (P4, once an option names it).
!tokens = tensor<1x384x64xbf16>
!text = tensor<1x48x64xbf16>
!one = tensor<1x1x64xbf16>
!angles = tensor<1x384x1x16xbf16>
!columns = tensor<64x64xbf16>
!gain = tensor<64xbf16>
!up = tensor<160x64xbf16>
!down = tensor<64x160xbf16>
!features_f32 = tensor<1x384x64xf32>
!row_f32 = tensor<1x384xf32>
!rows_by_head = tensor<1x384x4x16xbf16>
!half = tensor<1x384x4x8xbf16>
!queries = tensor<1x4x384x16xbf16>
!real = tensor<1x370x4x16xbf16>
!keys = tensor<1x4x370x16xbf16>
!text_by_head = tensor<1x48x4x16xbf16>
!text_keys = tensor<1x4x48x16xbf16>
!wide = tensor<1x384x160xbf16>

module @wan_block attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  func.func @main(
      %x: !tokens {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x384x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "hidden_states"},
      %text: !text {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x48x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "encoder_hidden_states"},
      %shift: !one {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "shift_msa"},
      %scale: !one {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "scale_msa"},
      %gate: !one {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "gate_msa"},
      %cos: !angles {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x384x1x16xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "freqs_cos"},
      %sin: !angles {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x384x1x16xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "freqs_sin"},
      %wq: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.to_q.weight"},
      %wk: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.to_k.weight"},
      %wv: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.to_v.weight"},
      %wo: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.to_out.weight"},
      %gq: !gain {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.norm_q.weight"},
      %gk: !gain {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn1.norm_k.weight"},
      %cq: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.to_q.weight"},
      %ck: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.to_k.weight"},
      %c_gq: !gain {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.norm_q.weight"},
      %c_gk: !gain {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.norm_k.weight"},
      %cv: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.to_v.weight"},
      %co: !columns {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "attn2.to_out.weight"},
      %up: !up {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<160x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up.weight"},
      %down: !down {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64x160xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "down.weight"}) -> (!tokens {ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x384x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) {
    // Self attention, of tokens that a time step scales, shifts and gates.
    %normed = "ttir.layer_norm"(%x) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tokens) -> !tokens
    %ones = "ttir.constant"() <{value = dense<1.0> : !one}> : () -> !one
    %factor = "ttir.add"(%scale, %ones) : (!one, !one) -> !one
    %factors = "ttir.broadcast"(%factor) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %scaled = "ttir.multiply"(%normed, %factors) : (!tokens, !tokens) -> !tokens
    %shifts = "ttir.broadcast"(%shift) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %modulated = "ttir.add"(%scaled, %shifts) : (!tokens, !tokens) -> !tokens
    %q_linear = "ttir.dot_general"(%modulated, %wq) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %q_rms_wide = "ttir.typecast"(%q_linear) <{conservative_folding = false}> : (!tokens) -> !features_f32
    %q_rms_square = "ttir.multiply"(%q_rms_wide, %q_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %q_rms_total = "ttir.sum"(%q_rms_square) <{dim_arg = [2 : i32], keep_dim = false}> : (!features_f32) -> !row_f32
    %q_rms_share = "ttir.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %q_rms_mean = "ttir.multiply"(%q_rms_total, %q_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %q_rms_eps = "ttir.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %q_rms_safe = "ttir.add"(%q_rms_mean, %q_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %q_rms_root = "ttir.rsqrt"(%q_rms_safe) : (!row_f32) -> !row_f32
    %q_rms_roots_one = "ttir.reshape"(%q_rms_root) <{shape = [1 : i32, 384 : i32, 1 : i32]}> : (!row_f32) -> tensor<1x384x1xf32>
    %q_rms_roots = "ttir.broadcast"(%q_rms_roots_one) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<1x384x1xf32>) -> !features_f32
    %q_rms_normed = "ttir.multiply"(%q_rms_wide, %q_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %q_rms_narrow = "ttir.typecast"(%q_rms_normed) <{conservative_folding = false}> : (!features_f32) -> !tokens
    %q_rms_gains_one = "ttir.reshape"(%gq) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (!gain) -> !one
    %q_rms_gains = "ttir.broadcast"(%q_rms_gains_one) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %q_rms = "ttir.multiply"(%q_rms_narrow, %q_rms_gains) : (!tokens, !tokens) -> !tokens
    %q_heads = "ttir.reshape"(%q_rms) <{shape = [1 : i32, 384 : i32, 4 : i32, 16 : i32]}> : (!tokens) -> !rows_by_head
    %q_early = "ttir.slice_static"(%q_heads) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 384 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !half
    %q_late = "ttir.slice_static"(%q_heads) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 384 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !half
    %q_back = "ttir.neg"(%q_late) : (!half) -> !half
    %q_turned = "ttir.concat"(%q_back, %q_early) <{dim = 3 : si32}> : (!half, !half) -> !rows_by_head
    %q_cos = "ttir.broadcast"(%cos) <{broadcast_dimensions = array<i64: 1, 1, 4, 1>}> : (!angles) -> !rows_by_head
    %q_sin = "ttir.broadcast"(%sin) <{broadcast_dimensions = array<i64: 1, 1, 4, 1>}> : (!angles) -> !rows_by_head
    %q_c = "ttir.multiply"(%q_heads, %q_cos) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %q_s = "ttir.multiply"(%q_turned, %q_sin) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %q = "ttir.add"(%q_c, %q_s) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %k_linear = "ttir.dot_general"(%modulated, %wk) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %k_rms_wide = "ttir.typecast"(%k_linear) <{conservative_folding = false}> : (!tokens) -> !features_f32
    %k_rms_square = "ttir.multiply"(%k_rms_wide, %k_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %k_rms_total = "ttir.sum"(%k_rms_square) <{dim_arg = [2 : i32], keep_dim = false}> : (!features_f32) -> !row_f32
    %k_rms_share = "ttir.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %k_rms_mean = "ttir.multiply"(%k_rms_total, %k_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %k_rms_eps = "ttir.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %k_rms_safe = "ttir.add"(%k_rms_mean, %k_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %k_rms_root = "ttir.rsqrt"(%k_rms_safe) : (!row_f32) -> !row_f32
    %k_rms_roots_one = "ttir.reshape"(%k_rms_root) <{shape = [1 : i32, 384 : i32, 1 : i32]}> : (!row_f32) -> tensor<1x384x1xf32>
    %k_rms_roots = "ttir.broadcast"(%k_rms_roots_one) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<1x384x1xf32>) -> !features_f32
    %k_rms_normed = "ttir.multiply"(%k_rms_wide, %k_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %k_rms_narrow = "ttir.typecast"(%k_rms_normed) <{conservative_folding = false}> : (!features_f32) -> !tokens
    %k_rms_gains_one = "ttir.reshape"(%gk) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (!gain) -> !one
    %k_rms_gains = "ttir.broadcast"(%k_rms_gains_one) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %k_rms = "ttir.multiply"(%k_rms_narrow, %k_rms_gains) : (!tokens, !tokens) -> !tokens
    %k_heads = "ttir.reshape"(%k_rms) <{shape = [1 : i32, 384 : i32, 4 : i32, 16 : i32]}> : (!tokens) -> !rows_by_head
    %k_early = "ttir.slice_static"(%k_heads) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 384 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !half
    %k_late = "ttir.slice_static"(%k_heads) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 384 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !half
    %k_back = "ttir.neg"(%k_late) : (!half) -> !half
    %k_turned = "ttir.concat"(%k_back, %k_early) <{dim = 3 : si32}> : (!half, !half) -> !rows_by_head
    %k_cos = "ttir.broadcast"(%cos) <{broadcast_dimensions = array<i64: 1, 1, 4, 1>}> : (!angles) -> !rows_by_head
    %k_sin = "ttir.broadcast"(%sin) <{broadcast_dimensions = array<i64: 1, 1, 4, 1>}> : (!angles) -> !rows_by_head
    %k_c = "ttir.multiply"(%k_heads, %k_cos) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %k_s = "ttir.multiply"(%k_turned, %k_sin) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %k = "ttir.add"(%k_c, %k_s) : (!rows_by_head, !rows_by_head) -> !rows_by_head
    %v_linear = "ttir.dot_general"(%modulated, %wv) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %v = "ttir.reshape"(%v_linear) <{shape = [1 : i32, 384 : i32, 4 : i32, 16 : i32]}> : (!tokens) -> !rows_by_head
    // 14 of the 384 tokens are padding: keys and values are cut, queries are not.
    %k_real = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 370 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !real
    %v_real = "ttir.slice_static"(%v) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 370 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!rows_by_head) -> !real
    %q_first = "ttir.permute"(%q) <{permutation = array<i64: 0, 2, 1, 3>}> : (!rows_by_head) -> !queries
    %k_first = "ttir.permute"(%k_real) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !keys
    %v_first = "ttir.permute"(%v_real) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !keys
    %attended = "ttir.scaled_dot_product_attention"(%q_first, %k_first, %v_first) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!queries, !keys, !keys) -> !queries loc("attn1/scaled_dot_product_attention")
    %projected_rows = "ttir.permute"(%attended) <{permutation = array<i64: 0, 2, 1, 3>}> : (!queries) -> !rows_by_head
    %projected_features = "ttir.reshape"(%projected_rows) <{shape = [1 : i32, 384 : i32, 64 : i32]}> : (!rows_by_head) -> !tokens
    %projected = "ttir.dot_general"(%projected_features, %wo) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %gates = "ttir.broadcast"(%gate) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %gated = "ttir.multiply"(%projected, %gates) : (!tokens, !tokens) -> !tokens
    %hidden1 = "ttir.add"(%x, %gated) : (!tokens, !tokens) -> !tokens
    // Cross attention to the text, which every device has.
    %normed2 = "ttir.layer_norm"(%hidden1) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tokens) -> !tokens
    %q2_linear = "ttir.dot_general"(%normed2, %cq) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %q2_rms_wide = "ttir.typecast"(%q2_linear) <{conservative_folding = false}> : (!tokens) -> !features_f32
    %q2_rms_square = "ttir.multiply"(%q2_rms_wide, %q2_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %q2_rms_total = "ttir.sum"(%q2_rms_square) <{dim_arg = [2 : i32], keep_dim = false}> : (!features_f32) -> !row_f32
    %q2_rms_share = "ttir.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %q2_rms_mean = "ttir.multiply"(%q2_rms_total, %q2_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %q2_rms_eps = "ttir.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %q2_rms_safe = "ttir.add"(%q2_rms_mean, %q2_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %q2_rms_root = "ttir.rsqrt"(%q2_rms_safe) : (!row_f32) -> !row_f32
    %q2_rms_roots_one = "ttir.reshape"(%q2_rms_root) <{shape = [1 : i32, 384 : i32, 1 : i32]}> : (!row_f32) -> tensor<1x384x1xf32>
    %q2_rms_roots = "ttir.broadcast"(%q2_rms_roots_one) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<1x384x1xf32>) -> !features_f32
    %q2_rms_normed = "ttir.multiply"(%q2_rms_wide, %q2_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %q2_rms_narrow = "ttir.typecast"(%q2_rms_normed) <{conservative_folding = false}> : (!features_f32) -> !tokens
    %q2_rms_gains_one = "ttir.reshape"(%c_gq) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (!gain) -> !one
    %q2_rms_gains = "ttir.broadcast"(%q2_rms_gains_one) <{broadcast_dimensions = array<i64: 1, 384, 1>}> : (!one) -> !tokens
    %q2_rms = "ttir.multiply"(%q2_rms_narrow, %q2_rms_gains) : (!tokens, !tokens) -> !tokens
    %q2 = "ttir.reshape"(%q2_rms) <{shape = [1 : i32, 384 : i32, 4 : i32, 16 : i32]}> : (!tokens) -> !rows_by_head
    %q2_first = "ttir.permute"(%q2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!rows_by_head) -> !queries
    %k2_linear = "ttir.dot_general"(%text, %ck) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!text, !columns) -> !text
    %k2_rms_wide = "ttir.typecast"(%k2_linear) <{conservative_folding = false}> : (!text) -> tensor<1x48x64xf32>
    %k2_rms_square = "ttir.multiply"(%k2_rms_wide, %k2_rms_wide) : (tensor<1x48x64xf32>, tensor<1x48x64xf32>) -> tensor<1x48x64xf32>
    %k2_rms_total = "ttir.sum"(%k2_rms_square) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<1x48x64xf32>) -> tensor<1x48xf32>
    %k2_rms_share = "ttir.constant"() <{value = dense<0.015625> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %k2_rms_mean = "ttir.multiply"(%k2_rms_total, %k2_rms_share) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_eps = "ttir.constant"() <{value = dense<1.0e-06> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %k2_rms_safe = "ttir.add"(%k2_rms_mean, %k2_rms_eps) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_root = "ttir.rsqrt"(%k2_rms_safe) : (tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_roots_one = "ttir.reshape"(%k2_rms_root) <{shape = [1 : i32, 48 : i32, 1 : i32]}> : (tensor<1x48xf32>) -> tensor<1x48x1xf32>
    %k2_rms_roots = "ttir.broadcast"(%k2_rms_roots_one) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<1x48x1xf32>) -> tensor<1x48x64xf32>
    %k2_rms_normed = "ttir.multiply"(%k2_rms_wide, %k2_rms_roots) : (tensor<1x48x64xf32>, tensor<1x48x64xf32>) -> tensor<1x48x64xf32>
    %k2_rms_narrow = "ttir.typecast"(%k2_rms_normed) <{conservative_folding = false}> : (tensor<1x48x64xf32>) -> !text
    %k2_rms_gains_one = "ttir.reshape"(%c_gk) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (!gain) -> !one
    %k2_rms_gains = "ttir.broadcast"(%k2_rms_gains_one) <{broadcast_dimensions = array<i64: 1, 48, 1>}> : (!one) -> !text
    %k2_rms = "ttir.multiply"(%k2_rms_narrow, %k2_rms_gains) : (!text, !text) -> !text
    %k2 = "ttir.reshape"(%k2_rms) <{shape = [1 : i32, 48 : i32, 4 : i32, 16 : i32]}> : (!text) -> !text_by_head
    %k2_first = "ttir.permute"(%k2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_by_head) -> !text_keys
    %v2_linear = "ttir.dot_general"(%text, %cv) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!text, !columns) -> !text
    %v2 = "ttir.reshape"(%v2_linear) <{shape = [1 : i32, 48 : i32, 4 : i32, 16 : i32]}> : (!text) -> !text_by_head
    %v2_first = "ttir.permute"(%v2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_by_head) -> !text_keys
    %attended2 = "ttir.scaled_dot_product_attention"(%q2_first, %k2_first, %v2_first) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!queries, !text_keys, !text_keys) -> !queries loc("attn2/scaled_dot_product_attention")
    %projected2_rows = "ttir.permute"(%attended2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!queries) -> !rows_by_head
    %projected2_features = "ttir.reshape"(%projected2_rows) <{shape = [1 : i32, 384 : i32, 64 : i32]}> : (!rows_by_head) -> !tokens
    %projected2 = "ttir.dot_general"(%projected2_features, %co) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !columns) -> !tokens
    %hidden2 = "ttir.add"(%hidden1, %projected2) : (!tokens, !tokens) -> !tokens
    // Feed-forward network.
    %normed3 = "ttir.layer_norm"(%hidden2) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tokens) -> !tokens
    %wide = "ttir.dot_general"(%normed3, %up) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!tokens, !up) -> !wide
    %active = "ttir.gelu"(%wide) : (!wide) -> !wide
    %narrow = "ttir.dot_general"(%active, %down) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (!wide, !down) -> !tokens
    %hidden3 = "ttir.add"(%hidden2, %narrow) : (!tokens, !tokens) -> !tokens
    return %hidden3 : !tokens
  }
}
