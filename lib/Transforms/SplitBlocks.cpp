// SPDX-License-Identifier: Apache-2.0
// ring-split-blocks: every block becomes the same on every device.

#include "ring/Strategies/DeviceProgram.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGSPLITBLOCKS
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingSplitBlocksPass
    : public impl::RingSplitBlocksBase<RingSplitBlocksPass> {
public:
  using RingSplitBlocksBase::RingSplitBlocksBase;

  void runOnOperation() override {
    if (failed(splitBlocks(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
