// SPDX-License-Identifier: Apache-2.0
// ring-shard: every planned attention becomes one device's program.

#include "Strategies/ShardedAttention.h"
#include "Strategies/ShardedBackward.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGSHARD
#include "ring/Transforms/Passes.h.inc"

namespace {

void build(ShardedAttention &attention) {
  if (attention.traits().dilation)
    return buildDilated(attention);
  Strategy strategy = attention.plan().getStrategy();
  bool tradesHeads = strategy == Strategy::Ulysses || strategy == Strategy::Usp;
  if (!tradesHeads)
    attention.begin(attention.query(), attention.sink(),
                    attention.jointKeyValue());
  switch (strategy) {
  case Strategy::Replicate:
    return buildReplicate(attention);
  case Strategy::AllGather:
    return buildAllGather(attention);
  case Strategy::Ring:
    return buildRing(attention);
  case Strategy::Ulysses:
    return buildUlysses(attention);
  case Strategy::Usp:
    return buildUsp(attention);
  case Strategy::Halo:
    return buildHalo(attention);
  case Strategy::SplitKV:
    return buildSplitKV(attention);
  }
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
      return op.emitOpError("expects a plan; run ring-plan first");
    // A plan may have been written by hand: it is held to the same rules.
    if (auto refusal = refusalOf(AttentionTraits::of(op), plan))
      return op.emitOpError("cannot use strategy ")
             << stringifyStrategy(plan.getStrategy()) << ": " << *refusal;
    OpBuilder builder(op);
    if (auto gradients = dyn_cast<AttentionBackwardOp>(op.getOperation())) {
      ShardedBackward backward(builder, gradients);
      buildBackward(backward);
      return success();
    }
    ShardedAttention attention(builder, cast<AttentionOp>(op.getOperation()));
    build(attention);
    attention.finish();
    return success();
  }
};

} // namespace
} // namespace mlir::ring
