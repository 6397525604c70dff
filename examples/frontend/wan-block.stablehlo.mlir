// SPDX-License-Identifier: Apache-2.0
// wan_block_torch.py as tt-xla hands it to tt-mlir, in MLIR's generic form and with
// names for types and values: whole tensors with their shardings, and composites
// with what they stand for.
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
!row_by_head = tensor<1x384x4x16xbf16>
!half = tensor<1x384x4x8xbf16>
!queries = tensor<1x4x384x16xbf16>
!real = tensor<1x370x4x16xbf16>
!keys = tensor<1x4x370x16xbf16>
!text_by_head = tensor<1x48x4x16xbf16>
!text_keys = tensor<1x4x48x16xbf16>
!wide = tensor<1x384x160xbf16>

module @wan_block attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["sp"=4, "tp"=2]>, sym_name = "mesh"}> : () -> ()
  func.func @main(
      %x: !tokens {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "hidden_states"},
      %text: !text {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "encoder_hidden_states"},
      %shift: !one {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "shift_msa"},
      %scale: !one {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "scale_msa"},
      %gate: !one {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "gate_msa"},
      %cos: !angles {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "freqs_cos"},
      %sin: !angles {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>, ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "freqs_sin"},
      %wq: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.to_q.weight"},
      %wk: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.to_k.weight"},
      %wv: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.to_v.weight"},
      %wo: !columns {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.to_out.weight"},
      %gq: !gain {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.norm_q.weight"},
      %gk: !gain {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn1.norm_k.weight"},
      %cq: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.to_q.weight"},
      %ck: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.to_k.weight"},
      %c_gq: !gain {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.norm_q.weight"},
      %c_gk: !gain {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.norm_k.weight"},
      %cv: !columns {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.to_v.weight"},
      %co: !columns {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "attn2.to_out.weight"},
      %up: !up {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "up.weight"},
      %down: !down {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>, ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "down.weight"}) -> (!tokens {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}]>}) {
    // Self attention, of tokens that a time step scales, shifts and gates.
    %normed = "stablehlo.composite"(%x) <{composite_attributes = {epsilon = 1.0e-06 : f32, normalized_shape = dense<64> : tensor<1xi64>}, decomposition = @layer_norm, name = "tenstorrent.layer_norm", version = 0 : i32}> : (!tokens) -> !tokens
    %ones = "stablehlo.constant"() <{value = dense<1.0> : !one}> : () -> !one
    %factor = "stablehlo.add"(%scale, %ones) : (!one, !one) -> !one
    %factors = "stablehlo.broadcast_in_dim"(%factor) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (!one) -> !tokens
    %scaled = "stablehlo.multiply"(%normed, %factors) : (!tokens, !tokens) -> !tokens
    %shifts = "stablehlo.broadcast_in_dim"(%shift) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (!one) -> !tokens
    %modulated = "stablehlo.add"(%scaled, %shifts) : (!tokens, !tokens) -> !tokens
    %q_linear = "stablehlo.dot_general"(%modulated, %wq) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %q_rms_wide = "stablehlo.convert"(%q_linear) : (!tokens) -> !features_f32
    %q_rms_square = "stablehlo.multiply"(%q_rms_wide, %q_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %q_rms_total_zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %q_rms_total = "stablehlo.reduce"(%q_rms_square, %q_rms_total_zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (!features_f32, tensor<f32>) -> !row_f32
    %q_rms_share = "stablehlo.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %q_rms_mean = "stablehlo.multiply"(%q_rms_total, %q_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %q_rms_eps = "stablehlo.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %q_rms_safe = "stablehlo.add"(%q_rms_mean, %q_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %q_rms_root = "stablehlo.rsqrt"(%q_rms_safe) : (!row_f32) -> !row_f32
    %q_rms_roots = "stablehlo.broadcast_in_dim"(%q_rms_root) <{broadcast_dimensions = array<i64: 0, 1>}> : (!row_f32) -> !features_f32
    %q_rms_normed = "stablehlo.multiply"(%q_rms_wide, %q_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %q_rms_narrow = "stablehlo.convert"(%q_rms_normed) : (!features_f32) -> !tokens
    %q_rms_gains = "stablehlo.broadcast_in_dim"(%gq) <{broadcast_dimensions = array<i64: 2>}> : (!gain) -> !tokens
    %q_rms = "stablehlo.multiply"(%q_rms_narrow, %q_rms_gains) : (!tokens, !tokens) -> !tokens
    %q_heads = "stablehlo.reshape"(%q_rms) : (!tokens) -> !row_by_head
    %q_early = "stablehlo.slice"(%q_heads) <{limit_indices = array<i64: 1, 384, 4, 8>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !half
    %q_late = "stablehlo.slice"(%q_heads) <{limit_indices = array<i64: 1, 384, 4, 16>, start_indices = array<i64: 0, 0, 0, 8>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !half
    %q_back = "stablehlo.negate"(%q_late) : (!half) -> !half
    %q_turned = "stablehlo.concatenate"(%q_back, %q_early) <{dimension = 3 : i64}> : (!half, !half) -> !row_by_head
    %q_cos = "stablehlo.broadcast_in_dim"(%cos) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!angles) -> !row_by_head
    %q_sin = "stablehlo.broadcast_in_dim"(%sin) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!angles) -> !row_by_head
    %q_c = "stablehlo.multiply"(%q_heads, %q_cos) : (!row_by_head, !row_by_head) -> !row_by_head
    %q_s = "stablehlo.multiply"(%q_turned, %q_sin) : (!row_by_head, !row_by_head) -> !row_by_head
    %q = "stablehlo.add"(%q_c, %q_s) : (!row_by_head, !row_by_head) -> !row_by_head
    %k_linear = "stablehlo.dot_general"(%modulated, %wk) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %k_rms_wide = "stablehlo.convert"(%k_linear) : (!tokens) -> !features_f32
    %k_rms_square = "stablehlo.multiply"(%k_rms_wide, %k_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %k_rms_total_zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %k_rms_total = "stablehlo.reduce"(%k_rms_square, %k_rms_total_zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (!features_f32, tensor<f32>) -> !row_f32
    %k_rms_share = "stablehlo.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %k_rms_mean = "stablehlo.multiply"(%k_rms_total, %k_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %k_rms_eps = "stablehlo.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %k_rms_safe = "stablehlo.add"(%k_rms_mean, %k_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %k_rms_root = "stablehlo.rsqrt"(%k_rms_safe) : (!row_f32) -> !row_f32
    %k_rms_roots = "stablehlo.broadcast_in_dim"(%k_rms_root) <{broadcast_dimensions = array<i64: 0, 1>}> : (!row_f32) -> !features_f32
    %k_rms_normed = "stablehlo.multiply"(%k_rms_wide, %k_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %k_rms_narrow = "stablehlo.convert"(%k_rms_normed) : (!features_f32) -> !tokens
    %k_rms_gains = "stablehlo.broadcast_in_dim"(%gk) <{broadcast_dimensions = array<i64: 2>}> : (!gain) -> !tokens
    %k_rms = "stablehlo.multiply"(%k_rms_narrow, %k_rms_gains) : (!tokens, !tokens) -> !tokens
    %k_heads = "stablehlo.reshape"(%k_rms) : (!tokens) -> !row_by_head
    %k_early = "stablehlo.slice"(%k_heads) <{limit_indices = array<i64: 1, 384, 4, 8>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !half
    %k_late = "stablehlo.slice"(%k_heads) <{limit_indices = array<i64: 1, 384, 4, 16>, start_indices = array<i64: 0, 0, 0, 8>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !half
    %k_back = "stablehlo.negate"(%k_late) : (!half) -> !half
    %k_turned = "stablehlo.concatenate"(%k_back, %k_early) <{dimension = 3 : i64}> : (!half, !half) -> !row_by_head
    %k_cos = "stablehlo.broadcast_in_dim"(%cos) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!angles) -> !row_by_head
    %k_sin = "stablehlo.broadcast_in_dim"(%sin) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!angles) -> !row_by_head
    %k_c = "stablehlo.multiply"(%k_heads, %k_cos) : (!row_by_head, !row_by_head) -> !row_by_head
    %k_s = "stablehlo.multiply"(%k_turned, %k_sin) : (!row_by_head, !row_by_head) -> !row_by_head
    %k = "stablehlo.add"(%k_c, %k_s) : (!row_by_head, !row_by_head) -> !row_by_head
    %v_linear = "stablehlo.dot_general"(%modulated, %wv) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %v = "stablehlo.reshape"(%v_linear) : (!tokens) -> !row_by_head
    // 14 of the 384 tokens are padding: keys and values are cut, queries are not.
    %k_real = "stablehlo.slice"(%k) <{limit_indices = array<i64: 1, 370, 4, 16>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !real
    %v_real = "stablehlo.slice"(%v) <{limit_indices = array<i64: 1, 370, 4, 16>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!row_by_head) -> !real
    %q_first = "stablehlo.transpose"(%q) <{permutation = array<i64: 0, 2, 1, 3>}> : (!row_by_head) -> !queries
    %k_first = "stablehlo.transpose"(%k_real) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !keys
    %v_first = "stablehlo.transpose"(%v_real) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !keys
    %attended = "stablehlo.composite"(%q_first, %k_first, %v_first) <{composite_attributes = {is_causal = false}, decomposition = @sdpa_attn1, name = "tenstorrent.scaled_dot_product_attention", version = 0 : i32}> : (!queries, !keys, !keys) -> !queries loc("attn1/scaled_dot_product_attention")
    %projected_rows = "stablehlo.transpose"(%attended) <{permutation = array<i64: 0, 2, 1, 3>}> : (!queries) -> !row_by_head
    %projected_features = "stablehlo.reshape"(%projected_rows) : (!row_by_head) -> !tokens
    %projected = "stablehlo.dot_general"(%projected_features, %wo) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %gates = "stablehlo.broadcast_in_dim"(%gate) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (!one) -> !tokens
    %gated = "stablehlo.multiply"(%projected, %gates) : (!tokens, !tokens) -> !tokens
    %hidden1 = "stablehlo.add"(%x, %gated) : (!tokens, !tokens) -> !tokens
    // Cross attention to the text, which every device has.
    %normed2 = "stablehlo.composite"(%hidden1) <{composite_attributes = {epsilon = 1.0e-06 : f32, normalized_shape = dense<64> : tensor<1xi64>}, decomposition = @layer_norm, name = "tenstorrent.layer_norm", version = 0 : i32}> : (!tokens) -> !tokens
    %q2_linear = "stablehlo.dot_general"(%normed2, %cq) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %q2_rms_wide = "stablehlo.convert"(%q2_linear) : (!tokens) -> !features_f32
    %q2_rms_square = "stablehlo.multiply"(%q2_rms_wide, %q2_rms_wide) : (!features_f32, !features_f32) -> !features_f32
    %q2_rms_total_zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %q2_rms_total = "stablehlo.reduce"(%q2_rms_square, %q2_rms_total_zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (!features_f32, tensor<f32>) -> !row_f32
    %q2_rms_share = "stablehlo.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %q2_rms_mean = "stablehlo.multiply"(%q2_rms_total, %q2_rms_share) : (!row_f32, !row_f32) -> !row_f32
    %q2_rms_eps = "stablehlo.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %q2_rms_safe = "stablehlo.add"(%q2_rms_mean, %q2_rms_eps) : (!row_f32, !row_f32) -> !row_f32
    %q2_rms_root = "stablehlo.rsqrt"(%q2_rms_safe) : (!row_f32) -> !row_f32
    %q2_rms_roots = "stablehlo.broadcast_in_dim"(%q2_rms_root) <{broadcast_dimensions = array<i64: 0, 1>}> : (!row_f32) -> !features_f32
    %q2_rms_normed = "stablehlo.multiply"(%q2_rms_wide, %q2_rms_roots) : (!features_f32, !features_f32) -> !features_f32
    %q2_rms_narrow = "stablehlo.convert"(%q2_rms_normed) : (!features_f32) -> !tokens
    %q2_rms_gains = "stablehlo.broadcast_in_dim"(%c_gq) <{broadcast_dimensions = array<i64: 2>}> : (!gain) -> !tokens
    %q2_rms = "stablehlo.multiply"(%q2_rms_narrow, %q2_rms_gains) : (!tokens, !tokens) -> !tokens
    %q2 = "stablehlo.reshape"(%q2_rms) : (!tokens) -> !row_by_head
    %q2_first = "stablehlo.transpose"(%q2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!row_by_head) -> !queries
    %k2_linear = "stablehlo.dot_general"(%text, %ck) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!text, !columns) -> !text
    %k2_rms_wide = "stablehlo.convert"(%k2_linear) : (!text) -> tensor<1x48x64xf32>
    %k2_rms_square = "stablehlo.multiply"(%k2_rms_wide, %k2_rms_wide) : (tensor<1x48x64xf32>, tensor<1x48x64xf32>) -> tensor<1x48x64xf32>
    %k2_rms_total_zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %k2_rms_total = "stablehlo.reduce"(%k2_rms_square, %k2_rms_total_zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<1x48x64xf32>, tensor<f32>) -> tensor<1x48xf32>
    %k2_rms_share = "stablehlo.constant"() <{value = dense<0.015625> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %k2_rms_mean = "stablehlo.multiply"(%k2_rms_total, %k2_rms_share) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_eps = "stablehlo.constant"() <{value = dense<1.0e-06> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %k2_rms_safe = "stablehlo.add"(%k2_rms_mean, %k2_rms_eps) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_root = "stablehlo.rsqrt"(%k2_rms_safe) : (tensor<1x48xf32>) -> tensor<1x48xf32>
    %k2_rms_roots = "stablehlo.broadcast_in_dim"(%k2_rms_root) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x48xf32>) -> tensor<1x48x64xf32>
    %k2_rms_normed = "stablehlo.multiply"(%k2_rms_wide, %k2_rms_roots) : (tensor<1x48x64xf32>, tensor<1x48x64xf32>) -> tensor<1x48x64xf32>
    %k2_rms_narrow = "stablehlo.convert"(%k2_rms_normed) : (tensor<1x48x64xf32>) -> !text
    %k2_rms_gains = "stablehlo.broadcast_in_dim"(%c_gk) <{broadcast_dimensions = array<i64: 2>}> : (!gain) -> !text
    %k2_rms = "stablehlo.multiply"(%k2_rms_narrow, %k2_rms_gains) : (!text, !text) -> !text
    %k2 = "stablehlo.reshape"(%k2_rms) : (!text) -> !text_by_head
    %k2_first = "stablehlo.transpose"(%k2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_by_head) -> !text_keys
    %v2_linear = "stablehlo.dot_general"(%text, %cv) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!text, !columns) -> !text
    %v2 = "stablehlo.reshape"(%v2_linear) : (!text) -> !text_by_head
    %v2_first = "stablehlo.transpose"(%v2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_by_head) -> !text_keys
    %attended2 = "stablehlo.composite"(%q2_first, %k2_first, %v2_first) <{composite_attributes = {is_causal = false}, decomposition = @sdpa_attn2, name = "tenstorrent.scaled_dot_product_attention", version = 0 : i32}> : (!queries, !text_keys, !text_keys) -> !queries loc("attn2/scaled_dot_product_attention")
    %projected2_rows = "stablehlo.transpose"(%attended2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!queries) -> !row_by_head
    %projected2_features = "stablehlo.reshape"(%projected2_rows) : (!row_by_head) -> !tokens
    %projected2 = "stablehlo.dot_general"(%projected2_features, %co) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !columns) -> !tokens
    %hidden2 = "stablehlo.add"(%hidden1, %projected2) : (!tokens, !tokens) -> !tokens
    // Feed-forward network.
    %normed3 = "stablehlo.composite"(%hidden2) <{composite_attributes = {epsilon = 1.0e-06 : f32, normalized_shape = dense<64> : tensor<1xi64>}, decomposition = @layer_norm, name = "tenstorrent.layer_norm", version = 0 : i32}> : (!tokens) -> !tokens
    %wide = "stablehlo.dot_general"(%normed3, %up) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!tokens, !up) -> !wide
    %active = "stablehlo.composite"(%wide) <{composite_attributes = {approximate = "tanh"}, decomposition = @gelu_tanh, name = "tenstorrent.gelu_tanh", version = 0 : i32}> : (!wide) -> !wide
    %narrow = "stablehlo.dot_general"(%active, %down) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (!wide, !down) -> !tokens
    %hidden3 = "stablehlo.add"(%hidden2, %narrow) : (!tokens, !tokens) -> !tokens
    return %hidden3 : !tokens
  }

  func.func private @layer_norm(%x: !tokens) -> !tokens {
    %wide = "stablehlo.convert"(%x) : (!tokens) -> !features_f32
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %share = "stablehlo.constant"() <{value = dense<0.015625> : !row_f32}> : () -> !row_f32
    %total = "stablehlo.reduce"(%wide, %zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (!features_f32, tensor<f32>) -> !row_f32
    %mean = "stablehlo.multiply"(%total, %share) : (!row_f32, !row_f32) -> !row_f32
    %means = "stablehlo.broadcast_in_dim"(%mean) <{broadcast_dimensions = array<i64: 0, 1>}> : (!row_f32) -> !features_f32
    %centred = "stablehlo.subtract"(%wide, %means) : (!features_f32, !features_f32) -> !features_f32
    %squares = "stablehlo.multiply"(%centred, %centred) : (!features_f32, !features_f32) -> !features_f32
    %squares_total = "stablehlo.reduce"(%squares, %zero) <{dimensions = array<i64: 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (!features_f32, tensor<f32>) -> !row_f32
    %variance = "stablehlo.multiply"(%squares_total, %share) : (!row_f32, !row_f32) -> !row_f32
    %eps = "stablehlo.constant"() <{value = dense<1.0e-06> : !row_f32}> : () -> !row_f32
    %safe = "stablehlo.add"(%variance, %eps) : (!row_f32, !row_f32) -> !row_f32
    %root = "stablehlo.rsqrt"(%safe) : (!row_f32) -> !row_f32
    %roots = "stablehlo.broadcast_in_dim"(%root) <{broadcast_dimensions = array<i64: 0, 1>}> : (!row_f32) -> !features_f32
    %normed = "stablehlo.multiply"(%centred, %roots) : (!features_f32, !features_f32) -> !features_f32
    %out = "stablehlo.convert"(%normed) : (!features_f32) -> !tokens
    return %out : !tokens
  }

  func.func private @sdpa_attn1(%q: !queries, %k: !keys, %v: !keys) -> !queries {
    %products = "stablehlo.dot_general"(%q, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (!queries, !keys) -> tensor<1x4x384x370xbf16>
    %wide = "stablehlo.convert"(%products) : (tensor<1x4x384x370xbf16>) -> tensor<1x4x384x370xf32>
    %scale = "stablehlo.constant"() <{value = dense<0.25> : tensor<1x4x384x370xf32>}> : () -> tensor<1x4x384x370xf32>
    %scores = "stablehlo.multiply"(%wide, %scale) : (tensor<1x4x384x370xf32>, tensor<1x4x384x370xf32>) -> tensor<1x4x384x370xf32>
    %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %largest = "stablehlo.reduce"(%scores, %low) <{dimensions = array<i64: 3>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<1x4x384x370xf32>, tensor<f32>) -> tensor<1x4x384xf32>
    %largest_wide = "stablehlo.broadcast_in_dim"(%largest) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x384xf32>) -> tensor<1x4x384x370xf32>
    %shifted = "stablehlo.subtract"(%scores, %largest_wide) : (tensor<1x4x384x370xf32>, tensor<1x4x384x370xf32>) -> tensor<1x4x384x370xf32>
    %powers = "stablehlo.exponential"(%shifted) : (tensor<1x4x384x370xf32>) -> tensor<1x4x384x370xf32>
    %sum = "stablehlo.reduce"(%powers, %zero) <{dimensions = array<i64: 3>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<1x4x384x370xf32>, tensor<f32>) -> tensor<1x4x384xf32>
    %sum_wide = "stablehlo.broadcast_in_dim"(%sum) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x384xf32>) -> tensor<1x4x384x370xf32>
    %weights = "stablehlo.divide"(%powers, %sum_wide) : (tensor<1x4x384x370xf32>, tensor<1x4x384x370xf32>) -> tensor<1x4x384x370xf32>
    %narrow = "stablehlo.convert"(%weights) : (tensor<1x4x384x370xf32>) -> tensor<1x4x384x370xbf16>
    %out = "stablehlo.dot_general"(%narrow, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>}> : (tensor<1x4x384x370xbf16>, !keys) -> !queries
    return %out : !queries
  }

  func.func private @sdpa_attn2(%q: !queries, %k: !text_keys, %v: !text_keys) -> !queries {
    %products = "stablehlo.dot_general"(%q, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (!queries, !text_keys) -> tensor<1x4x384x48xbf16>
    %wide = "stablehlo.convert"(%products) : (tensor<1x4x384x48xbf16>) -> tensor<1x4x384x48xf32>
    %scale = "stablehlo.constant"() <{value = dense<0.25> : tensor<1x4x384x48xf32>}> : () -> tensor<1x4x384x48xf32>
    %scores = "stablehlo.multiply"(%wide, %scale) : (tensor<1x4x384x48xf32>, tensor<1x4x384x48xf32>) -> tensor<1x4x384x48xf32>
    %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %largest = "stablehlo.reduce"(%scores, %low) <{dimensions = array<i64: 3>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<1x4x384x48xf32>, tensor<f32>) -> tensor<1x4x384xf32>
    %largest_wide = "stablehlo.broadcast_in_dim"(%largest) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x384xf32>) -> tensor<1x4x384x48xf32>
    %shifted = "stablehlo.subtract"(%scores, %largest_wide) : (tensor<1x4x384x48xf32>, tensor<1x4x384x48xf32>) -> tensor<1x4x384x48xf32>
    %powers = "stablehlo.exponential"(%shifted) : (tensor<1x4x384x48xf32>) -> tensor<1x4x384x48xf32>
    %sum = "stablehlo.reduce"(%powers, %zero) <{dimensions = array<i64: 3>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %b = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<1x4x384x48xf32>, tensor<f32>) -> tensor<1x4x384xf32>
    %sum_wide = "stablehlo.broadcast_in_dim"(%sum) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x384xf32>) -> tensor<1x4x384x48xf32>
    %weights = "stablehlo.divide"(%powers, %sum_wide) : (tensor<1x4x384x48xf32>, tensor<1x4x384x48xf32>) -> tensor<1x4x384x48xf32>
    %narrow = "stablehlo.convert"(%weights) : (tensor<1x4x384x48xf32>) -> tensor<1x4x384x48xbf16>
    %out = "stablehlo.dot_general"(%narrow, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>}> : (tensor<1x4x384x48xbf16>, !text_keys) -> !queries
    return %out : !queries
  }

  func.func private @gelu_tanh(%x: !wide) -> !wide {
    %square = "stablehlo.multiply"(%x, %x) : (!wide, !wide) -> !wide
    %cube = "stablehlo.multiply"(%square, %x) : (!wide, !wide) -> !wide
    %a = "stablehlo.constant"() <{value = dense<0.044715> : !wide}> : () -> !wide
    %cubic = "stablehlo.multiply"(%cube, %a) : (!wide, !wide) -> !wide
    %inner = "stablehlo.add"(%x, %cubic) : (!wide, !wide) -> !wide
    %b = "stablehlo.constant"() <{value = dense<0.797884561> : !wide}> : () -> !wide
    %scaled = "stablehlo.multiply"(%inner, %b) : (!wide, !wide) -> !wide
    %bent = "stablehlo.tanh"(%scaled) : (!wide) -> !wide
    %one = "stablehlo.constant"() <{value = dense<1.0> : !wide}> : () -> !wide
    %raised = "stablehlo.add"(%bent, %one) : (!wide, !wide) -> !wide
    %c = "stablehlo.constant"() <{value = dense<5.0e-01> : !wide}> : () -> !wide
    %half = "stablehlo.multiply"(%x, %c) : (!wide, !wide) -> !wide
    %out = "stablehlo.multiply"(%half, %raised) : (!wide, !wide) -> !wide
    return %out : !wide
  }
}
