// SPDX-License-Identifier: Apache-2.0
// A block of a video transformer built as Wan2.2's: a time step's embedding gives
// scale, shift and gate of every token, queries and keys are normalised and, those
// of the video, turned by their place. The text takes part in the attention, a
// composite, from both sides. 500 video and 250 text tokens, both dealt to 8
// devices; the 12 heads of the 1.3B model, narrower, so that a laptop can check it.
!video = tensor<1x500x192xbf16>
!text = tensor<1x250x192xbf16>
!wide = tensor<1x500x1120xbf16>
!video_rows = tensor<1x500x12x16xbf16>
!text_rows = tensor<1x250x12x16xbf16>
!video_heads = tensor<1x12x500x16xbf16>
!text_heads = tensor<1x12x250x16xbf16>
!all_heads = tensor<1x12x750x16xbf16>
!half = tensor<1x12x500x8xbf16>
!angles = tensor<1x1x500x16xbf16>
!step = tensor<1x192xbf16>
!steps = tensor<1x1152xbf16>
!six = tensor<1x6x192xbf16>
!one = tensor<1x1x192xbf16>
!gain = tensor<192xbf16>
!square = tensor<192x192xbf16>
!modulate = tensor<192x1152xbf16>
!up = tensor<192x1120xbf16>
!down = tensor<1120x192xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @block(%video: !video, %text: !text, %time: !step, %cos: !angles, %sin: !angles, %modulation_weight: !modulate, %modulation: !six,
                   %q_weight: !square, %k_weight: !square, %v_weight: !square, %o_weight: !square, %q_gain: !gain, %k_gain: !gain,
                   %text_q_weight: !square, %text_k_weight: !square, %text_v_weight: !square, %text_o_weight: !square, %text_q_gain: !gain, %text_k_gain: !gain,
                   %up_weight: !up, %down_weight: !down) -> (!video, !text) {
    // Six vectors for all tokens: shift, scale and gate of the attention, then of the feed-forward network.
    %active_time = "ttir.silu"(%time) : (!step) -> !step
    %vectors = "ttir.matmul"(%active_time, %modulation_weight) <{transpose_a = false, transpose_b = false}> : (!step, !modulate) -> !steps
    %rows = "ttir.reshape"(%vectors) <{shape = [1 : i32, 6 : i32, 192 : i32]}> : (!steps) -> !six
    %six = "ttir.add"(%rows, %modulation) : (!six, !six) -> !six
    %ones = "ttir.ones"() <{shape = array<i32: 1, 1, 192>}> : () -> !one
    %shift = "ttir.slice_static"(%six) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %scale = "ttir.slice_static"(%six) <{begins = [0 : i32, 1 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %gate = "ttir.slice_static"(%six) <{begins = [0 : i32, 2 : i32, 0 : i32], ends = [1 : i32, 3 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %shift2 = "ttir.slice_static"(%six) <{begins = [0 : i32, 3 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %scale2 = "ttir.slice_static"(%six) <{begins = [0 : i32, 4 : i32, 0 : i32], ends = [1 : i32, 5 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %gate2 = "ttir.slice_static"(%six) <{begins = [0 : i32, 5 : i32, 0 : i32], ends = [1 : i32, 6 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!six) -> !one
    %factor = "ttir.add"(%scale, %ones) : (!one, !one) -> !one
    %factor2 = "ttir.add"(%scale2, %ones) : (!one, !one) -> !one

    // The video, modulated, and the text as queries, keys and values.
    %normed = "ttir.layer_norm"(%video) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!video) -> !video
    %modulated_scaled = "ttir.multiply"(%normed, %factor) : (!video, !one) -> !video
    %modulated = "ttir.add"(%modulated_scaled, %shift) : (!video, !one) -> !video
    %q_features = "ttir.matmul"(%modulated, %q_weight) <{transpose_a = false, transpose_b = false}> : (!video, !square) -> !video
    %q_normed = "ttir.rms_norm"(%q_features, %q_gain) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!video, !gain) -> !video
    %q_rows = "ttir.reshape"(%q_normed) <{shape = [1 : i32, 500 : i32, 12 : i32, 16 : i32]}> : (!video) -> !video_rows
    %q = "ttir.permute"(%q_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!video_rows) -> !video_heads
    %k_features = "ttir.matmul"(%modulated, %k_weight) <{transpose_a = false, transpose_b = false}> : (!video, !square) -> !video
    %k_normed = "ttir.rms_norm"(%k_features, %k_gain) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!video, !gain) -> !video
    %k_rows = "ttir.reshape"(%k_normed) <{shape = [1 : i32, 500 : i32, 12 : i32, 16 : i32]}> : (!video) -> !video_rows
    %k = "ttir.permute"(%k_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!video_rows) -> !video_heads
    %v_features = "ttir.matmul"(%modulated, %v_weight) <{transpose_a = false, transpose_b = false}> : (!video, !square) -> !video
    %v_rows = "ttir.reshape"(%v_features) <{shape = [1 : i32, 500 : i32, 12 : i32, 16 : i32]}> : (!video) -> !video_rows
    %v = "ttir.permute"(%v_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!video_rows) -> !video_heads
    %text_normed = "ttir.layer_norm"(%text) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!text) -> !text
    %text_q_features = "ttir.matmul"(%text_normed, %text_q_weight) <{transpose_a = false, transpose_b = false}> : (!text, !square) -> !text
    %text_q_normed = "ttir.rms_norm"(%text_q_features, %text_q_gain) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!text, !gain) -> !text
    %text_q_rows = "ttir.reshape"(%text_q_normed) <{shape = [1 : i32, 250 : i32, 12 : i32, 16 : i32]}> : (!text) -> !text_rows
    %text_q = "ttir.permute"(%text_q_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_rows) -> !text_heads
    %text_k_features = "ttir.matmul"(%text_normed, %text_k_weight) <{transpose_a = false, transpose_b = false}> : (!text, !square) -> !text
    %text_k_normed = "ttir.rms_norm"(%text_k_features, %text_k_gain) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!text, !gain) -> !text
    %text_k_rows = "ttir.reshape"(%text_k_normed) <{shape = [1 : i32, 250 : i32, 12 : i32, 16 : i32]}> : (!text) -> !text_rows
    %text_k = "ttir.permute"(%text_k_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_rows) -> !text_heads
    %text_v_features = "ttir.matmul"(%text_normed, %text_v_weight) <{transpose_a = false, transpose_b = false}> : (!text, !square) -> !text
    %text_v_rows = "ttir.reshape"(%text_v_features) <{shape = [1 : i32, 250 : i32, 12 : i32, 16 : i32]}> : (!text) -> !text_rows
    %text_v = "ttir.permute"(%text_v_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_rows) -> !text_heads
    %q_early = "ttir.slice_static"(%q) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 12 : i32, 500 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!video_heads) -> !half
    %q_late = "ttir.slice_static"(%q) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 12 : i32, 500 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!video_heads) -> !half
    %q_turned = "ttir.neg"(%q_late) : (!half) -> !half
    %q_rotated = "ttir.concat"(%q_turned, %q_early) <{dim = 3 : si32}> : (!half, !half) -> !video_heads
    %q_cos = "ttir.multiply"(%q, %cos) : (!video_heads, !angles) -> !video_heads
    %q_sin = "ttir.multiply"(%q_rotated, %sin) : (!video_heads, !angles) -> !video_heads
    %q_placed = "ttir.add"(%q_cos, %q_sin) : (!video_heads, !video_heads) -> !video_heads
    %k_early = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 12 : i32, 500 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!video_heads) -> !half
    %k_late = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 12 : i32, 500 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!video_heads) -> !half
    %k_turned = "ttir.neg"(%k_late) : (!half) -> !half
    %k_rotated = "ttir.concat"(%k_turned, %k_early) <{dim = 3 : si32}> : (!half, !half) -> !video_heads
    %k_cos = "ttir.multiply"(%k, %cos) : (!video_heads, !angles) -> !video_heads
    %k_sin = "ttir.multiply"(%k_rotated, %sin) : (!video_heads, !angles) -> !video_heads
    %k_placed = "ttir.add"(%k_cos, %k_sin) : (!video_heads, !video_heads) -> !video_heads

    %attended:2 = "ttcore.composite"(%q_placed, %k_placed, %v, %text_q, %text_k, %text_v) <{composite_attributes = {joint_strategy = "rear"}, composite_name = "joint_scaled_dot_product_attention", decomposition = @joint_attention}>
        {ring.parallel = #ring.parallel<sequence = 1, joint = sharded>} : (!video_heads, !video_heads, !video_heads, !text_heads, !text_heads, !text_heads) -> (!video_heads, !text_heads)

    // Back into both streams, the video's part through its gate.
    %out_rows = "ttir.permute"(%attended#0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!video_heads) -> !video_rows
    %out_features = "ttir.reshape"(%out_rows) <{shape = [1 : i32, 500 : i32, 192 : i32]}> : (!video_rows) -> !video
    %projected = "ttir.matmul"(%out_features, %o_weight) <{transpose_a = false, transpose_b = false}> : (!video, !square) -> !video
    %text_out_rows = "ttir.permute"(%attended#1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!text_heads) -> !text_rows
    %text_out_features = "ttir.reshape"(%text_out_rows) <{shape = [1 : i32, 250 : i32, 192 : i32]}> : (!text_rows) -> !text
    %text_projected = "ttir.matmul"(%text_out_features, %text_o_weight) <{transpose_a = false, transpose_b = false}> : (!text, !square) -> !text
    %gated = "ttir.multiply"(%projected, %gate) : (!video, !one) -> !video
    %residual = "ttir.add"(%video, %gated) : (!video, !video) -> !video
    %text_out = "ttir.add"(%text, %text_projected) : (!text, !text) -> !text

    %normed2 = "ttir.layer_norm"(%residual) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 192>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!video) -> !video
    %modulated2_scaled = "ttir.multiply"(%normed2, %factor2) : (!video, !one) -> !video
    %modulated2 = "ttir.add"(%modulated2_scaled, %shift2) : (!video, !one) -> !video
    %wide = "ttir.matmul"(%modulated2, %up_weight) <{transpose_a = false, transpose_b = false}> : (!video, !up) -> !wide
    %active = "ttir.gelu"(%wide) : (!wide) -> !wide
    %narrow = "ttir.matmul"(%active, %down_weight) <{transpose_a = false, transpose_b = false}> : (!wide, !down) -> !video
    %gated2 = "ttir.multiply"(%narrow, %gate2) : (!video, !one) -> !video
    %video_out = "ttir.add"(%residual, %gated2) : (!video, !video) -> !video
    return %video_out, %text_out : !video, !text
  }

  func.func private @joint_attention(%q: !video_heads, %k: !video_heads, %v: !video_heads, %jq: !text_heads, %jk: !text_heads, %jv: !text_heads) -> (!video_heads, !text_heads) {
    %0 = "ttir.concat"(%q, %jq) <{dim = 2 : si32}> : (!video_heads, !text_heads) -> !all_heads
    %1 = "ttir.concat"(%k, %jk) <{dim = 2 : si32}> : (!video_heads, !text_heads) -> !all_heads
    %2 = "ttir.concat"(%v, %jv) <{dim = 2 : si32}> : (!video_heads, !text_heads) -> !all_heads
    %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!all_heads, !all_heads, !all_heads) -> !all_heads
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 12 : i32, 500 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!all_heads) -> !video_heads
    %5 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 500 : i32, 0 : i32], ends = [1 : i32, 12 : i32, 750 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!all_heads) -> !text_heads
    return %4, %5 : !video_heads, !text_heads
  }
}
