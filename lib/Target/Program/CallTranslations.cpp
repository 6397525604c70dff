// SPDX-License-Identifier: Apache-2.0
// Calls, and composites that stand for their decomposition: both are written
// out where they stand.

#include "OpTranslations.h"
#include "mlir/IR/SymbolTable.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

namespace mlir::ring {

static LogicalResult writeCallee(Operation *op, ProgramWriter &writer,
                                 FlatSymbolRefAttr name) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!callee || callee.isExternal())
    return op->emitOpError("cannot run: expects a function with a body, but "
                           "got ")
           << name;
  return writer.inlineCall(op, callee);
}

void addCallTranslations(OpTranslations &translations) {
  translations.add("func.call", [](Operation *op, ProgramWriter &writer) {
    return writeCallee(op, writer, cast<func::CallOp>(op).getCalleeAttr());
  });
  translations.add("ttcore.composite", [](Operation *op,
                                          ProgramWriter &writer) {
    return writeCallee(
        op, writer, cast<tt::ttcore::CompositeOp>(op).getDecompositionAttr());
  });
}

} // namespace mlir::ring
