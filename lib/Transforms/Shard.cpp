// SPDX-License-Identifier: Apache-2.0
// ring-shard: every planned attention becomes one device's program.

#include "ring/Planner/AttentionPlanner.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ring/Strategies/Strategies.h"
#include "ring/Support/TTIRBuilder.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGSHARD
#include "ring/Transforms/Passes.h.inc"

namespace {

/// The gathers of a device's own function must be those of the mesh that it is
/// compiled for.
LogicalResult verifyGathers(WholeAttentionOpInterface op) {
  AxisAttr axis = op.getPlanAttr().getAxis();
  auto attend = cast<AttendOpInterface>(op.getOperation());
  for (Value operand :
       {attend.getQuery(), attend.getKey(), attend.getValue()}) {
    auto gather = operand.getDefiningOp<tt::ttir::AllGatherOp>();
    if (!op.getPerDevice() || !gather ||
        static_cast<int64_t>(gather.getClusterAxis()) != axis.getIndex())
      continue;
    int64_t dim = gather.getAllGatherDim();
    int64_t devices = TTIRBuilder::typeOf(operand).getDimSize(dim) /
                      TTIRBuilder::typeOf(gather.getInput()).getDimSize(dim);
    if (devices == axis.getMesh()[axis.getIndex()])
      continue;
    auto error = emitAttentionError(op, "expects operands gathered from the ")
                 << axis.getMesh()[axis.getIndex()] << " devices of axis "
                 << axis.getIndex() << ", but got " << devices;
    error.attachNote(gather.getLoc()) << "gathered here";
    return failure();
  }
  return success();
}

/// A ring on a line: who is last sends to who is first, past all others. Links
/// work both ways, so that with one direction the long way back uses what is
/// idle; it only takes longer.
void remarkOnLine(WholeAttentionOpInterface op) {
  PlanAttr plan = op.getPlanAttr();
  AxisAttr axis = plan.getAxis();
  int64_t step =
      plan.getStrategy() == Strategy::Usp ? plan.getHeadRanks().value_or(1) : 1;
  int64_t ring = axis.getRanks() / step;
  bool hasRing = plan.getStrategy() == Strategy::Ring ||
                 plan.getStrategy() == Strategy::Usp;
  // An open chain has no way back.
  bool open = plan.getDirections() == Directions::Forward &&
              opensRing(AttentionTraits::of(op), plan);
  if (plan.getTopology() != Topology::Linear || !hasRing || ring <= 2 || open)
    return;
  auto remark = emitRemark(op.getLoc(), "ring-shard: on a line of ")
                << axis.getRanks() << " every shift of the ring takes "
                << (ring - 1) * step << " hops from the last rank to the first";
  if (plan.getDirections() == Directions::Both)
    remark << ", and with both directions each link carries two shards each "
              "way";
}

class RingShardPass : public impl::RingShardBase<RingShardPass> {
public:
  using RingShardBase::RingShardBase;

  void runOnOperation() override {
    SmallVector<WholeAttentionOpInterface> attentions;
    getOperation().walk(
        [&](WholeAttentionOpInterface op) { attentions.push_back(op); });
    for (WholeAttentionOpInterface op : attentions)
      if (failed(shard(op)))
        return signalPassFailure();
  }

private:
  LogicalResult shard(WholeAttentionOpInterface op) {
    PlanAttr plan = op.getPlanAttr();
    if (!plan)
      return emitAttentionError(op, "expects a plan; run ring-plan first");
    // A plan may have been written by hand: it is held to the same rules.
    if (auto refusal = refusalOf(AttentionTraits::of(op), plan))
      return emitAttentionError(op, "cannot use strategy ")
             << stringifyStrategy(plan.getStrategy()) << ": " << *refusal;
    if (failed(verifyGathers(op)))
      return failure();
    remarkOnLine(op);
    writeOut(op);
    return success();
  }
};

} // namespace
} // namespace mlir::ring
