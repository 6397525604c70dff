// SPDX-License-Identifier: Apache-2.0
// convert-ring-to-ttnn: the TTIR of a ring program as calls of TTNN.

#include "FunctionLowering.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

namespace mlir::ring {

#define GEN_PASS_DEF_CONVERTRINGTOTTNN
#include "ring/Conversion/Passes.h.inc"

namespace {

class ConvertRingToTTNNPass
    : public impl::ConvertRingToTTNNBase<ConvertRingToTTNNPass> {
public:
  using ConvertRingToTTNNBase::ConvertRingToTTNNBase;

  void runOnOperation() override {
    SmallVector<int64_t> mesh = findMeshShape(getOperation());
    if (mesh.empty())
      mesh = {1, 1};
    if (mesh.size() != 2) {
      getOperation().emitError("expects a mesh of 2 axes, but got ")
          << mesh.size();
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isDeclaration() && failed(FunctionLowering(func, mesh).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
