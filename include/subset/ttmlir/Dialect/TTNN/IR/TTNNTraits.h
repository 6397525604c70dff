// SPDX-License-Identifier: Apache-2.0
// Traits of ttnn ops.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNTRAITS_H
#define TTMLIR_DIALECT_TTNN_IR_TTNNTRAITS_H

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

#include "mlir/IR/OpDefinition.h"

namespace mlir::tt::ttnn {

/// Fails if a result is a tensor of tiles whose layout stores other tiles.
LogicalResult verifyTileTypes(Operation *op);

template <typename ConcreteType>
class CheckTileTypeTrait
    : public OpTrait::TraitBase<ConcreteType, CheckTileTypeTrait> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyTileTypes(op);
  }
};

} // namespace mlir::tt::ttnn

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNTRAITS_H
