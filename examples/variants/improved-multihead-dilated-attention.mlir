// SPDX-License-Identifier: Apache-2.0
// ImprovedMultiheadDilatedAttention: one product gives query, key and value; the
// slices of it are what the attention takes. Causal. The scale suits weights of
// variance 1.
//
// compile: strategy=ring directions=forward
// meshes: 1x1 1x2 1x4 1x8
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @module(%x: tensor<1x512x64xf32>, %w_qkv: tensor<64x192xf32>, %gain: tensor<64xf32>, %bias: tensor<64xf32>, %w_out: tensor<64x64xf32>) -> tensor<1x512x64xf32> {
    %qkv = "ttir.matmul"(%x, %w_qkv) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x64xf32>, tensor<64x192xf32>) -> tensor<1x512x192xf32>
    %q0 = "ttir.slice_static"(%qkv) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x192xf32>) -> tensor<1x512x64xf32>
    %q1 = "ttir.reshape"(%q0) <{shape = [1 : i32, 512 : i32, 4 : i32, 16 : i32]}> : (tensor<1x512x64xf32>) -> tensor<1x512x4x16xf32>
    %q = "ttir.permute"(%q1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x16xf32>) -> tensor<1x4x512x16xf32>
    %k0 = "ttir.slice_static"(%qkv) <{begins = [0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 512 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x192xf32>) -> tensor<1x512x64xf32>
    %k1 = "ttir.reshape"(%k0) <{shape = [1 : i32, 512 : i32, 4 : i32, 16 : i32]}> : (tensor<1x512x64xf32>) -> tensor<1x512x4x16xf32>
    %k = "ttir.permute"(%k1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x16xf32>) -> tensor<1x4x512x16xf32>
    %v0 = "ttir.slice_static"(%qkv) <{begins = [0 : i32, 0 : i32, 128 : i32], ends = [1 : i32, 512 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x512x192xf32>) -> tensor<1x512x64xf32>
    %v1 = "ttir.reshape"(%v0) <{shape = [1 : i32, 512 : i32, 4 : i32, 16 : i32]}> : (tensor<1x512x64xf32>) -> tensor<1x512x4x16xf32>
    %v = "ttir.permute"(%v1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x4x16xf32>) -> tensor<1x4x512x16xf32>
    %a = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [128, 512], rates = [1, 4], causal = true>)
        scale(3.906250e-03) parallel(<sequence = 1>)
        : tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32>, tensor<1x4x512x16xf32> -> tensor<1x4x512x16xf32>
    %a0 = "ttir.permute"(%a) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x512x16xf32>) -> tensor<1x512x4x16xf32>
    %a1 = "ttir.reshape"(%a0) <{shape = [1 : i32, 512 : i32, 64 : i32]}> : (tensor<1x512x4x16xf32>) -> tensor<1x512x64xf32>
    %n = "ttir.layer_norm"(%a1, %gain, %bias) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x512x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x512x64xf32>
    %y = "ttir.matmul"(%n, %w_out) <{transpose_a = false, transpose_b = false}> : (tensor<1x512x64xf32>, tensor<64x64xf32>) -> tensor<1x512x64xf32>
    return %y : tensor<1x512x64xf32>
  }
}
