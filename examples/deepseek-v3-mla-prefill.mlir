// SPDX-License-Identifier: Apache-2.0
// Prefill of DeepSeek V3 in absorbed form: 128 Ki tokens, 128 query heads over one
// latent head of 512 columns and 64 rotary ones, whose first 512 are the values
// too. Causal, on a galaxy: the sequence on 8 devices, the query heads on 4. The
// keys alone travel, 576 columns of one head.
!Q = tensor<1x128x131072x576xbf16>
!K = tensor<1x1x131072x576xbf16>
!V = tensor<1x1x131072x512xbf16>
!O = tensor<1x128x131072x512xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 8x4>]>} {
  func.func @attention(%q: !Q, %latent: !K) -> !O {
    %0 = "ttcore.composite"(%q, %latent) <{composite_attributes = {has_attention_mask = false, has_value = false, head_dim_v = 512 : ui32, is_causal = true, scale = 0.1352337788608801 : f32},
        composite_name = "flash_mla_prefill", decomposition = @mla}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (!Q, !K) -> !O
    return %0 : !O
  }

  // What the name means, for a compiler that does not know it.
  func.func private @mla(%q: !Q, %k: !K) -> !O {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 131072 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %factor = "ttir.full"() <{fill_value = 3.2456106 : f32, shape = array<i32: 1, 128, 131072, 576>}> : () -> !Q
    %scaled = "ttir.multiply"(%q, %factor) : (!Q, !Q) -> !Q
    %0 = "ttir.sdpa_fw"(%scaled, %k, %v) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> : (!Q, !K, !V) -> !O
    return %0 : !O
  }
}
