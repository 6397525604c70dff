// SPDX-License-Identifier: Apache-2.0
// convert-ring-to-ttnn: the TTIR of a ring program as calls of TTNN.

#include "FunctionLowering.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

#define GEN_PASS_DEF_CONVERTRINGTOTTNN
#include "ring/Conversion/Passes.h.inc"

namespace {

class ConvertRingToTTNNPass
    : public impl::ConvertRingToTTNNBase<ConvertRingToTTNNPass> {
public:
  using ConvertRingToTTNNBase::ConvertRingToTTNNBase;

  void runOnOperation() override {
    nameFunctionTypes();
    WalkResult result = getOperation().walk([](func::FuncOp func) {
      return failed(lower(func)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// tt-mlir makes programs of functions that say so. What composites stand for
  /// is none: it is inlined, or the device has the op.
  void nameFunctionTypes() {
    auto name = [&](func::FuncOp func, StringRef type) {
      if (func && !func.isDeclaration() && !func->hasAttr(kFunctionType) &&
          !func->getParentOfType<ttcore::CPUModuleOp>())
        func->setAttr(kFunctionType, StringAttr::get(&getContext(), type));
    };
    getOperation().walk([&](Operation *op) {
      auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
      if (auto func = dyn_cast<func::FuncOp>(op); func && func.isPublic())
        name(func, kForwardDevice);
      else if (callee)
        name(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee),
             isa<ttcore::LoadCachedOp>(op) ? kConstEval : kForwardDevice);
    });
  }

  static LogicalResult lower(func::FuncOp func) {
    // What was hoisted to the host stays there.
    if (func.isDeclaration() || func->getParentOfType<ttcore::CPUModuleOp>())
      return success();
    SmallVector<int64_t> mesh = findMeshShape(func);
    if (mesh.empty())
      mesh = {1, 1};
    if (mesh.size() != 2)
      return func.emitOpError("expects a mesh of 2 axes, but got ")
             << mesh.size();
    return FunctionLowering(func, mesh).run();
  }
};

} // namespace
} // namespace mlir::ring
