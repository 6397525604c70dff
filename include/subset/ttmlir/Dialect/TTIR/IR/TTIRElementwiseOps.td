// SPDX-License-Identifier: Apache-2.0
// Ops that treat each number alone. Shapes broadcast by NumPy's rule.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRELEMENTWISEOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRELEMENTWISEOPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

/// Constraints of every op below:
/// - (C1) the shapes of the operands broadcast together
/// - (C2) the result has the shape they broadcast to
def TTIR_Broadcastable : NativeOpTrait<"Broadcastable"> {
  let cppNamespace = "::mlir::tt::ttir";
}

class TTIR_ElementwiseOp<string mnemonic, string what>
    : TTIR_NamedOp<mnemonic, [TTIR_Broadcastable]> {
  let summary = what;
}

class TTIR_UnaryOp<string mnemonic, string what>
    : TTIR_ElementwiseOp<mnemonic, what> {
  let arguments = (ins AnyRankedTensor:$input);
}

class TTIR_BinaryOp<string mnemonic, string what>
    : TTIR_ElementwiseOp<mnemonic, what> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
}

def TTIR_AddOp : TTIR_BinaryOp<"add", "lhs + rhs">;
def TTIR_SubtractOp : TTIR_BinaryOp<"subtract", "lhs - rhs">;
def TTIR_MultiplyOp : TTIR_BinaryOp<"multiply", "lhs * rhs">;
def TTIR_DivOp : TTIR_BinaryOp<"div", "lhs / rhs">;
def TTIR_PowOp : TTIR_BinaryOp<"pow", "lhs to the power of rhs">;
def TTIR_MaximumOp : TTIR_BinaryOp<"maximum", "the larger of both">;
def TTIR_MinimumOp : TTIR_BinaryOp<"minimum", "the smaller of both">;

def TTIR_EqualOp : TTIR_BinaryOp<"eq", "1 where lhs == rhs, else 0">;
def TTIR_GreaterThanOp : TTIR_BinaryOp<"gt", "1 where lhs > rhs, else 0">;
def TTIR_GreaterEqualOp : TTIR_BinaryOp<"ge", "1 where lhs >= rhs, else 0">;
def TTIR_LessThanOp : TTIR_BinaryOp<"lt", "1 where lhs < rhs, else 0">;
def TTIR_LessEqualOp : TTIR_BinaryOp<"le", "1 where lhs <= rhs, else 0">;

def TTIR_NegOp : TTIR_UnaryOp<"neg", "-x">;
def TTIR_AbsOp : TTIR_UnaryOp<"abs", "|x|">;
def TTIR_ExpOp : TTIR_UnaryOp<"exp", "e to the power of x">;
def TTIR_LogOp : TTIR_UnaryOp<"log", "natural logarithm">;
def TTIR_SqrtOp : TTIR_UnaryOp<"sqrt", "square root">;
def TTIR_RsqrtOp : TTIR_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def TTIR_ReciprocalOp : TTIR_UnaryOp<"reciprocal", "1 / x">;
def TTIR_SinOp : TTIR_UnaryOp<"sin", "sine">;
def TTIR_CosOp : TTIR_UnaryOp<"cos", "cosine">;
def TTIR_SigmoidOp : TTIR_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def TTIR_SiluOp : TTIR_UnaryOp<"silu", "x * sigmoid(x)">;
def TTIR_GeluOp : TTIR_UnaryOp<"gelu", "x times the normal distribution's CDF">;
def TTIR_TanhOp : TTIR_UnaryOp<"tanh", "hyperbolic tangent">;
def TTIR_ReluOp : TTIR_UnaryOp<"relu", "max(x, 0)">;
def TTIR_LogicalNotOp : TTIR_UnaryOp<"logical_not", "1 where x is 0, else 0">;

def TTIR_TypecastOp
    : TTIR_ElementwiseOp<"typecast", "converts to the result's element type"> {
  let arguments = (ins AnyRankedTensor:$input,
                       DefaultValuedAttr<BoolAttr, "false">:
                           $conservative_folding);
}

def TTIR_WhereOp
    : TTIR_ElementwiseOp<"where", "second where first is not 0, else third"> {
  let arguments = (ins AnyRankedTensor:$first,
                       AnyRankedTensor:$second,
                       AnyRankedTensor:$third);
}

def TTIR_ClampScalarOp
    : TTIR_ElementwiseOp<"clamp_scalar", "x held between min and max"> {
  let arguments = (ins AnyRankedTensor:$input,
                       TTIR_ScalarAttr:$min,
                       TTIR_ScalarAttr:$max);
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRELEMENTWISEOPS_TD
