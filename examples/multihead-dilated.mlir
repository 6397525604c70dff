// SPDX-License-Identifier: Apache-2.0
// Two multi-head dilated attention modules behind each other, for a mesh of 2 x 4
// whose second axis has the sequence: a norm, a fused projection to query, key and value,
// dilated attention, a layer norm over what the heads bring together, the output
// projection and a residual. Between the two attentions all of that stays on the
// shards.
//
// A shard has 128 tokens: segments of 64 and 128 need no transfer, and those of
// 512 pass every fourth row round the four ranks. The decomposition of the
// composite is what `ring-outline-dilated`, `ring-shard` and
// `convert-ring-to-ttir` make of the attention on one device. The scale suits
// weights of variance 1, as generated arguments have.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @multihead(%x: tensor<1x512x256xbf16>, %w_qkv0: tensor<256x768xbf16>, %gain0: tensor<256xbf16>, %bias0: tensor<256xbf16>, %w_out0: tensor<256x256xbf16>, %w_qkv1: tensor<256x768xbf16>, %gain1: tensor<256xbf16>, %bias1: tensor<256xbf16>, %w_out1: tensor<256x256xbf16>) -> tensor<1x512x256xbf16> {
    // Layer 0: a norm, then one product for query, key and value.
    %l0_x = "ttir.layer_norm"(%x) <{epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x512x256xbf16>) -> tensor<1x512x256xbf16>
    %l0_qkv = "ttir.matmul"(%l0_x, %w_qkv0) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x256xbf16>, tensor<256x768xbf16>) -> tensor<1x512x768xbf16>
    %l0_q0 = "ttir.slice_static"(%l0_qkv) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 512 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l0_q1 = "ttir.reshape"(%l0_q0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l0_q = "ttir.permute"(%l0_q1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l0_k0 = "ttir.slice_static"(%l0_qkv) <{begins = [0 : i32, 0 : i32, 256 : i32], ends = [1 : i32, 512 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l0_k1 = "ttir.reshape"(%l0_k0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l0_k = "ttir.permute"(%l0_k1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l0_v0 = "ttir.slice_static"(%l0_qkv) <{begins = [0 : i32, 0 : i32, 512 : i32], ends = [1 : i32, 512 : i32, 768 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l0_v1 = "ttir.reshape"(%l0_v0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l0_v = "ttir.permute"(%l0_v1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l0_a = "ttcore.composite"(%l0_q, %l0_k, %l0_v) <{composite_attributes = {segment_lengths = array<i64: 64, 128, 512>, dilation_rates = array<i64: 1, 2, 4>, scale = 4.8828125E-4 : f32}, composite_name = "dilated_attention", decomposition = @dilated_attention_0}> : (tensor<1x4x512x64xbf16>, tensor<1x4x512x64xbf16>, tensor<1x4x512x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l0_a0 = "ttir.permute"(%l0_a) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x512x64xbf16>) -> tensor<1x512x4x64xbf16>
    %l0_a1 = "ttir.reshape"(%l0_a0) <{shape = [1 : i32, 512 : i32, 256 : i32]}> : (tensor<1x512x4x64xbf16>) -> tensor<1x512x256xbf16>
    %l0_n = "ttir.layer_norm"(%l0_a1, %gain0, %bias0) <{epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x512x256xbf16>, tensor<256xbf16>, tensor<256xbf16>) -> tensor<1x512x256xbf16>
    %l0_o = "ttir.matmul"(%l0_n, %w_out0) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x256xbf16>, tensor<256x256xbf16>) -> tensor<1x512x256xbf16>
    %l0_y = "ttir.add"(%x, %l0_o) : (tensor<1x512x256xbf16>, tensor<1x512x256xbf16>) -> tensor<1x512x256xbf16>
    // Layer 1: a norm, then one product for query, key and value.
    %l1_x = "ttir.layer_norm"(%l0_y) <{epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x512x256xbf16>) -> tensor<1x512x256xbf16>
    %l1_qkv = "ttir.matmul"(%l1_x, %w_qkv1) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x256xbf16>, tensor<256x768xbf16>) -> tensor<1x512x768xbf16>
    %l1_q0 = "ttir.slice_static"(%l1_qkv) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 512 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l1_q1 = "ttir.reshape"(%l1_q0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l1_q = "ttir.permute"(%l1_q1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l1_k0 = "ttir.slice_static"(%l1_qkv) <{begins = [0 : i32, 0 : i32, 256 : i32], ends = [1 : i32, 512 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l1_k1 = "ttir.reshape"(%l1_k0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l1_k = "ttir.permute"(%l1_k1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l1_v0 = "ttir.slice_static"(%l1_qkv) <{begins = [0 : i32, 0 : i32, 512 : i32], ends = [1 : i32, 512 : i32, 768 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x768xbf16>) -> tensor<1x512x256xbf16>
    %l1_v1 = "ttir.reshape"(%l1_v0) <{shape = [1 : i32, 512 : i32, 4 : i32, 64 : i32]}> : (tensor<1x512x256xbf16>) -> tensor<1x512x4x64xbf16>
    %l1_v = "ttir.permute"(%l1_v1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l1_a = "ttcore.composite"(%l1_q, %l1_k, %l1_v) <{composite_attributes = {segment_lengths = array<i64: 64, 128, 512>, dilation_rates = array<i64: 1, 2, 4>, scale = 4.8828125E-4 : f32}, composite_name = "dilated_attention", decomposition = @dilated_attention_0}> : (tensor<1x4x512x64xbf16>, tensor<1x4x512x64xbf16>, tensor<1x4x512x64xbf16>) -> tensor<1x4x512x64xbf16>
    %l1_a0 = "ttir.permute"(%l1_a) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x512x64xbf16>) -> tensor<1x512x4x64xbf16>
    %l1_a1 = "ttir.reshape"(%l1_a0) <{shape = [1 : i32, 512 : i32, 256 : i32]}> : (tensor<1x512x4x64xbf16>) -> tensor<1x512x256xbf16>
    %l1_n = "ttir.layer_norm"(%l1_a1, %gain1, %bias1) <{epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x512x256xbf16>, tensor<256xbf16>, tensor<256xbf16>) -> tensor<1x512x256xbf16>
    %l1_o = "ttir.matmul"(%l1_n, %w_out1) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x256xbf16>, tensor<256x256xbf16>) -> tensor<1x512x256xbf16>
    %l1_y = "ttir.add"(%l0_y, %l1_o) : (tensor<1x512x256xbf16>, tensor<1x512x256xbf16>) -> tensor<1x512x256xbf16>
    return %l1_y : tensor<1x512x256xbf16>
  }
  func.func private @dilated_attention_0(%arg0: tensor<1x4x512x64xbf16>, %arg1: tensor<1x4x512x64xbf16>, %arg2: tensor<1x4x512x64xbf16>) -> tensor<1x4x512x64xbf16> {
    %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x2x512x64xbf16>
    %1 = "ttir.slice_static"(%arg1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x2x512x64xbf16>
    %2 = "ttir.slice_static"(%arg2) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x2x512x64xbf16>
    %3 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 2 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 3 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %4 = "ttir.reshape"(%3) <{shape = [1 : i32, 1 : i32, 256 : i32, 128 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x256x128xbf16>
    %5 = "ttir.slice_static"(%4) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x256x128xbf16>) -> tensor<1x1x256x64xbf16>
    %6 = "ttir.slice_static"(%arg1) <{begins = [0 : i32, 2 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 3 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %7 = "ttir.reshape"(%6) <{shape = [1 : i32, 1 : i32, 256 : i32, 128 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x256x128xbf16>
    %8 = "ttir.slice_static"(%7) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x256x128xbf16>) -> tensor<1x1x256x64xbf16>
    %9 = "ttir.slice_static"(%arg2) <{begins = [0 : i32, 2 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 3 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %10 = "ttir.reshape"(%9) <{shape = [1 : i32, 1 : i32, 256 : i32, 128 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x256x128xbf16>
    %11 = "ttir.slice_static"(%10) <{begins = [0 : i32, 0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x256x128xbf16>) -> tensor<1x1x256x64xbf16>
    %12 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 3 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %13 = "ttir.reshape"(%12) <{shape = [1 : i32, 1 : i32, 128 : i32, 256 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x128x256xbf16>
    %14 = "ttir.slice_static"(%13) <{begins = [0 : i32, 0 : i32, 0 : i32, 128 : i32], ends = [1 : i32, 1 : i32, 128 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x128x256xbf16>) -> tensor<1x1x128x64xbf16>
    %15 = "ttir.slice_static"(%arg1) <{begins = [0 : i32, 3 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %16 = "ttir.reshape"(%15) <{shape = [1 : i32, 1 : i32, 128 : i32, 256 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x128x256xbf16>
    %17 = "ttir.slice_static"(%16) <{begins = [0 : i32, 0 : i32, 0 : i32, 128 : i32], ends = [1 : i32, 1 : i32, 128 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x128x256xbf16>) -> tensor<1x1x128x64xbf16>
    %18 = "ttir.slice_static"(%arg2) <{begins = [0 : i32, 3 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x64xbf16>) -> tensor<1x1x512x64xbf16>
    %19 = "ttir.reshape"(%18) <{shape = [1 : i32, 1 : i32, 128 : i32, 256 : i32]}> : (tensor<1x1x512x64xbf16>) -> tensor<1x1x128x256xbf16>
    %20 = "ttir.slice_static"(%19) <{begins = [0 : i32, 0 : i32, 0 : i32, 128 : i32], ends = [1 : i32, 1 : i32, 128 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x128x256xbf16>) -> tensor<1x1x128x64xbf16>
    %21 = "ttir.reshape"(%0) <{shape = [1 : i32, 16 : i32, 64 : i32, 64 : i32]}> : (tensor<1x2x512x64xbf16>) -> tensor<1x16x64x64xbf16>
    %22 = "ttir.reshape"(%1) <{shape = [1 : i32, 16 : i32, 64 : i32, 64 : i32]}> : (tensor<1x2x512x64xbf16>) -> tensor<1x16x64x64xbf16>
    %23 = "ttir.reshape"(%2) <{shape = [1 : i32, 16 : i32, 64 : i32, 64 : i32]}> : (tensor<1x2x512x64xbf16>) -> tensor<1x16x64x64xbf16>
    %24 = "ttir.scaled_dot_product_attention"(%21, %22, %23) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 4.8828125E-4 : f32}> : (tensor<1x16x64x64xbf16>, tensor<1x16x64x64xbf16>, tensor<1x16x64x64xbf16>) -> tensor<1x16x64x64xbf16>
    %25 = "ttir.typecast"(%24) <{conservative_folding = false}> : (tensor<1x16x64x64xbf16>) -> tensor<1x16x64x64xf32>
    %26 = "ttir.reshape"(%25) <{shape = [1 : i32, 2 : i32, 512 : i32, 64 : i32]}> : (tensor<1x16x64x64xf32>) -> tensor<1x2x512x64xf32>
    %27 = "ttir.reshape"(%5) <{shape = [1 : i32, 4 : i32, 64 : i32, 64 : i32]}> : (tensor<1x1x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    %28 = "ttir.reshape"(%8) <{shape = [1 : i32, 4 : i32, 64 : i32, 64 : i32]}> : (tensor<1x1x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    %29 = "ttir.reshape"(%11) <{shape = [1 : i32, 4 : i32, 64 : i32, 64 : i32]}> : (tensor<1x1x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    %30 = "ttir.scaled_dot_product_attention"(%27, %28, %29) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 4.8828125E-4 : f32}> : (tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x4x64x64xbf16>
    %31 = "ttir.typecast"(%30) <{conservative_folding = false}> : (tensor<1x4x64x64xbf16>) -> tensor<1x4x64x64xf32>
    %32 = "ttir.reshape"(%31) <{shape = [1 : i32, 1 : i32, 256 : i32, 64 : i32]}> : (tensor<1x4x64x64xf32>) -> tensor<1x1x256x64xf32>
    %33 = "ttir.scaled_dot_product_attention"(%14, %17, %20) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 4.8828125E-4 : f32}> : (tensor<1x1x128x64xbf16>, tensor<1x1x128x64xbf16>, tensor<1x1x128x64xbf16>) -> tensor<1x1x128x64xbf16>
    %34 = "ttir.typecast"(%33) <{conservative_folding = false}> : (tensor<1x1x128x64xbf16>) -> tensor<1x1x128x64xf32>
    %35 = "ttir.full"() <{fill_value = 0.333333343 : f32, shape = array<i32: 1, 2, 512, 64>}> : () -> tensor<1x2x512x64xf32>
    %36 = "ttir.multiply"(%26, %35) : (tensor<1x2x512x64xf32>, tensor<1x2x512x64xf32>) -> tensor<1x2x512x64xf32>
    %37 = "ttir.typecast"(%36) <{conservative_folding = false}> : (tensor<1x2x512x64xf32>) -> tensor<1x2x512x64xbf16>
    %38 = "ttir.full"() <{fill_value = 0.333333343 : f32, shape = array<i32: 1, 1, 256, 64>}> : () -> tensor<1x1x256x64xf32>
    %39 = "ttir.multiply"(%32, %38) : (tensor<1x1x256x64xf32>, tensor<1x1x256x64xf32>) -> tensor<1x1x256x64xf32>
    %40 = "ttir.typecast"(%39) <{conservative_folding = false}> : (tensor<1x1x256x64xf32>) -> tensor<1x1x256x64xbf16>
    %41 = "ttir.reshape"(%40) <{shape = [1 : i32, 4 : i32, 64 : i32, 64 : i32]}> : (tensor<1x1x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    %42 = "ttir.pad"(%41) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 64, 0>, value = 0.000000e+00 : f32}> : (tensor<1x4x64x64xbf16>) -> tensor<1x4x64x128xbf16>
    %43 = "ttir.reshape"(%42) <{shape = [1 : i32, 4 : i32, 128 : i32, 64 : i32]}> : (tensor<1x4x64x128xbf16>) -> tensor<1x4x128x64xbf16>
    %44 = "ttir.reshape"(%43) <{shape = [1 : i32, 1 : i32, 512 : i32, 64 : i32]}> : (tensor<1x4x128x64xbf16>) -> tensor<1x1x512x64xbf16>
    %45 = "ttir.full"() <{fill_value = 0.333333343 : f32, shape = array<i32: 1, 1, 128, 64>}> : () -> tensor<1x1x128x64xf32>
    %46 = "ttir.multiply"(%34, %45) : (tensor<1x1x128x64xf32>, tensor<1x1x128x64xf32>) -> tensor<1x1x128x64xf32>
    %47 = "ttir.typecast"(%46) <{conservative_folding = false}> : (tensor<1x1x128x64xf32>) -> tensor<1x1x128x64xbf16>
    %48 = "ttir.pad"(%47) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 128, 64>, value = 0.000000e+00 : f32}> : (tensor<1x1x128x64xbf16>) -> tensor<1x1x128x256xbf16>
    %49 = "ttir.reshape"(%48) <{shape = [1 : i32, 1 : i32, 512 : i32, 64 : i32]}> : (tensor<1x1x128x256xbf16>) -> tensor<1x1x512x64xbf16>
    %50 = "ttir.concat"(%37, %44, %49) <{dim = 1 : si32}> : (tensor<1x2x512x64xbf16>, tensor<1x1x512x64xbf16>, tensor<1x1x512x64xbf16>) -> tensor<1x4x512x64xbf16>
    return %50 : tensor<1x4x512x64xbf16>
  }
}
