// SPDX-License-Identifier: Apache-2.0
// The steps of a dilated attention: every group of heads attends on its device,
// or among the neighbours that share its segments, moving packed rows only.

#include "StepsBuilder.h"
#include "ring/Analysis/DilatedGroups.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

using machine::StepTransfer;

/// A group as it lies on one device.
struct PlacedGroup {
  DilatedGroup group;
  int64_t ranks; ///< that share its segments
  int64_t spans; ///< that attend each for itself
  int64_t rows;  ///< kept of one span
  int64_t kept() const { return spans * rows; }
};

class DilatedStepsBuilder {
public:
  explicit DilatedStepsBuilder(StepsBuilder &builder)
      : builder(builder), traits(builder.traits),
        strategy(builder.plan.getStrategy()) {}

  void run() {
    bool whole = strategy == Strategy::Replicate;
    place(whole ? 1 : builder.ranks);
    if (traits.backward)
      builder.result.blockFactor =
          recomputes() ? kBackwardFactor + 1 : kBackwardFactor;
    if (whole && builder.ranks > 1)
      builder.step().transfers.push_back(builder.collective(
          StepTransfer::Kind::AllGather,
          builder.queryBytes(builder.queries) + builder.keyBytes(builder.keys) +
              (traits.backward ? 2 * builder.outputBytes(builder.queries)
                               : 0)));
    // What is here computes while what is not travels.
    for (bool local : {true, false})
      for (const PlacedGroup &group : groups)
        if ((group.ranks == 1) == local)
          local ? addLocal(group) : addNeighbours(group);
    if (!builder.result.steps.empty())
      builder.result.steps.back().otherSeconds += mixSeconds();
    builder.dealOutput();
    account(whole);
  }

private:
  void place(int64_t ranks);
  void addLocal(const PlacedGroup &group);
  void addNeighbours(const PlacedGroup &group);
  bool trades(const PlacedGroup &group) const;
  void addTrade(const PlacedGroup &group, size_t axis);
  void addBackwardRing(const PlacedGroup &group, size_t axis);
  double mixSeconds() const;
  void account(bool whole);

  /// Of gradients of a mean the attention of each pair comes first once more.
  bool recomputes() const {
    return traits.backward && traits.dilation.getMix() == DilationMix::Mean;
  }

  /// Bytes of `numbers` numbers of f32 for each of the rows.
  double packedSums(size_t heads, int64_t rows, int64_t numbers) const {
    return packedBytes(heads, rows, numbers) / builder.elementBytes * kF32Bytes;
  }

  int32_t block(const PlacedGroup &group, int64_t heads, int64_t queries,
                int64_t keys, int64_t batch, bool diagonal) {
    machine::AttentionCall call = builder.call(queries, keys);
    call.batch = traits.batch * batch;
    call.heads = heads;
    call.keyHeads = std::max<int64_t>(
        heads * static_cast<int64_t>(group.group.keys.size()) /
            static_cast<int64_t>(group.group.queries.size()),
        1);
    if (diagonal && traits.dilation.getCausal()) {
      call.pairs = 0.5;
      call.borders = 1;
      call.longestRow = 1;
    }
    return builder.add(call);
  }

  double packedBytes(size_t heads, int64_t rows, int64_t numbers) const {
    return static_cast<double>(traits.batch) * static_cast<double>(heads) *
           static_cast<double>(rows) * static_cast<double>(numbers) *
           builder.elementBytes;
  }

  StepsBuilder &builder;
  const AttentionTraits &traits;
  Strategy strategy;
  std::vector<PlacedGroup> groups;
  double received = 0; ///< bytes that a device holds beside its own
};

/// Segments that lie differently on every rank are taken as shared by as many
/// ranks as they can touch.
void DilatedStepsBuilder::place(int64_t ranks) {
  int64_t shard = ranks == 1 ? traits.queries
                             : dilatedLength(traits.queries, ranks) / ranks;
  for (DilatedGroup &group :
       groupsOf(traits.dilation, traits.queries, builder.heads, builder.kvHeads,
                /*firstHead=*/0, traits.heads)) {
    int64_t phase = group.queries.front().phase;
    PlacedGroup placed{group, 1, 1, 0};
    auto placement = placeEvenly(traits, builder.plan, group.pair);
    if (placement) {
      placed.ranks = placement->ranks;
      placed.rows = placement->local.rowsOf(phase);
      placed.spans = placement->local.count;
      if (placement->local.joined) {
        placed.rows *= placed.spans;
        placed.spans = 1;
      }
    } else {
      placed.rows =
          llvm::divideCeil(group.pair.rowsOf(phase) * group.pair.count, ranks);
      placed.ranks = std::min<int64_t>(
          ranks, llvm::divideCeil(group.pair.span, shard) + 1);
    }
    if (placed.rows > 0)
      groups.push_back(std::move(placed));
  }
}

void DilatedStepsBuilder::addLocal(const PlacedGroup &group) {
  StepsBuilder::compute(
      builder.step(),
      block(group, static_cast<int64_t>(group.group.queries.size()), group.rows,
            group.rows, group.spans, /*diagonal=*/true));
}

bool DilatedStepsBuilder::trades(const PlacedGroup &group) const {
  if (strategy != Strategy::Usp)
    return strategy == Strategy::Ulysses;
  auto traded = tradeTraffic(group.group, group.kept(), group.ranks, traits);
  return traded &&
         *traded < ringTraffic(group.group, group.kept(), group.ranks, traits);
}

void DilatedStepsBuilder::addTrade(const PlacedGroup &group, size_t axis) {
  size_t queries = group.group.queries.size(),
         keys = std::max(group.group.keys.size(),
                         static_cast<size_t>(group.ranks));
  double in = packedBytes(queries, group.kept(), traits.dim) +
              packedBytes(keys, group.kept(), traits.dim + traits.valueDim);
  double out = packedBytes(queries, group.kept(), traits.valueDim);
  if (traits.backward) {
    // The gradient of the output, and unless they are computed again the output
    // and its log-sum-exp; back come the gradients of all three.
    in += recomputes() ? out : 2 * out + packedSums(queries, group.kept(), 1);
    out = packedSums(queries, group.kept(), traits.dim) +
          packedSums(keys, group.kept(), traits.dim + traits.valueDim);
  }
  builder.step().transfers.push_back(
      builder.collective(StepTransfer::Kind::AllToAll, in, axis));
  int64_t heads =
      std::max<int64_t>(static_cast<int64_t>(queries) / group.ranks, 1);
  int64_t rows = group.kept() * group.ranks;
  StepsBuilder::compute(builder.step(),
                        block(group, heads, rows, rows, 1, /*diagonal=*/true));
  builder.step().transfers.push_back(
      builder.collective(StepTransfer::Kind::AllToAll, out, axis));
  received += in + out;
}

void DilatedStepsBuilder::addNeighbours(const PlacedGroup &group) {
  size_t axis = builder.neighbours(group.ranks);
  if (trades(group))
    return addTrade(group, axis);
  int64_t heads = static_cast<int64_t>(group.group.queries.size());
  double bytes = packedBytes(group.group.keys.size(), group.kept(),
                             traits.dim + traits.valueDim);
  if (strategy == Strategy::AllGather) {
    builder.step().transfers.push_back(
        builder.collective(StepTransfer::Kind::AllGather, bytes, axis));
    StepsBuilder::compute(builder.step(),
                          block(group, heads, group.kept(),
                                group.kept() * group.ranks, 1, false));
    received += bytes * static_cast<double>(group.ranks);
    if (traits.backward) {
      double all = static_cast<double>(group.ranks) *
                   packedSums(group.group.keys.size(), group.kept(),
                              traits.dim + traits.valueDim);
      builder.step().transfers.push_back(
          builder.collective(StepTransfer::Kind::AllToAll, all, axis));
      received += 2 * all;
    }
    return;
  }
  if (traits.backward)
    return addBackwardRing(group, axis);
  builder.result.movesBeside = true;
  bool both = builder.plan.getDirections() == Directions::Both;
  int64_t turns = both ? group.ranks / 2 : group.ranks - 1;
  for (int64_t done = 0, turn = 0; turn <= turns; ++turn) {
    StrategyStep &step = builder.step();
    for (int64_t i = 0; i < (turn > 0 && both ? 2 : 1); ++i)
      if (done++ < group.ranks)
        StepsBuilder::compute(step,
                              block(group, heads, group.kept(), group.kept(), 1,
                                    /*diagonal=*/turn == 0));
    if (turn == turns)
      continue;
    for (int64_t hop : {1, -1}) {
      if (hop < 0 && !both)
        continue;
      StepTransfer shift = builder.shift(bytes, hop);
      shift.axis = axis;
      if (hop > 0 && builder.ringIsOpen())
        shift.reaching = turn + 1;
      step.transfers.push_back(shift);
    }
  }
  received += bytes * (both ? 4 : 2);
}

/// Keys, and one hop behind them the sums of their gradients; of a mean keys go
/// round once before. All blocks of a ring are charged alike, so that the extra
/// round of `recomputes` has its blocks in the factor.
void DilatedStepsBuilder::addBackwardRing(const PlacedGroup &group,
                                          size_t axis) {
  builder.result.movesBeside = true;
  int64_t heads = static_cast<int64_t>(group.group.queries.size());
  double keys = packedBytes(group.group.keys.size(), group.kept(),
                            traits.dim + traits.valueDim),
         sums = packedSums(group.group.keys.size(), group.kept(),
                           traits.dim + traits.valueDim);
  auto shift = [&](StrategyStep &step, double bytes) -> StepTransfer & {
    StepTransfer transfer = builder.shift(bytes, 1);
    transfer.axis = axis;
    return step.transfers.emplace_back(transfer);
  };
  if (recomputes())
    for (int64_t hop = 1; hop < group.ranks; ++hop)
      shift(builder.step(), keys);
  for (int64_t hop = 0; hop < group.ranks; ++hop) {
    StrategyStep &step = builder.step();
    double bytes = (hop + 1 < group.ranks ? keys : 0) + (hop > 0 ? sums : 0);
    if (bytes > 0)
      shift(step, bytes);
    StepsBuilder::compute(step, block(group, heads, group.kept(), group.kept(),
                                      1, /*diagonal=*/hop == 0));
  }
  StepTransfer &home = shift(builder.step(), sums);
  home.data = StepTransfer::Data::Computed;
  home.neededAfter = 0;
  received += 2 * keys + 4 * sums;
}

/// Packing, unpacking and the merge of results that heads have several of.
double DilatedStepsBuilder::mixSeconds() const {
  double bytes = 0;
  for (const PlacedGroup &group : groups)
    bytes += packedBytes(group.group.queries.size(), group.kept(),
                         traits.dim + traits.valueDim) +
             packedBytes(group.group.keys.size(), group.kept(),
                         traits.dim + traits.valueDim);
  // Of gradients the output and its gradient are packed beside the query, and
  // three of f32 are put back.
  double copies = traits.backward ? 4 : 2;
  double seconds =
      machine::moveTime(builder.context.machine.spec, copies * bytes).seconds;
  if (traits.backward)
    return seconds;
  if (traits.dilation.getMix() != DilationMix::HeadPartition && !groups.empty())
    seconds += static_cast<double>(groups.size() - 1) *
               builder.mergeSeconds(builder.queries);
  return seconds;
}

void DilatedStepsBuilder::account(bool whole) {
  double all = whole ? static_cast<double>(builder.ranks) : 1;
  double own = builder.queryBytes(builder.queries) +
               builder.outputBytes(builder.queries) +
               builder.keyBytes(builder.keys);
  // Rows and packed rows.
  builder.result.deviceBytes = 2 * all * own + received;
  if (traits.backward)
    builder.result.deviceBytes +=
        all * (4 * builder.outputBytes(builder.queries) +
               2 * builder.outputBytesF32(builder.queries) +
               2 * builder.keyBytesF32(builder.keys));
  double shards = static_cast<double>(traits.heads / builder.heads);
  builder.result.usefulFlops =
      2.0 * static_cast<double>(traits.batch) *
      static_cast<double>(
          countPairs(traits.dilation, traits.heads, traits.queries)) *
      static_cast<double>(traits.dim + traits.valueDim) /
      (shards * static_cast<double>(builder.ranks));
  if (traits.backward)
    builder.result.usefulFlops *= kBackwardFactor;
}

} // namespace

void addDilatedSteps(StepsBuilder &builder) {
  DilatedStepsBuilder(builder).run();
}

} // namespace mlir::ring
