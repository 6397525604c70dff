// SPDX-License-Identifier: Apache-2.0
// ring-merge-lse: one state is carried through all parts of the same queries,
// and normalised once at the end instead of at every part.

#include "ring/Strategies/DeviceProgram.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGMERGELSE
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingMergeLsePass : public impl::RingMergeLseBase<RingMergeLsePass> {
public:
  using RingMergeLseBase::RingMergeLseBase;

  void runOnOperation() override {
    if (failed(carryStates(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
