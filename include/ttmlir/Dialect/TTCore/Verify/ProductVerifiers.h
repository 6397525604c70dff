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

} // namespace mlir::tt::verify

#endif // TTMLIR_DIALECT_TTCORE_VERIFY_PRODUCTVERIFIERS_H
