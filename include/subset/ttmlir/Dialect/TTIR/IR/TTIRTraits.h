// SPDX-License-Identifier: Apache-2.0
// Traits of ttir ops.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRTRAITS_H
#define TTMLIR_DIALECT_TTIR_IR_TTIRTRAITS_H

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

#include "mlir/IR/OpDefinition.h"

namespace mlir::tt::ttir {

/// The operands of the op broadcast, and its result has the shape they
/// broadcast to.
template <typename ConcreteType>
struct Broadcastable : public OpTrait::TraitBase<ConcreteType, Broadcastable> {
  static LogicalResult verifyTrait(Operation *op) {
    return verify::broadcast(op);
  }
};

} // namespace mlir::tt::ttir

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRTRAITS_H
