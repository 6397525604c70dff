// SPDX-License-Identifier: Apache-2.0
// Products, reductions and normalisations: ops that combine numbers.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRNORMALIZATIONOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRNORMALIZATIONOPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def TTIR_MatmulOp : TTIR_NamedOp<"matmul"> {
  let summary = "matrix product";
  let description = [{
    A vector counts as one row on the left and as one column on the right;
    leading dimensions broadcast.

    Constraints:
    - (C1) no operand is a scalar
    - (C2) the inner dimensions agree
    - (C3) the leading dimensions broadcast together
    - (C4) the result has the shape of the product
  }];
  let arguments = (ins AnyRankedTensor:$a,
                       AnyRankedTensor:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b);
  let hasVerifier = 1;
}

def TTIR_LinearOp : TTIR_NamedOp<"linear"> {
  let summary = "matrix product plus bias";
  let description = [{
    Constraints: those of `matmul`, and
    - (C5) the bias broadcasts with the product
  }];
  let arguments = (ins AnyRankedTensor:$a,
                       AnyRankedTensor:$b,
                       Optional<AnyRankedTensor>:$bias,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b);
  let hasVerifier = 1;
}

def TTIR_DotGeneralOp : TTIR_Op<"dot_general"> {
  let summary = "product over any dimensions";
  let arguments = (ins AnyRankedTensor:$lhs,
                       AnyRankedTensor:$rhs,
                       DenseI64ArrayAttr:$batch_dims_lhs,
                       DenseI64ArrayAttr:$contract_dims_lhs,
                       DenseI64ArrayAttr:$batch_dims_rhs,
                       DenseI64ArrayAttr:$contract_dims_rhs);
  let results = (outs AnyRankedTensor:$result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Constraints of every reduction:
/// - (C1) each of `dim_arg` is a dimension of the input, negative from the end
/// - (C2) none is named twice
/// - (C3) the result lacks the reduced dimensions, or has them as 1 if
///   `keep_dim`; without `dim_arg` all are reduced
class TTIR_ReductionOp<string mnemonic, string what> : TTIR_NamedOp<mnemonic> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$input,
                       BoolAttr:$keep_dim,
                       OptionalAttr<I32ArrayAttr>:$dim_arg);
  let hasVerifier = 1;
}

def TTIR_SumOp : TTIR_ReductionOp<"sum", "sum over dimensions">;
def TTIR_MaxOp : TTIR_ReductionOp<"max", "largest over dimensions">;
def TTIR_MeanOp : TTIR_ReductionOp<"mean", "mean over dimensions">;

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

def TTIR_SoftmaxOp : TTIR_NamedOp<"softmax"> {
  let summary = "exp(x) over its sum along one dimension";
  let description = [{
    Constraints:
    - (C1) `dimension` is a dimension of the input, negative from the end
    - (C2) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$dimension,
                       DefaultValuedAttr<BoolAttr, "false">:$numericStable);
  let hasVerifier = 1;
}

/// Constraints of both:
/// - (C1) the result has the input's shape
/// - (C2) `normalized_shape` is the end of the input's shape, and not empty
/// - (C3) weight and bias have that shape
class TTIR_NormOp<string mnemonic, string what>
    : TTIR_NamedOp<mnemonic, [AttrSizedOperandSegments]> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$input,
                       Optional<AnyRankedTensor>:$weight,
                       Optional<AnyRankedTensor>:$bias,
                       DenseI64ArrayAttr:$normalized_shape,
                       DefaultValuedAttr<F32Attr, "1e-05">:$epsilon);
  let hasVerifier = 1;
}

def TTIR_RMSNormOp : TTIR_NormOp<"rms_norm", "x over its root mean square">;
def TTIR_LayerNormOp
    : TTIR_NormOp<"layer_norm", "x less its mean, over its deviation">;

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRNORMALIZATIONOPS_TD
