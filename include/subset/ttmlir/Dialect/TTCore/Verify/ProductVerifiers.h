// SPDX-License-Identifier: Apache-2.0
// Rules about matrix products, reductions and normalisations that ops of ttir
// and ttnn share.
#ifndef TTMLIR_DIALECT_TTCORE_VERIFY_PRODUCTVERIFIERS_H
#define TTMLIR_DIALECT_TTCORE_VERIFY_PRODUCTVERIFIERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::tt::verify {

/// The operands of a matrix product; `bias` is null where there is none.
struct Product {
  RankedTensorType a, b, bias;
  bool transposeA, transposeB;
  RankedTensorType result;
  /// Whether the result may have the product's shape though the bias is larger,
  /// as a fused kernel leaves it.
  bool mayIgnoreBias = false;
};

LogicalResult product(Operation *op, const Product &product);

/// `dims` is null to reduce all dimensions.
LogicalResult reduction(Operation *op, RankedTensorType input, ArrayAttr dims,
                        bool keepDim, RankedTensorType result);

LogicalResult softmax(Operation *op, RankedTensorType input, int64_t dim,
                      RankedTensorType result);

//===----------------------------------------------------------------------===//
// By the accessors that an op has in both dialects
//===----------------------------------------------------------------------===//

template <typename OpT>
LogicalResult matmulOp(OpT op) {
  return product(op, {op.getA().getType(),
                      op.getB().getType(),
                      {},
                      op.getTransposeA(),
                      op.getTransposeB(),
                      op.getType()});
}

template <typename OpT>
LogicalResult linearOp(OpT op, bool mayIgnoreBias) {
  RankedTensorType bias;
  if (op.getBias())
    bias = op.getBias().getType();
  return product(op, {op.getA().getType(), op.getB().getType(), bias,
                      op.getTransposeA(), op.getTransposeB(), op.getType(),
                      mayIgnoreBias});
}

template <typename OpT>
LogicalResult reductionOp(OpT op) {
  return reduction(op, op.getInput().getType(), op.getDimArgAttr(),
                   op.getKeepDim(), op.getType());
}

template <typename OpT>
LogicalResult softmaxOp(OpT op) {
  return softmax(op, op.getInput().getType(), op.getDimension(), op.getType());
}

} // namespace mlir::tt::verify

#endif // TTMLIR_DIALECT_TTCORE_VERIFY_PRODUCTVERIFIERS_H
