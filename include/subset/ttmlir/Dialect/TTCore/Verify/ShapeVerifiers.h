// SPDX-License-Identifier: Apache-2.0
// Rules about shapes that ops of ttir and ttnn share. Each function reports its
// error on the op and names the constraint it checks as the op's text does.
#ifndef TTMLIR_DIALECT_TTCORE_VERIFY_SHAPEVERIFIERS_H
#define TTMLIR_DIALECT_TTCORE_VERIFY_SHAPEVERIFIERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::tt::verify {

/// `shape` as it is written in a tensor type, for messages: 2x4.
std::string shapeText(ArrayRef<int64_t> shape);

/// Counts a negative `dim` from the end of `rank` dimensions. Fails, with
/// `name` in the message, if there is no such dimension.
FailureOr<int64_t> dimension(Operation *op, StringRef name, int64_t dim,
                             int64_t rank);

/// The result has the shape `expected`.
LogicalResult resultShape(Operation *op, ArrayRef<int64_t> expected,
                          RankedTensorType result);

/// The shapes of all operands broadcast to that of the only result.
LogicalResult broadcast(Operation *op);

LogicalResult slice(Operation *op, RankedTensorType input, ArrayAttr begins,
                    ArrayAttr ends, ArrayAttr steps, RankedTensorType result);

LogicalResult concat(Operation *op, TypeRange inputs, int64_t dim,
                     RankedTensorType result);

LogicalResult pad(Operation *op, RankedTensorType input,
                  ArrayRef<int32_t> padding, RankedTensorType result);

LogicalResult permute(Operation *op, RankedTensorType input,
                      ArrayRef<int64_t> permutation, RankedTensorType result);

LogicalResult transpose(Operation *op, RankedTensorType input, int64_t dim0,
                        int64_t dim1, RankedTensorType result);

LogicalResult reshape(Operation *op, RankedTensorType input, ArrayAttr shape,
                      RankedTensorType result);

LogicalResult repeat(Operation *op, RankedTensorType input,
                     ArrayRef<int64_t> times, RankedTensorType result);

LogicalResult repeatInterleave(Operation *op, RankedTensorType input,
                               int64_t times, int64_t dim,
                               RankedTensorType result);

LogicalResult embedding(Operation *op, RankedTensorType input,
                        RankedTensorType weight, RankedTensorType result);

/// How many numbers an arange holds; fails if it holds none.
FailureOr<int64_t> arangeLength(Operation *op, int64_t start, int64_t end,
                                int64_t step);

//===----------------------------------------------------------------------===//
// By the accessors that an op has in both dialects
//===----------------------------------------------------------------------===//

template <typename OpT>
LogicalResult sliceOp(OpT op) {
  return slice(op, op.getInput().getType(), op.getBegins(), op.getEnds(),
               op.getStep(), op.getType());
}

template <typename OpT>
LogicalResult permuteOp(OpT op) {
  return permute(op, op.getInput().getType(), op.getPermutation(),
                 op.getType());
}

template <typename OpT>
LogicalResult transposeOp(OpT op) {
  return transpose(op, op.getInput().getType(), op.getDim0(), op.getDim1(),
                   op.getType());
}

template <typename OpT>
LogicalResult reshapeOp(OpT op) {
  return reshape(op, op.getInput().getType(), op.getShape(), op.getType());
}

template <typename OpT>
LogicalResult repeatInterleaveOp(OpT op) {
  return repeatInterleave(op, op.getInput().getType(), op.getRepeats(),
                          op.getDim(), op.getType());
}

template <typename OpT>
LogicalResult embeddingOp(OpT op) {
  return embedding(op, op.getInput().getType(), op.getWeight().getType(),
                   op.getType());
}

} // namespace mlir::tt::verify

#endif // TTMLIR_DIALECT_TTCORE_VERIFY_SHAPEVERIFIERS_H
