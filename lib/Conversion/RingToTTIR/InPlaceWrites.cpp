// SPDX-License-Identifier: Apache-2.0
// Writes that TTIR does in place.

#include "Patterns.h"
#include "ring/Dialect/Ring/IR/InPlace.h"

namespace mlir::ring {

/// Whoever read the result reads what was written into.
void writeInPlace(ModuleOp module) {
  SmallVector<Operation *> writes;
  module.walk([&](Operation *op) {
    if (op->hasAttr(kInPlaceAttrName))
      writes.push_back(op);
  });
  for (Operation *write : writes) {
    OpBuilder builder(write);
    OperationState state(write->getLoc(), write->getName());
    state.propertiesAttr = write->getPropertiesAsAttribute();
    for (NamedAttribute attribute : write->getDiscardableAttrs())
      if (attribute.getName() != kInPlaceAttrName)
        state.addAttribute(attribute.getName(), attribute.getValue());
    state.addOperands(write->getOperands());
    builder.create(state);
    write->getResult(0).replaceAllUsesWith(write->getOperand(0));
    write->erase();
  }
}

} // namespace mlir::ring
