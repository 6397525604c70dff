// SPDX-License-Identifier: Apache-2.0
// ring-block-transfers: transfers outside launches wait where they start.

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGBLOCKTRANSFERS
#include "ring/Transforms/Passes.h.inc"

namespace {

/// What the names of all ops that start a transfer begin with; the rest is the
/// op that blocks, which has the same attributes.
constexpr StringLiteral kStart = "ring.start_";

class RingBlockTransfersPass
    : public impl::RingBlockTransfersBase<RingBlockTransfersPass> {
public:
  using RingBlockTransfersBase::RingBlockTransfersBase;

  void runOnOperation() override {
    SmallVector<WaitOp> waits;
    getOperation().walk([&](WaitOp wait) {
      if (!wait->getParentOfType<LaunchOp>())
        waits.push_back(wait);
    });
    for (WaitOp wait : waits)
      if (failed(block(wait)))
        return signalPassFailure();
    getOperation().walk([](BufferOp buffer) {
      if (buffer->use_empty())
        buffer->erase();
    });
  }

private:
  static LogicalResult block(WaitOp wait) {
    auto start = wait.getToken().getDefiningOp<StartOpInterface>();
    StringRef name = start->getName().getStringRef();
    if (!name.consume_front(kStart))
      return start->emitOpError("expects an op that starts a transfer");
    OpBuilder builder(wait);
    OperationState state(wait.getLoc(), "ring." + name.str());
    state.addOperands(start.getPayload());
    state.addTypes(wait->getResultTypes());
    for (NamedAttribute attribute : start->getAttrs())
      if (attribute.getName() != "operandSegmentSizes")
        state.addAttribute(attribute.getName(), attribute.getValue());
    wait->replaceAllUsesWith(builder.create(state));
    wait->erase();
    if (start->use_empty())
      start->erase();
    return success();
  }
};

} // namespace
} // namespace mlir::ring
