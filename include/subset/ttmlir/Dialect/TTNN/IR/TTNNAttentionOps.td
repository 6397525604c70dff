// SPDX-License-Identifier: Apache-2.0
// Attention calls. The constraints are those of the ttir ops of the same name,
// but for what is said here.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNATTENTIONOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNATTENTIONOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTNN_ScaledDotProductAttentionOp
    : TTNN_TensorOp<"scaled_dot_product_attention",
                    [AttrSizedOperandSegments]> {
  let summary = "attention of a whole sequence";
  let description = [{
    Returns no log-sum-exp; only `sdpa_fw` does.

    Constraints: C1 to C8 of the ttir op, but types agree without their
    encodings (C2, C3), and the mask's dimension 2 is Sq (C7).
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

def TTNN_ScaledDotProductAttentionDecodeOp
    : TTNN_TensorOp<"scaled_dot_product_attention_decode",
                    [AttrSizedOperandSegments]> {
  let summary = "attention of one new token of each user";
  let description = [{
    Constraints: C1 to C8 of the ttir op, but types agree without their
    encodings (C2), key and value types are not compared (C3), and
    `cur_pos_tensor` may be left out (C8).
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       DefaultValuedAttr<BoolAttr, "true">:$is_causal,
                       Optional<AnyRankedTensor>:$attention_mask,
                       Optional<AnyRankedTensor>:$cur_pos_tensor,
                       Optional<AnyRankedTensor>:$attention_sink,
                       OptionalAttr<F32Attr>:$scale,
                       OptionalAttr<UI32Attr>:$sliding_window_size,
                       OptionalAttr<TTNN_SDPAProgramConfigAttr>:
                           $program_config);
  let hasVerifier = 1;
}

def TTNN_ChunkedScaledDotProductAttentionOp
    : TTNN_TensorOp<"chunked_scaled_dot_product_attention"> {
  let summary = "attention of a chunk of new tokens over a cache kept in pages";
  let description = [{
    Constraints: C1 and C4 to C9 of the ttir op.
  }];
  let arguments = (ins AnyRankedTensor:$query,
                       AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       AnyRankedTensor:$page_table,
                       AnyRankedTensor:$chunk_start_idx,
                       OptionalAttr<F32Attr>:$scale,
                       OptionalAttr<TTNN_SDPAProgramConfigAttr>:
                           $program_config);
  let hasVerifier = 1;
}

def TTNN_SDPAForwardOp : TTNN_Op<"sdpa_fw"> {
  let summary = "attention that also returns the log-sum-exp of each row";
  let description = [{
    Constraints: those of the ttir op, but query, key and value have exactly 4
    dimensions (C1).
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

def TTNN_SDPABackwardOp : TTNN_Op<"sdpa_bw"> {
  let summary = "gradients of sdpa_fw";
  let description = [{
    Constraints: those of the ttir op, but query, key and value have exactly 4
    dimensions (C1).
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

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNATTENTIONOPS_TD
