// SPDX-License-Identifier: Apache-2.0
// Decode steps over a latent cache in pages, run on a mesh and compared with what
// TTIR means: one position for all users, one user whose position only the running
// program knows, and values that are a tensor of their own.

// RUN: ring-run %s --ring-attention-pipeline --bisect
// RUN: ring-run %s --ring-attention-pipeline="strategy=split_kv" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=all_gather" --check
// RUN: ring-run %s --ring-attention-pipeline="strategy=split_kv target=ttir" --bisect

#split = #ring.parallel<sequence = 1>
!q = tensor<1x3x8x96xf32>
!one = tensor<1x1x8x96xf32>
!k = tensor<16x1x32x96xf32>
!v = tensor<16x1x32x40xf32>
!o = tensor<1x3x8x64xf32>
!oone = tensor<1x1x8x64xf32>
!ov = tensor<1x3x8x40xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @steps(%q: !q, %one: !one, %k: !k, %v: !v) -> (!o, !oone, !ov) attributes {ring.parallel = #split} {
    %t = "ttir.constant"() <{value = dense<[[3, 1, 7, 0, 12], [2, 15, 5, 4, 13], [9, 8, 6, 10, 11]]> : tensor<3x5xi32>}> : () -> tensor<3x5xi32>
    %t1 = "ttir.constant"() <{value = dense<[[14, 2, 9, 1, 5]]> : tensor<1x5xi32>}> : () -> tensor<1x5xi32>
    %all = "ttir.constant"() <{value = dense<77> : tensor<3xi32>}> : () -> tensor<3xi32>
    %low = "ttir.constant"() <{value = dense<99> : tensor<1xi32>}> : () -> tensor<1xi32>
    %more = "ttir.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %at = "ttir.add"(%low, %more) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t, %all) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>, scale = 0.2 : f32}> : (!q, !k, tensor<3x5xi32>, tensor<3xi32>) -> !o
    %1 = "ttir.paged_flash_multi_latent_attention_decode"(%one, %k, %t1, %at) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> : (!one, !k, tensor<1x5xi32>, tensor<1xi32>) -> !oone
    %2 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %v, %t) <{head_dim_v = 40 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (!q, !k, !v, tensor<3x5xi32>) -> !ov
    return %0, %1, %2 : !o, !oone, !ov
  }
}
