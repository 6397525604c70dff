// SPDX-License-Identifier: Apache-2.0
// Ops that move numbers about without computing on them.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRSHAPEOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRSHAPEOPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTIR_SliceStaticOp : TTIR_NamedOp<"slice_static"> {
  let summary = "every step-th number from begin up to end, in each dimension";
  let description = [{
    Negative bounds count from the end of the dimension.

    Constraints:
    - (C1) `begins`, `ends` and `step` have an entry for each dimension
    - (C2) the result has the input's rank and element type
    - (C3) no step is 0
    - (C4) bounds lie within the dimension, unless the slice is empty
    - (C5) begin is not past end, in the direction of the step
    - (C6) the result's dimension is |end - begin| / |step|, rounded up
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       I32ArrayAttr:$begins,
                       I32ArrayAttr:$ends,
                       I32ArrayAttr:$step);
  let hasVerifier = 1;
}

def TTIR_ConcatOp : TTIR_NamedOp<"concat"> {
  let summary = "joins tensors along one dimension";
  let description = [{
    Constraints:
    - (C1) there is at least one input
    - (C2) `dim` is a dimension of the inputs, negative from the end
    - (C3) the inputs have the same shape, but for that dimension
    - (C4) the result's dimension is the sum of the inputs'
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTIR_PadOp : TTIR_NamedOp<"pad"> {
  let summary = "surrounds a tensor with one value";
  let description = [{
    `padding` is (before, after) of the first dimension, then of the second,
    and so on.

    Constraints:
    - (C1) `padding` has two entries for each dimension
    - (C2) the result's dimension is before + the input's + after
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI32ArrayAttr:$padding,
                       F32Attr:$value);
  let hasVerifier = 1;
}

def TTIR_PermuteOp : TTIR_NamedOp<"permute"> {
  let summary = "reorders dimensions";
  let description = [{
    Constraints:
    - (C1) `permutation` names each dimension of the input once
    - (C2) dimension i of the result is dimension `permutation[i]` of the input
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$permutation);
  let hasVerifier = 1;
}

def TTIR_TransposeOp : TTIR_NamedOp<"transpose"> {
  let summary = "swaps two dimensions";
  let description = [{
    Constraints:
    - (C1) the input has at least two dimensions, the result as many
    - (C2) `dim0` and `dim1` are dimensions of the input, negative from the end
    - (C3) the result has them swapped
  }];
  let arguments = (ins AnyRankedTensor:$input, SI32Attr:$dim0, SI32Attr:$dim1);
  let hasVerifier = 1;
}

def TTIR_ReshapeOp : TTIR_NamedOp<"reshape"> {
  let summary = "the same numbers in another shape";
  let description = [{
    Constraints:
    - (C1) `shape` has the rank of the result
    - (C2) input and result hold as many numbers
    - (C3) `shape` is the shape of the result, with at most one dimension left
      open as -1
  }];
  let arguments = (ins AnyRankedTensor:$input, I32ArrayAttr:$shape);
  let hasVerifier = 1;
}

def TTIR_SqueezeOp : TTIR_NamedOp<"squeeze"> {
  let summary = "drops a dimension of size 1";
  let description = [{
    Constraints:
    - (C1) `dim` is a dimension of the input, negative from the end
    - (C2) its size is 1
    - (C3) the result has the other dimensions, of which there is at least one
  }];
  let arguments = (ins AnyRankedTensor:$input, SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTIR_UnsqueezeOp : TTIR_NamedOp<"unsqueeze"> {
  let summary = "adds a dimension of size 1";
  let description = [{
    Constraints:
    - (C1) `dim` is a dimension of the result, negative from the end
    - (C2) the result is the input with a 1 there
  }];
  let arguments = (ins AnyRankedTensor:$input, SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTIR_BroadcastOp : TTIR_NamedOp<"broadcast"> {
  let summary = "repeats dimensions of size 1";
  let description = [{
    Constraints:
    - (C1) input and result have the same rank, and `broadcast_dimensions` an
      entry for each dimension
    - (C2) a dimension that changes has size 1
    - (C3) the result's dimension is the input's times the entry
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let hasVerifier = 1;
}

def TTIR_RepeatOp : TTIR_NamedOp<"repeat"> {
  let summary = "repeats a whole tensor along each dimension";
  let description = [{
    Constraints:
    - (C1) input and result have the same rank, and `repeat_dimensions` a
      positive entry for each dimension
    - (C2) the result's dimension is the input's times the entry
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$repeat_dimensions);
  let hasVerifier = 1;
}

def TTIR_RepeatInterleaveOp : TTIR_NamedOp<"repeat_interleave"> {
  let summary = "repeats each number along one dimension";
  let description = [{
    Constraints:
    - (C1) `repeats` is not 0
    - (C2) `dim` is a dimension of the input, negative from the end
    - (C3) the result's dimension is the input's times `repeats`
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       UI32Attr:$repeats,
                       SI32Attr:$dim);
  let hasVerifier = 1;
}

def TTIR_EmbeddingOp : TTIR_NamedOp<"embedding"> {
  let summary = "rows of a table, chosen by number";
  let description = [{
    Constraints:
    - (C1) the weight is a table: at least two dimensions, all but the last two
      of size 1
    - (C2) the result has the input's shape and then the width of the table
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$weight);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRSHAPEOPS_TD
