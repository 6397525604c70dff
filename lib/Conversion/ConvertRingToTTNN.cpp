// SPDX-License-Identifier: Apache-2.0
// convert-ring-to-ttnn: the TTIR of a ring program as calls of TTNN.

#include "ring/Conversion/DeviceOps.h"
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
    if (failed(convertRingToTTNN(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
