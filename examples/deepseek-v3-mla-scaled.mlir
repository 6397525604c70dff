// SPDX-License-Identifier: Apache-2.0
// DeepSeek V3's latent attention, a hundredth of its tokens and an eighth of its
// query heads: small enough to run and check on a laptop, with an odd tail.
!Q = tensor<1x16x1300x576xbf16>
!K = tensor<1x1x1300x576xbf16>
!V = tensor<1x1x1300x512xbf16>
!O = tensor<1x16x1300x512xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !Q, %latent: !K) -> !O {
    %0 = "ttcore.composite"(%q, %latent) <{composite_attributes = {has_attention_mask = false, has_value = false, head_dim_v = 512 : ui32, is_causal = true},
        composite_name = "flash_mla_prefill", decomposition = @mla}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (!Q, !K) -> !O
    return %0 : !O
  }

  // What the name means, for a compiler that does not know it, and to check by.
  func.func private @mla(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 1300 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %0 = "ttir.sdpa_fw"(%q, %k, %v) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (!Q, !K, !V) -> !O
    return %0 : !O
  }
}
