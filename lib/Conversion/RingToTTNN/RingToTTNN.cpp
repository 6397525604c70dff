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
    WalkResult result = getOperation().walk([](func::FuncOp func) {
      return failed(lower(func)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
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
