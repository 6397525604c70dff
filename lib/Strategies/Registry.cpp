// SPDX-License-Identifier: Apache-2.0
// The table of strategies, and the way from a plan to what its strategy writes.

#include "Rules.h"
#include "ShardedAttention.h"
#include "ShardedBackward.h"
#include "ring/Strategies/DeviceProgram.h"

namespace mlir::ring {
namespace {

/// One line, or a few, for each strategy.
std::vector<StrategyInfo> makeStrategies() {
  StrategyInfo ring{Strategy::Ring, buildRing};
  ring.goesRound = ring.balancesByLayout = ring.hasDeviceOp = true;
  ring.takesStart = ring.takesDealtCache = true;
  ring.takesLateDocuments = ring.takesJointShares = true;
  ring.takesDilation = ring.hasGradients = true;
  ring.takesDocuments = ring.takesBalance = true;

  StrategyInfo allGather{Strategy::AllGather, buildAllGather};
  allGather.balancesByLayout = allGather.hasDeviceOp = true;
  allGather.takesStart = allGather.takesDealtCache = true;
  allGather.takesLateDocuments = allGather.takesJointShares = true;
  allGather.takesDilation = allGather.hasGradients = true;
  allGather.takesDocuments = allGather.takesBalance = true;

  StrategyInfo ulysses{Strategy::Ulysses, buildUlysses, refuseUlysses};
  ulysses.tradesHeads = ulysses.takesDilation = true;
  ulysses.takesDocuments = true;

  StrategyInfo usp{Strategy::Usp, buildUsp, refuseUsp};
  usp.tradesHeads = usp.takesDilation = usp.takesDocuments = true;
  usp.goesRound = usp.balancesByLayout = true;

  StrategyInfo halo{Strategy::Halo, buildHalo, refuseHalo};
  halo.takesDocuments = halo.takesBalance = true;

  StrategyInfo splitKV{Strategy::SplitKV, buildSplitKV, refuseSplitKV};
  splitKV.splitsQueries = false;
  splitKV.takesStart = splitKV.takesDealtCache = true;

  StrategyInfo passQ{Strategy::PassQ, buildPassQ, refusePassQ};
  passQ.passesQueries = true;
  passQ.takesStart = passQ.takesDealtCache = true;

  StrategyInfo doubleRing{Strategy::DoubleRing, buildDoubleRing};
  doubleRing.goesRound = doubleRing.balancesByLayout = true;
  doubleRing.takesDocuments = true;

  StrategyInfo replicate{Strategy::Replicate, buildReplicate};
  replicate.splitsQueries = false;
  replicate.takesStart = replicate.takesLateDocuments = true;
  replicate.takesDilation = replicate.hasGradients = true;
  replicate.takesDocuments = true;

  return {ring,    allGather, ulysses,    usp,      halo,
          splitKV, passQ,     doubleRing, replicate};
}

} // namespace

ArrayRef<StrategyInfo> allStrategies() {
  static const std::vector<StrategyInfo> strategies = makeStrategies();
  return strategies;
}

const StrategyInfo &infoOf(Strategy strategy) {
  const StrategyInfo *found =
      llvm::find_if(allStrategies(), [&](const StrategyInfo &info) {
        return info.strategy == strategy;
      });
  assert(found != allStrategies().end() &&
         "expects every strategy in the table");
  return *found;
}

void writeOut(WholeAttentionOpInterface op) {
  OpBuilder builder(op);
  if (auto gradients = dyn_cast<AttentionBackwardOp>(op.getOperation())) {
    ShardedBackward backward(builder, gradients);
    return backward.traits().dilation ? buildDilatedBackward(backward)
                                      : buildBackward(backward);
  }
  ShardedAttention attention(builder, cast<AttentionOp>(op.getOperation()));
  const StrategyInfo &info = infoOf(attention.plan().getStrategy());
  if (attention.traits().dilation) {
    buildDilated(attention);
  } else {
    if (!info.tradesHeads)
      attention.begin(attention.query(), attention.sink(),
                      attention.jointKeyValue());
    info.build(attention);
  }
  attention.finish();
}

} // namespace mlir::ring
