// SPDX-License-Identifier: Apache-2.0
// ring-overlap: transfers go on behind the computation, between a start and a
// wait.

#include "ring/Strategies/DeviceProgram.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGOVERLAP
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingOverlapPass : public impl::RingOverlapBase<RingOverlapPass> {
public:
  using RingOverlapBase::RingOverlapBase;

  void runOnOperation() override {
    // Straight-line programs alone have one order of transfers on all devices.
    // Elsewhere transfers stay as they are and block.
    Region &body = getOperation().getBody();
    if (body.hasOneBlock())
      overlapTransfers(body.front());
  }
};

} // namespace
} // namespace mlir::ring
