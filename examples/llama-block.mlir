// SPDX-License-Identifier: Apache-2.0
// Two layers of a Llama as a model in TTIR has them: norms, projections of 32
// query and 8 key heads, rotary embedding, causal attention, SwiGLU, residuals.
// 250 tokens on 2 x 4 devices; the widths are scaled so that a laptop can run and
// check it. Everything runs on shards: with a zigzag, which deals the triangle of a
// causal attention out evenly, a device has an eighth of the work.
!x = tensor<1x250x256xbf16>
!wide = tensor<1x250x704xbf16>
!q = tensor<1x250x1024xbf16>
!kv = tensor<1x250x256xbf16>
!q_rows = tensor<1x250x32x32xbf16>
!kv_rows = tensor<1x250x8x32xbf16>
!q_heads = tensor<1x32x250x32xbf16>
!kv_heads = tensor<1x8x250x32xbf16>
!q_half = tensor<1x32x250x16xbf16>
!kv_half = tensor<1x8x250x16xbf16>
!angles = tensor<1x1x250x32xbf16>
!gain = tensor<256xbf16>
!wq = tensor<256x1024xbf16>
!wkv = tensor<256x256xbf16>
!wo = tensor<1024x256xbf16>
!up = tensor<256x704xbf16>
!down = tensor<704x256xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @layers(%tokens: !x, %cos: !angles, %sin: !angles,
                    %q_weight0: !wq, %k_weight0: !wkv, %v_weight0: !wkv, %o_weight0: !wo, %gate_weight0: !up, %up_weight0: !up, %down_weight0: !down,
                    %q_weight1: !wq, %k_weight1: !wkv, %v_weight1: !wkv, %o_weight1: !wo, %gate_weight1: !up, %up_weight1: !up, %down_weight1: !down) -> !x {
    // Stands for the norms' weights: random ones would let a few keys win all.
    %gain = "ttir.full"() <{fill_value = 6.250000e-02 : f32, shape = array<i32: 256>}> : () -> !gain

    %normed0 = "ttir.rms_norm"(%tokens, %gain) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!x, !gain) -> !x
    %q_features0 = "ttir.matmul"(%normed0, %q_weight0) <{transpose_a = false, transpose_b = false}> : (!x, !wq) -> !q
    %q_rows0 = "ttir.reshape"(%q_features0) <{shape = [1 : i32, 250 : i32, 32 : i32, 32 : i32]}> : (!q) -> !q_rows
    %q0 = "ttir.permute"(%q_rows0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q_rows) -> !q_heads
    %k_features0 = "ttir.matmul"(%normed0, %k_weight0) <{transpose_a = false, transpose_b = false}> : (!x, !wkv) -> !kv
    %k_rows0 = "ttir.reshape"(%k_features0) <{shape = [1 : i32, 250 : i32, 8 : i32, 32 : i32]}> : (!kv) -> !kv_rows
    %k0 = "ttir.permute"(%k_rows0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!kv_rows) -> !kv_heads
    %v_features0 = "ttir.matmul"(%normed0, %v_weight0) <{transpose_a = false, transpose_b = false}> : (!x, !wkv) -> !kv
    %v_rows0 = "ttir.reshape"(%v_features0) <{shape = [1 : i32, 250 : i32, 8 : i32, 32 : i32]}> : (!kv) -> !kv_rows
    %v0 = "ttir.permute"(%v_rows0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!kv_rows) -> !kv_heads
    %q_early0 = "ttir.slice_static"(%q0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 32 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!q_heads) -> !q_half
    %q_late0 = "ttir.slice_static"(%q0) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 32 : i32, 250 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!q_heads) -> !q_half
    %q_turned0 = "ttir.neg"(%q_late0) : (!q_half) -> !q_half
    %q_rotated0 = "ttir.concat"(%q_turned0, %q_early0) <{dim = 3 : si32}> : (!q_half, !q_half) -> !q_heads
    %q_cos0 = "ttir.multiply"(%q0, %cos) : (!q_heads, !angles) -> !q_heads
    %q_sin0 = "ttir.multiply"(%q_rotated0, %sin) : (!q_heads, !angles) -> !q_heads
    %q_placed0 = "ttir.add"(%q_cos0, %q_sin0) : (!q_heads, !q_heads) -> !q_heads
    %k_early0 = "ttir.slice_static"(%k0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!kv_heads) -> !kv_half
    %k_late0 = "ttir.slice_static"(%k0) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 8 : i32, 250 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!kv_heads) -> !kv_half
    %k_turned0 = "ttir.neg"(%k_late0) : (!kv_half) -> !kv_half
    %k_rotated0 = "ttir.concat"(%k_turned0, %k_early0) <{dim = 3 : si32}> : (!kv_half, !kv_half) -> !kv_heads
    %k_cos0 = "ttir.multiply"(%k0, %cos) : (!kv_heads, !angles) -> !kv_heads
    %k_sin0 = "ttir.multiply"(%k_rotated0, %sin) : (!kv_heads, !angles) -> !kv_heads
    %k_placed0 = "ttir.add"(%k_cos0, %k_sin0) : (!kv_heads, !kv_heads) -> !kv_heads
    %attended0 = "ttir.scaled_dot_product_attention"(%q_placed0, %k_placed0, %v0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
        {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} : (!q_heads, !kv_heads, !kv_heads) -> !q_heads
    %rows0 = "ttir.permute"(%attended0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q_heads) -> !q_rows
    %features0 = "ttir.reshape"(%rows0) <{shape = [1 : i32, 250 : i32, 1024 : i32]}> : (!q_rows) -> !q
    %projected0 = "ttir.matmul"(%features0, %o_weight0) <{transpose_a = false, transpose_b = false}> : (!q, !wo) -> !x
    %residual0 = "ttir.add"(%tokens, %projected0) : (!x, !x) -> !x
    %post0 = "ttir.rms_norm"(%residual0, %gain) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!x, !gain) -> !x
    %gate0 = "ttir.matmul"(%post0, %gate_weight0) <{transpose_a = false, transpose_b = false}> : (!x, !up) -> !wide
    %active0 = "ttir.silu"(%gate0) : (!wide) -> !wide
    %upper0 = "ttir.matmul"(%post0, %up_weight0) <{transpose_a = false, transpose_b = false}> : (!x, !up) -> !wide
    %gated0 = "ttir.multiply"(%active0, %upper0) : (!wide, !wide) -> !wide
    %lower0 = "ttir.matmul"(%gated0, %down_weight0) <{transpose_a = false, transpose_b = false}> : (!wide, !down) -> !x
    %layer0 = "ttir.add"(%residual0, %lower0) : (!x, !x) -> !x

    %normed1 = "ttir.rms_norm"(%layer0, %gain) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!x, !gain) -> !x
    %q_features1 = "ttir.matmul"(%normed1, %q_weight1) <{transpose_a = false, transpose_b = false}> : (!x, !wq) -> !q
    %q_rows1 = "ttir.reshape"(%q_features1) <{shape = [1 : i32, 250 : i32, 32 : i32, 32 : i32]}> : (!q) -> !q_rows
    %q1 = "ttir.permute"(%q_rows1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q_rows) -> !q_heads
    %k_features1 = "ttir.matmul"(%normed1, %k_weight1) <{transpose_a = false, transpose_b = false}> : (!x, !wkv) -> !kv
    %k_rows1 = "ttir.reshape"(%k_features1) <{shape = [1 : i32, 250 : i32, 8 : i32, 32 : i32]}> : (!kv) -> !kv_rows
    %k1 = "ttir.permute"(%k_rows1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!kv_rows) -> !kv_heads
    %v_features1 = "ttir.matmul"(%normed1, %v_weight1) <{transpose_a = false, transpose_b = false}> : (!x, !wkv) -> !kv
    %v_rows1 = "ttir.reshape"(%v_features1) <{shape = [1 : i32, 250 : i32, 8 : i32, 32 : i32]}> : (!kv) -> !kv_rows
    %v1 = "ttir.permute"(%v_rows1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!kv_rows) -> !kv_heads
    %q_early1 = "ttir.slice_static"(%q1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 32 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!q_heads) -> !q_half
    %q_late1 = "ttir.slice_static"(%q1) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 32 : i32, 250 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!q_heads) -> !q_half
    %q_turned1 = "ttir.neg"(%q_late1) : (!q_half) -> !q_half
    %q_rotated1 = "ttir.concat"(%q_turned1, %q_early1) <{dim = 3 : si32}> : (!q_half, !q_half) -> !q_heads
    %q_cos1 = "ttir.multiply"(%q1, %cos) : (!q_heads, !angles) -> !q_heads
    %q_sin1 = "ttir.multiply"(%q_rotated1, %sin) : (!q_heads, !angles) -> !q_heads
    %q_placed1 = "ttir.add"(%q_cos1, %q_sin1) : (!q_heads, !q_heads) -> !q_heads
    %k_early1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!kv_heads) -> !kv_half
    %k_late1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 8 : i32, 250 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!kv_heads) -> !kv_half
    %k_turned1 = "ttir.neg"(%k_late1) : (!kv_half) -> !kv_half
    %k_rotated1 = "ttir.concat"(%k_turned1, %k_early1) <{dim = 3 : si32}> : (!kv_half, !kv_half) -> !kv_heads
    %k_cos1 = "ttir.multiply"(%k1, %cos) : (!kv_heads, !angles) -> !kv_heads
    %k_sin1 = "ttir.multiply"(%k_rotated1, %sin) : (!kv_heads, !angles) -> !kv_heads
    %k_placed1 = "ttir.add"(%k_cos1, %k_sin1) : (!kv_heads, !kv_heads) -> !kv_heads
    %attended1 = "ttir.scaled_dot_product_attention"(%q_placed1, %k_placed1, %v1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
        {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} : (!q_heads, !kv_heads, !kv_heads) -> !q_heads
    %rows1 = "ttir.permute"(%attended1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q_heads) -> !q_rows
    %features1 = "ttir.reshape"(%rows1) <{shape = [1 : i32, 250 : i32, 1024 : i32]}> : (!q_rows) -> !q
    %projected1 = "ttir.matmul"(%features1, %o_weight1) <{transpose_a = false, transpose_b = false}> : (!q, !wo) -> !x
    %residual1 = "ttir.add"(%layer0, %projected1) : (!x, !x) -> !x
    %post1 = "ttir.rms_norm"(%residual1, %gain) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!x, !gain) -> !x
    %gate1 = "ttir.matmul"(%post1, %gate_weight1) <{transpose_a = false, transpose_b = false}> : (!x, !up) -> !wide
    %active1 = "ttir.silu"(%gate1) : (!wide) -> !wide
    %upper1 = "ttir.matmul"(%post1, %up_weight1) <{transpose_a = false, transpose_b = false}> : (!x, !up) -> !wide
    %gated1 = "ttir.multiply"(%active1, %upper1) : (!wide, !wide) -> !wide
    %lower1 = "ttir.matmul"(%gated1, %down_weight1) <{transpose_a = false, transpose_b = false}> : (!wide, !down) -> !x
    %layer1 = "ttir.add"(%residual1, %lower1) : (!x, !x) -> !x

    return %layer1 : !x
  }
}
