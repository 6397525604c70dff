// SPDX-License-Identifier: Apache-2.0
// Calls that move numbers about without computing on them. The constraints are
// those of the ttir ops of the same name, but for what is said here.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNSHAPEOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNSHAPEOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTNN_SliceStaticOp : TTNN_TensorOp<"slice_static"> {
  let summary = "every step-th number from begin up to end, in each dimension";
  let arguments = (ins AnyRankedTensor:$input,
                       I32ArrayAttr:$begins,
                       I32ArrayAttr:$ends,
                       I32ArrayAttr:$step);
  let hasVerifier = 1;
}

def TTNN_ConcatOp : TTNN_TensorOp<"concat"> {
  let summary = "joins tensors along one dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTNN_PadOp : TTNN_TensorOp<"pad"> {
  let summary = "surrounds a tensor with one value";
  let description = [{
    Constraints: those of the ttir op, and
    - (C3) no padding is negative
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI32ArrayAttr:$padding,
                       F32Attr:$value,
                       BoolAttr:$use_multicore);
  let hasVerifier = 1;
}

def TTNN_PermuteOp : TTNN_TensorOp<"permute"> {
  let summary = "reorders dimensions";
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$permutation,
                       DefaultValuedOptionalAttr<F32Attr, "0.0f">:$pad_value);
  let hasVerifier = 1;
}

def TTNN_TransposeOp : TTNN_TensorOp<"transpose"> {
  let summary = "swaps two dimensions";
  let arguments = (ins AnyRankedTensor:$input, SI32Attr:$dim0, SI32Attr:$dim1);
  let hasVerifier = 1;
}

def TTNN_ReshapeOp : TTNN_TensorOp<"reshape"> {
  let summary = "the same numbers in another shape";
  let arguments = (ins AnyRankedTensor:$input, I32ArrayAttr:$shape);
  let hasVerifier = 1;
}

def TTNN_RepeatOp : TTNN_TensorOp<"repeat"> {
  let summary = "repeats a whole tensor along each dimension";
  let arguments = (ins AnyRankedTensor:$input, TTNN_ShapeAttr:$repeat_dims);
  let hasVerifier = 1;
}

def TTNN_RepeatInterleaveOp : TTNN_TensorOp<"repeat_interleave"> {
  let summary = "repeats each number along one dimension";
  let arguments = (ins AnyRankedTensor:$input,
                       UI32Attr:$repeats,
                       SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTNN_EmbeddingOp : TTNN_TensorOp<"embedding"> {
  let summary = "rows of a table, chosen by number";
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$weight);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNSHAPEOPS_TD
