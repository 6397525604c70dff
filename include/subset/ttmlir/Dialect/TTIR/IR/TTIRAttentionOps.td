// SPDX-License-Identifier: Apache-2.0
// Attention. These are the ops ring-mlir raises from, so they are the ones
// verified most closely.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRATTENTIONOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRATTENTIONOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"
include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTIR_ScaledDotProductAttentionOp
    : TTIR_NamedOp<"scaled_dot_product_attention", [AttrSizedOperandSegments]> {
  let summary = "attention of a whole sequence";
  let description = [{
    softmax(scale * Q K^T + mask) V for Q of [B, Hq, Sq, D] and K, V of
    [B, Hkv, Sk, D]; each group of Hq / Hkv query heads shares a key head.
    Without `scale` it is 1 / sqrt(D).

    Constraints:
    - (C1) query, key, value and result have 4 dimensions
    - (C2) the result has the type of the query
    - (C3) key and value have the same type
    - (C4) query and key agree in B and in D
    - (C5) Hkv divides Hq
    - (C6) a mask excludes `is_causal`
    - (C7) the mask is [1 or B, 1 or Hq, 1 or Sq, Sk]
    - (C8) `is_causal` needs Sq == Sk
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$attention_mask,
                       DefaultValuedAttr<BoolAttr, "true">:$is_causal,
                       OptionalAttr<F32Attr>:$scale,
                       OptionalAttr<UI32Attr>:$sliding_window_size,
                       Optional<AnyRankedTensor>:$attention_sink);
  let hasVerifier = 1;
}

def TTIR_ScaledDotProductAttentionDecodeOp
    : TTIR_NamedOp<"scaled_dot_product_attention_decode",
                   [AttrSizedOperandSegments]> {
  let summary = "attention of one new token of each user";
  let description = [{
    The query is [1, B, Hq, D], key and value are caches of [B, Hkv, Sk, D] and
    `cur_pos_tensor` says how much of each user's cache is filled.

    Constraints:
    - (C1) query, key, value and result have 4 dimensions, and the query's
      first is 1
    - (C2) the result has the type of the query
    - (C3) key and value have the same type
    - (C4) query and key agree in B and in D
    - (C5) Hkv divides Hq
    - (C6) a mask excludes `is_causal`
    - (C7) the mask is [1 or B, 1, 1 or Hq, Sk]
    - (C8) `cur_pos_tensor` holds B integers
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       DefaultValuedAttr<BoolAttr, "true">:$is_causal,
                       Optional<AnyRankedTensor>:$attention_mask,
                       AnyRankedTensor:$cur_pos_tensor,
                       Optional<AnyRankedTensor>:$attention_sink,
                       OptionalAttr<F32Attr>:$scale);
  let hasVerifier = 1;
}

def TTIR_PagedScaledDotProductAttentionDecodeOp
    : TTIR_NamedOp<"paged_scaled_dot_product_attention_decode",
                   [AttrSizedOperandSegments]> {
  let summary = "attention of one new token over a cache kept in pages";
  let description = [{
    The query is [1, B, Hq, D], key and value are pages of [N, Hkv, block, D];
    row b of `page_table` lists the pages of user b.

    Constraints:
    - (C1) query, key and value have 4 dimensions, the page table 2
    - (C2) query, key and value hold floats, the page table integers
    - (C3) key and value have the same type
    - (C4) query and key agree in D
    - (C5) Hkv divides Hq
    - (C6) 32 divides the block
    - (C7) the page table has B rows
    - (C8) there is a mask exactly if not `is_causal`
    - (C9) `cur_pos_tensor` holds B integers
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       AnyRankedTensor:$page_table,
                       AnyRankedTensor:$output,
                       DefaultValuedAttr<BoolAttr, "true">:$is_causal,
                       Optional<AnyRankedTensor>:$attention_mask,
                       Optional<AnyRankedTensor>:$cur_pos_tensor,
                       Optional<AnyRankedTensor>:$attention_sink,
                       OptionalAttr<F32Attr>:$scale,
                       OptionalAttr<UI32Attr>:$sliding_window_size);
  let hasVerifier = 1;
}

def TTIR_PagedFlashMultiLatentAttentionDecodeOp
    : TTIR_NamedOp<"paged_flash_multi_latent_attention_decode",
                   [AttrSizedOperandSegments]> {
  let summary = "latent attention of one new token over a cache kept in pages";
  let description = [{
    The query is [1, B, Hq, D], the key pages of [N, 1, block, D]; row b of
    `page_table` lists the pages of user b. Without a value the values are the
    first `head_dim_v` columns of the keys.

    Constraints:
    - (C1) query, key and value have 4 dimensions, the page table 2
    - (C2) query, key and value hold floats of one type, the page table integers
    - (C3) query and key agree in D
    - (C4) keys have one head
    - (C5) 32 divides the block
    - (C6) the page table has B rows
    - (C7) a value has the key's shape, but `head_dim_v` columns; without one
      keys have at least so many
    - (C8) there is a mask exactly if not `is_causal`
    - (C9) `cur_pos_tensor` holds B integers
    - (C10) the result is [1, B, Hq, `head_dim_v`]
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       Optional<AnyRankedTensor>:$value,
                       UI32Attr:$head_dim_v,
                       AnyRankedTensor:$page_table,
                       DefaultValuedAttr<BoolAttr, "true">:$is_causal,
                       Optional<AnyRankedTensor>:$attention_mask,
                       Optional<AnyRankedTensor>:$cur_pos_tensor,
                       Optional<AnyRankedTensor>:$attention_sink,
                       OptionalAttr<F32Attr>:$scale);
  let hasVerifier = 1;
}

def TTIR_ChunkedScaledDotProductAttentionOp
    : TTIR_NamedOp<"chunked_scaled_dot_product_attention"> {
  let summary = "attention of a chunk of new tokens over a cache kept in pages";
  let description = [{
    The query is [B, Hq, chunk, D], key and value are pages of
    [N, Hkv, block, D]; the chunk starts at `chunk_start_idx` of the sequence.

    Constraints:
    - (C1) query, key and value have 4 dimensions, the page table 2
    - (C2) query, key and value hold floats of one type, the page table
      integers
    - (C3) key and value have the same type
    - (C4) query and key agree in D
    - (C5) Hkv divides Hq
    - (C6) 32 divides the block
    - (C7) the page table has B rows
    - (C8) `chunk_start_idx` holds one integer
    - (C9) the result has the shape of the query
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       AnyRankedTensor:$page_table,
                       AnyRankedTensor:$chunk_start_idx,
                       AnyRankedTensor:$output,
                       OptionalAttr<F32Attr>:$scale);
  let hasVerifier = 1;
}

def TTIR_SDPAForwardOp : TTIR_Op<"sdpa_fw", [Pure]> {
  let summary = "attention that also returns the log-sum-exp of each row";
  let description = [{
    The scale is 1 / sqrt(D). Column 0 of `intermediates` is the natural
    log-sum-exp, in f32; the other 31 columns fill the tile. A mask holds 1 for
    keys to keep and 0 for keys to drop. Shapes of other ranks stand for
    [1, product of the leading dimensions, S, D].

    Constraints:
    - (C1) query, key and value have at least 2 dimensions
    - (C2) query, key and value agree in B and in S, query and key in D, key
      and value in heads
    - (C3) Hkv divides Hq
    - (C4) there is a mask exactly if `mask_type` is `arbitrary`
    - (C5) the mask is [1, 1, S, S]
    - (C6) the output is [B, Hq, S, Dv]
    - (C7) there are intermediates exactly if `return_intermediates`
    - (C8) the intermediates are [B, Hq, S, 32]
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$attention_mask,
                       DefaultValuedAttr<TTCore_AttentionMaskTypeAttr,
                           "::mlir::tt::ttcore::AttentionMaskType::Causal">:
                           $mask_type,
                       DefaultValuedAttr<F32Attr, "0.0">:$dropout_probability,
                       DefaultValuedAttr<BoolAttr, "false">:
                           $return_intermediates);
  let results = (outs AnyRankedTensor:$output,
                      Optional<AnyRankedTensor>:$intermediates);
  let hasVerifier = 1;
}

def TTIR_SDPABackwardOp : TTIR_Op<"sdpa_bw", [Pure]> {
  let summary = "gradients of sdpa_fw";
  let description = [{
    Constraints:
    - (C1) query, key and value have at least 2 dimensions
    - (C2) query, key and value agree in B and in S, query and key in D, key
      and value in heads
    - (C3) Hkv divides Hq
    - (C4) there is a mask exactly if `mask_type` is `arbitrary`
    - (C5) the mask is [1, 1, S, S]
    - (C6) `grad_output` and `attn_output` are [B, Hq, S, Dv]
    - (C7) each gradient has the shape of what it is the gradient of
  }];
  let arguments = (ins AnyRankedTensor:$grad_output,
                       AnyRankedTensor:$attn_output,
                       AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       AnyRankedTensor:$intermediates,
                       Optional<AnyRankedTensor>:$attention_mask,
                       DefaultValuedAttr<TTCore_AttentionMaskTypeAttr,
                           "::mlir::tt::ttcore::AttentionMaskType::Arbitrary">:
                           $mask_type,
                       DefaultValuedAttr<F32Attr, "0.0">:$dropout_probability);
  let results = (outs AnyRankedTensor:$grad_query,
                      AnyRankedTensor:$grad_key,
                      AnyRankedTensor:$grad_value);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRATTENTIONOPS_TD
