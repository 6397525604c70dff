// SPDX-License-Identifier: Apache-2.0
// The TTIR of a ring program as calls of TTNN.

#include "FunctionLowering.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/DeviceOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

/// tt-mlir makes programs of functions that say so. What composites stand for
/// is none: it is inlined, or the device has the op.
void nameFunctionTypes(ModuleOp module) {
  auto name = [&](func::FuncOp func, StringRef type) {
    if (func && !func.isDeclaration() && !func->hasAttr(kFunctionType) &&
        !func->getParentOfType<ttcore::CPUModuleOp>())
      func->setAttr(kFunctionType, StringAttr::get(module.getContext(), type));
  };
  module.walk([&](Operation *op) {
    auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
    if (auto func = dyn_cast<func::FuncOp>(op); func && func.isPublic())
      name(func, kForwardDevice);
    else if (callee)
      name(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee),
           isa<ttcore::LoadCachedOp>(op) ? kConstEval : kForwardDevice);
  });
}

LogicalResult lower(func::FuncOp func) {
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

} // namespace

LogicalResult convertRingToTTNN(ModuleOp module) {
  nameFunctionTypes(module);
  WalkResult result = module.walk([](func::FuncOp func) {
    return failed(lower(func)) ? WalkResult::interrupt() : WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

} // namespace mlir::ring
