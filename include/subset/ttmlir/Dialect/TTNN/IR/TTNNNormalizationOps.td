// SPDX-License-Identifier: Apache-2.0
// Products, reductions and normalisations: calls that combine numbers. The
// constraints are those of the ttir ops of the same name, but for what is said
// here.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNNORMALIZATIONOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNNORMALIZATIONOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def TTNN_MatmulOp : TTNN_TensorOp<"matmul"> {
  let summary = "matrix product";
  let arguments = (ins AnyRankedTensor:$a,
                       AnyRankedTensor:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b,
                       OptionalAttr<AnyAttr>:$matmul_program_config,
                       OptionalAttr<StrAttr>:$activation,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

def TTNN_LinearOp : TTNN_TensorOp<"linear"> {
  let summary = "matrix product plus bias";
  let description = [{
    Constraints: those of the ttir op, but the result may have the shape of the
    product alone (C4).
  }];
  let arguments = (ins AnyRankedTensor:$a,
                       AnyRankedTensor:$b,
                       Optional<AnyRankedTensor>:$bias,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b,
                       OptionalAttr<AnyAttr>:$matmul_program_config,
                       OptionalAttr<StrAttr>:$activation,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class TTNN_ReductionOp<string mnemonic, string what>
    : TTNN_TensorOp<mnemonic> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$input,
                       BoolAttr:$keep_dim,
                       OptionalAttr<I32ArrayAttr>:$dim_arg,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

def TTNN_SumOp : TTNN_ReductionOp<"sum", "sum over dimensions">;
def TTNN_MaxOp : TTNN_ReductionOp<"max", "largest over dimensions">;
def TTNN_MeanOp : TTNN_ReductionOp<"mean", "mean over dimensions">;

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

def TTNN_SoftmaxOp : TTNN_TensorOp<"softmax"> {
  let summary = "exp(x) over its sum along one dimension";
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$dimension,
                       DefaultValuedAttr<BoolAttr, "false">:$numericStable,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

def TTNN_RMSNormOp : TTNN_TensorOp<"rms_norm", [AttrSizedOperandSegments]> {
  let summary = "x over its root mean square, along the last dimension";
  let description = [{
    Constraints:
    - (C1) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       Optional<AnyRankedTensor>:$weight,
                       Optional<AnyRankedTensor>:$bias,
                       DefaultValuedAttr<F32Attr, "1e-12">:$epsilon,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

def TTNN_LayerNormOp
    : TTNN_TensorOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "x less its mean, over its deviation, along the last dimension";
  let description = [{
    Constraints:
    - (C1) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       Optional<AnyRankedTensor>:$weight,
                       Optional<AnyRankedTensor>:$bias,
                       DefaultValuedAttr<F32Attr, "1e-12">:$epsilon);
  let hasVerifier = 1;
}

def TTNN_RotaryEmbeddingOp : TTNN_TensorOp<"rotary_embedding"> {
  let summary = "turns each pair of numbers by an angle of its position";
  let description = [{
    Constraints:
    - (C1) both caches have one shape and one element type
    - (C2) input, caches and result have 4 dimensions
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       AnyRankedTensor:$cos_cache,
                       AnyRankedTensor:$sin_cache,
                       OptionalAttr<UI32Attr>:$token_index,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNNORMALIZATIONOPS_TD
