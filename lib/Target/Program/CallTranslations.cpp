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

/// What a barrier lets through is what it was given.
static LogicalResult writeBarrier(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  for (auto [result, input] : llvm::zip_equal(op->getResults(), *inputs))
    writer.bind(result, input);
  return success();
}

void addCallTranslations(OpTranslations &translations) {
  translations.add("ttcore.optimization_barrier", writeBarrier);
  translations.add(
      "ttcore.load_cached", [](Operation *op, ProgramWriter &writer) {
        return writeCallee(op, writer,
                           cast<tt::ttcore::LoadCachedOp>(op).getCalleeAttr());
      });
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
