// SPDX-License-Identifier: Apache-2.0
// convert-ring-to-ttir: a ring program in ops that tt-mlir has today.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Conversion/DeviceOps.h"
#include "ring/Conversion/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

namespace mlir::ring {

#define GEN_PASS_DEF_CONVERTRINGTOTTIR
#include "ring/Conversion/Passes.h.inc"

namespace {

class ConvertRingToTTIRPass
    : public impl::ConvertRingToTTIRBase<ConvertRingToTTIRPass> {
public:
  using ConvertRingToTTIRBase::ConvertRingToTTIRBase;

  void runOnOperation() override {
    BlockLowering lowering;
    if (failed(readOptions(lowering)) ||
        failed(convertRingToTTIR(getOperation(), lowering)))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(BlockLowering &lowering) {
    ModuleOp module = getOperation();
    if (sdpaFwMask != "ones" && sdpaFwMask != "none")
      return module.emitError(
                 "expects sdpa-fw-mask to be ones or none, but got ")
             << sdpaFwMask;
    if (sdpaFwTypes != "bf16" && sdpaFwTypes != "any")
      return module.emitError(
                 "expects sdpa-fw-types to be bf16 or any, but got ")
             << sdpaFwTypes;
    lowering.onesMask = sdpaFwMask == "ones";
    lowering.roundToBf16 = sdpaFwTypes == "any";
    return success();
  }
};

} // namespace
} // namespace mlir::ring
