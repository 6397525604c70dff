// SPDX-License-Identifier: Apache-2.0
// Calls that treat each number alone.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNELEMENTWISEOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNELEMENTWISEOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

class TTNN_UnaryOp<string mnemonic, string what> : TTNN_TensorOp<mnemonic> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$input);
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input.getType(), input);
  }]>];
}

class TTNN_BinaryOp<string mnemonic, string what> : TTNN_TensorOp<mnemonic> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
}

def TTNN_AddOp : TTNN_BinaryOp<"add", "lhs + rhs">;
def TTNN_SubtractOp : TTNN_BinaryOp<"subtract", "lhs - rhs">;
def TTNN_MultiplyOp : TTNN_BinaryOp<"multiply", "lhs * rhs">;
def TTNN_DivideOp : TTNN_BinaryOp<"divide", "lhs / rhs">;
def TTNN_MaximumOp : TTNN_BinaryOp<"maximum", "the larger of both">;
def TTNN_MinimumOp : TTNN_BinaryOp<"minimum", "the smaller of both">;

def TTNN_EqualOp : TTNN_BinaryOp<"eq", "1 where lhs == rhs, else 0">;
def TTNN_GreaterThanOp : TTNN_BinaryOp<"gt", "1 where lhs > rhs, else 0">;
def TTNN_GreaterEqualOp : TTNN_BinaryOp<"ge", "1 where lhs >= rhs, else 0">;
def TTNN_LessThanOp : TTNN_BinaryOp<"lt", "1 where lhs < rhs, else 0">;
def TTNN_LessEqualOp : TTNN_BinaryOp<"le", "1 where lhs <= rhs, else 0">;

def TTNN_NegOp : TTNN_UnaryOp<"neg", "-x">;
def TTNN_ExpOp : TTNN_UnaryOp<"exp", "e to the power of x">;
def TTNN_LogOp : TTNN_UnaryOp<"log", "natural logarithm">;
def TTNN_SqrtOp : TTNN_UnaryOp<"sqrt", "square root">;
def TTNN_RsqrtOp : TTNN_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def TTNN_ReciprocalOp : TTNN_UnaryOp<"reciprocal", "1 / x">;
def TTNN_SinOp : TTNN_UnaryOp<"sin", "sine">;
def TTNN_CosOp : TTNN_UnaryOp<"cos", "cosine">;
def TTNN_SigmoidOp : TTNN_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def TTNN_SiluOp : TTNN_UnaryOp<"silu", "x * sigmoid(x)">;
def TTNN_GeluOp : TTNN_UnaryOp<"gelu", "x times the normal distribution's CDF">;
def TTNN_TanhOp : TTNN_UnaryOp<"tanh", "hyperbolic tangent">;
def TTNN_ReluOp : TTNN_UnaryOp<"relu", "max(x, 0)">;

def TTNN_TypecastOp : TTNN_TensorOp<"typecast"> {
  let summary = "converts to the result's element type";
  let arguments = (ins AnyRankedTensor:$input);
}

def TTNN_WhereOp : TTNN_TensorOp<"where"> {
  let summary = "second where first is not 0, else third";
  let arguments = (ins AnyRankedTensor:$first,
                       AnyRankedTensor:$second,
                       AnyRankedTensor:$third);
}

def TTNN_PowScalarOp : TTNN_TensorOp<"pow_scalar"> {
  let summary = "lhs to the power of one number";
  let description = [{
    Constraints:
    - (C1) the exponent is not negative
  }];
  let arguments = (ins AnyRankedTensor:$lhs, TTNN_ScalarAttr:$rhs);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNELEMENTWISEOPS_TD
