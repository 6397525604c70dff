// SPDX-License-Identifier: Apache-2.0
// The steps of the strategies that compute an attention.

#include "StepsBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

using machine::StepTransfer;

/// Everybody gathers everything and computes everything.
void addReplicatedSteps(StepsBuilder &builder) {
  const AttentionTraits &traits = builder.traits;
  double all = static_cast<double>(builder.ranks);
  double shard =
      builder.queryBytes(builder.queries) + builder.keyBytes(builder.keys);
  if (builder.ranks > 1)
    builder.step().transfers.push_back(
        builder.exchange(StepTransfer::Kind::AllGather, shard,
                         /*inPlace=*/!traits.replicated));
  int32_t block = builder.block(PositionRange{0, traits.queries},
                                PositionRange{0, traits.keys});
  StrategyStep &step = builder.step();
  StepsBuilder::compute(step, block);
  StepsBuilder::compute(step, builder.jointBlock(traits.queries));
  builder.packOnce(builder.result.steps.size() - 1, builder.keys);
  builder.result.deviceBytes =
      all * (shard + builder.outputBytes(builder.queries));
}

/// Keys are gathered, then every rank computes its queries. The device op of
/// the fused form wants the queries whole, too; a paged cache it finds whole on
/// every device.
void addGatheredSteps(StepsBuilder &builder) {
  bool fused = builder.plan.getForm() == Form::Fused;
  double all = static_cast<double>(builder.ranks);
  double shard = fused ? builder.queryBytes(builder.queries) : 0;
  if (!fused || !builder.traits.pages)
    shard += builder.keyBytes(builder.keys);
  // What a zigzag has in two places was put together when it was dealt.
  if (builder.ranks > 1)
    builder.step().transfers.push_back(builder.exchange(
        StepTransfer::Kind::AllGather, shard, builder.shardsLieTogether()));
  std::vector<int32_t> blocks = builder.blocksWithAllKeys();
  StrategyStep &step = builder.step();
  StepsBuilder::compute(step, blocks);
  StepsBuilder::compute(step, builder.jointBlock(builder.queries));
  builder.packOnce(builder.result.steps.size() - 1, builder.keys);
  builder.result.deviceBytes = (all + 1) * shard +
                               builder.queryBytes(builder.queries) +
                               builder.outputBytes(builder.queries);
  if (fused && builder.traits.pages)
    builder.result.deviceBytes += all * builder.keyBytes(builder.keys);
}

namespace {

/// A ring of `ranks` shards of `keyRows` each, `hops` devices apart. Returns
/// the shards that a device holds beside its own.
///
/// Both ways, 4 ranks: own; source -1 and +1; then the diametric shard, of
/// which half comes from either side: cut out before and put together after.
int64_t addRing(StepsBuilder &builder, int64_t ranks, int64_t keyRows,
                int64_t hops) {
  double bytes = builder.keyBytes(keyRows);
  bool both = builder.plan.getDirections() == Directions::Both;
  bool fused = builder.result.oneCall;
  int64_t turns = both ? (ranks - 1) / 2 : ranks - 1;
  bool diametric = both && ranks % 2 == 0;
  builder.result.movesBeside |= ranks > 1;

  // Keys of a causal pattern are not sent forward to who is before them.
  auto forward = [&](double some, int64_t turn) {
    StepTransfer transfer = builder.shift(some, hops);
    if (!fused && builder.ringIsOpen())
      transfer.reaching = (turn + 1) * hops;
    return transfer;
  };
  auto send = [&](StrategyStep &step, int64_t turn) {
    if (turn < turns) {
      step.transfers.push_back(forward(bytes, turn));
      if (both)
        step.transfers.push_back(builder.shift(bytes, -hops));
    } else if (turn == turns && diametric) {
      // The device op fetches the diametric shard from one side alone.
      step.transfers.push_back(forward(fused ? bytes : bytes / 2, turn));
      if (!fused)
        step.transfers.push_back(builder.shift(bytes / 2, -hops));
    }
  };
  auto attend = [&](int64_t source, int64_t turn) {
    StepsBuilder::compute(builder.result.steps.back(),
                          builder.blocksFrom(source, ranks));
    if (turn >= 0)
      send(builder.result.steps.back(), turn);
  };

  builder.step();
  attend(0, 0);
  for (int64_t turn = 1; turn <= turns; ++turn) {
    builder.step();
    attend(-turn, turn);
    if (both)
      attend(turn, -1);
  }
  if (diametric) {
    builder.step();
    attend(-ranks / 2, -1);
    if (!fused)
      builder.result.steps.back().otherSeconds +=
          (builder.shardsLieTogether() ? 0 : builder.copySeconds(2 * bytes)) +
          builder.packSeconds(keyRows);
  }
  return ranks == 1 ? 0 : both && ranks > 2 ? 4 : 2;
}

double realOf(int64_t value) { return static_cast<double>(value); }

} // namespace

void addRingSteps(StepsBuilder &builder) {
  builder.dealInputs();
  size_t first = builder.result.steps.size();
  int64_t buffers = addRing(builder, builder.ranks, builder.keys, /*hops=*/1);
  builder.finishRing(first, buffers);
}

/// ring_joint: both ways round into buffers of full length, two of each, while
/// one call computes. On a line no rank wraps around: an end gets one shard a
/// turn, from its only neighbour.
void addFusedRingSteps(StepsBuilder &builder) {
  if (builder.traits.isWindow())
    return addHaloSteps(builder);
  builder.result.oneCall = true;
  builder.dealInputs();
  double bytes = builder.keyBytes(builder.keys);
  size_t first = builder.result.steps.size();
  machine::Axis &axis = builder.result.axes.front();
  if (axis.topology == machine::Topology::Ring || builder.ranks <= 2) {
    addRing(builder, builder.ranks, builder.keys, /*hops=*/1);
  } else {
    axis.topology = machine::Topology::Ring;
    axis.inside.ringBandwidth = axis.inside.lineBandwidth;
    axis.between.ringBandwidth = axis.between.lineBandwidth;
    builder.result.movesBeside = true;
    for (int64_t hop = 0; hop < builder.ranks; ++hop) {
      StrategyStep &step = builder.step();
      StepsBuilder::compute(step, builder.blocksFrom(-hop, builder.ranks));
      if (hop + 1 < builder.ranks)
        step.transfers.push_back(builder.shift(bytes, 1));
    }
  }
  StepsBuilder::compute(builder.result.steps[first],
                        builder.jointBlock(builder.queries));
  builder.dealOutput();
  builder.result.deviceBytes = builder.queryBytes(builder.queries) +
                               builder.outputBytes(builder.queries) +
                               (1 + 2 * realOf(builder.ranks)) * bytes;
}

/// The rows that the window reaches come from the neighbours, all at once,
/// while the own block is computed. The fused form takes whole chunks of keys,
/// which is left out: it is less than a chunk.
void addHaloSteps(StepsBuilder &builder) {
  const Band &band = builder.traits.band;
  bool fused = builder.plan.getForm() == Form::Fused;
  builder.result.oneCall = fused;
  int64_t rows = builder.keys, reach = (builder.ranks - 1) * rows;
  StrategyStep own;
  StepsBuilder::compute(own, builder.blocksFrom(0, builder.ranks));
  StepsBuilder::compute(own, builder.jointBlock(builder.queries));
  std::vector<StrategyStep> later;
  double arrived = 0;
  for (int64_t way : {-1, 1}) {
    int64_t left = std::min(
        std::max<int64_t>((way < 0 ? band.before : band.after).value_or(0), 0),
        reach);
    for (int64_t hop = 1; left > 0; ++hop, left -= rows) {
      double bytes = builder.keyBytes(std::min(left, rows));
      StepTransfer fetch = builder.shift(bytes, -way * hop);
      fetch.data = StepTransfer::Data::Given;
      fetch.neededAfter = static_cast<int64_t>(later.size()) + 1;
      own.transfers.push_back(fetch);
      arrived += bytes;
      StrategyStep step;
      StepsBuilder::compute(step, builder.blocksFrom(way * hop, builder.ranks));
      step.otherSeconds += builder.packSeconds(std::min(left, rows));
      later.push_back(step);
    }
  }
  builder.result.movesBeside = !later.empty();
  // What is sent is cut out of a shard, which is a copy on a chip.
  if (!fused && arrived > 0 && !builder.context.machine.isProcessor())
    own.otherSeconds += builder.copySeconds(arrived);
  builder.result.steps.push_back(own);
  for (StrategyStep &step : later)
    builder.result.steps.push_back(step);
  builder.packOnce(/*first=*/0, rows);
  if (!fused && !later.empty())
    builder.carryState(/*first=*/0, builder.queries + builder.jointRows);
  builder.dealOutput();
  builder.result.deviceBytes = builder.queryBytes(builder.queries) +
                               builder.outputBytes(builder.queries) +
                               builder.outputBytesF32(builder.queries) +
                               builder.keyBytes(builder.keys) + arrived;
}

/// ulysses and usp: groups of ranks trade rows for heads and back; between the
/// groups goes a ring. Key heads that are too few are repeated before.
void addHeadTradeSteps(StepsBuilder &builder) {
  int64_t group = builder.plan.getStrategy() == Strategy::Ulysses
                      ? builder.ranks
                      : builder.plan.getUlysses().value_or(1);
  builder.dealInputs();
  size_t axis = builder.neighbours(group);
  double repeats = 1;
  if (builder.kvHeads < group)
    repeats = realOf(group) / realOf(builder.kvHeads);
  double traded = builder.queryBytes(builder.queries) +
                  repeats * builder.keyBytes(builder.keys);
  double output = builder.outputBytes(builder.queries);
  // Chunks of a zigzag come in the order of the ranks: they are cut apart, put
  // together in the order of their positions, and the output back.
  bool reorders =
      group > 1 && builder.plan.getLayout() != LayoutKind::Contiguous;
  bool inPlace = builder.shardsLieTogether();
  double reordering =
      reorders && !inPlace ? builder.copySeconds(2 * traded) : 0;
  if (group > 1) {
    double repeating =
        repeats > 1 && !inPlace
            ? builder.copySeconds(repeats * builder.keyBytes(builder.keys))
            : 0;
    StrategyStep &step = builder.step();
    step.otherSeconds += repeating + reordering;
    step.transfers.push_back(
        builder.exchange(StepTransfer::Kind::AllToAll, traded, inPlace, axis));
  }

  int64_t allHeads = builder.heads, allKeyHeads = builder.kvHeads;
  builder.heads = std::max<int64_t>(allHeads / group, 1);
  builder.kvHeads = std::max<int64_t>(allKeyHeads / group, 1);
  int64_t ring = builder.ranks / group;
  double shard = builder.keyBytes(builder.keys * group);
  int64_t buffers = 0;
  size_t first = builder.result.steps.size();
  if (ring > 1) {
    buffers = addRing(builder, ring, builder.keys * group, /*hops=*/group);
    builder.carryState(first, builder.queries * group);
    builder.packOnce(first, builder.keys * group);
    // The ring has its own ranks; the axis' own ranks of a group are alike.
    for (size_t i = first; i < builder.result.steps.size(); ++i) {
      std::vector<StepBlocks> &work = builder.result.steps[i].work;
      if (work.size() <= 1)
        continue;
      std::vector<StepBlocks> byRank;
      for (int64_t rank = 0; rank < builder.ranks; ++rank)
        byRank.push_back(work[rank / group]);
      work = byRank;
    }
  } else {
    const AttentionTraits &traits = builder.traits;
    int32_t block = builder.block(PositionRange{0, traits.queries},
                                  PositionRange{0, traits.keys});
    StepsBuilder::compute(builder.step(), block);
  }
  StepsBuilder::compute(builder.result.steps[first],
                        builder.jointBlock(builder.queries * group));
  double state = ring > 1 ? builder.outputBytesF32(builder.queries * group) : 0;
  builder.heads = allHeads;
  builder.kvHeads = allKeyHeads;
  if (group > 1) {
    StrategyStep &step = builder.step();
    // The output of devices goes straight to its place in the whole.
    bool leaves =
        builder.context.machine.isProcessor() && !builder.traits.replicated;
    if (reorders && !leaves)
      step.otherSeconds += builder.copySeconds(2 * output);
    step.transfers.push_back(
        builder.exchange(StepTransfer::Kind::AllToAll, output, leaves, axis));
  }
  builder.dealOutput();
  builder.result.deviceBytes =
      2 * (traded + output) + state + realOf(buffers) * shard;
}

/// All queries against a device's keys, then the parts are merged: in log2 P
/// rounds over doubling distances, or once round the ring.
void addSplitKVSteps(StepsBuilder &builder) {
  const AttentionTraits &traits = builder.traits;
  int64_t rows = traits.queries;
  double queries = builder.queryBytes(rows),
         part = builder.outputBytesF32(rows);
  if (builder.ranks > 1 && rows > kTileRows)
    builder.step().transfers.push_back(builder.exchange(
        StepTransfer::Kind::AllGather, queries / realOf(builder.ranks),
        builder.shardsLieTogether()));
  machine::AttentionCall call = builder.call(rows, builder.keys);
  StepsBuilder::compute(builder.step(), builder.add(call));
  bool doubling = llvm::isPowerOf2_64(builder.ranks);
  for (int64_t done = 1; done < builder.ranks;
       done = doubling ? 2 * done : done + 1) {
    StepTransfer transfer = builder.shift(part, doubling ? done : 1);
    transfer.data = StepTransfer::Data::Computed;
    transfer.neededAfter = 0;
    StrategyStep &step = builder.step();
    step.transfers.push_back(transfer);
    step.otherSeconds = builder.mergeSeconds(rows);
  }
  builder.dealOutput();
  builder.result.deviceBytes = queries + builder.outputBytes(rows) + 3 * part +
                               builder.keyBytes(builder.keys);
}

StrategySteps stepsOf(const AttentionTraits &traits, PlanAttr plan,
                      const StepsContext &context) {
  StepsBuilder builder(traits, plan, context);
  bool fused = plan.getForm() == Form::Fused;
  if (traits.backward || traits.dilation) {
    traits.dilation ? addDilatedSteps(builder) : addBackwardSteps(builder);
    return std::move(builder.result);
  }
  switch (plan.getStrategy()) {
  case Strategy::Replicate:
    addReplicatedSteps(builder);
    builder.dealOutput();
    break;
  case Strategy::AllGather:
    builder.dealInputs();
    addGatheredSteps(builder);
    builder.dealOutput();
    break;
  case Strategy::Ring:
    fused ? addFusedRingSteps(builder) : addRingSteps(builder);
    break;
  case Strategy::DoubleRing:
    addDoubleRingSteps(builder);
    break;
  case Strategy::Ulysses:
  case Strategy::Usp:
    addHeadTradeSteps(builder);
    break;
  case Strategy::Halo:
    addHaloSteps(builder);
    break;
  case Strategy::SplitKV:
    addSplitKVSteps(builder);
    break;
  }
  if (traits.mask)
    builder.result.deviceBytes += realOf(traits.maskHeads * traits.maskRows) *
                                  realOf(traits.keys) * builder.elementBytes /
                                  realOf(builder.ranks);
  return std::move(builder.result);
}

} // namespace mlir::ring
