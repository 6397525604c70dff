// SPDX-License-Identifier: Apache-2.0
// What the steps of all strategies are made of.

#include "StepsBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

using machine::StepTransfer;

double real(int64_t value) { return static_cast<double>(value); }

machine::Fidelity fidelityOf(MathFidelity fidelity) {
  switch (fidelity) {
  case MathFidelity::LoFi:
    return machine::Fidelity::LoFi;
  case MathFidelity::HiFi2:
    return machine::Fidelity::HiFi2;
  case MathFidelity::HiFi3:
    return machine::Fidelity::HiFi3;
  case MathFidelity::HiFi4:
    return machine::Fidelity::HiFi4;
  }
  llvm_unreachable("unknown fidelity");
}

/// Few rows of a range, evenly spread, that stand for all of it.
///
///   8 of the rows 0 to 31: 2, 6, 10, ..., 30
PositionRange sample(const PositionRange &range) {
  constexpr int64_t kRows = 64;
  if (range.size <= kRows)
    return range;
  int64_t apart = range.size / kRows;
  return {range.begin + apart / 2 * range.stride, kRows, apart * range.stride};
}

/// The share of the pairs that count.
double pairShare(const PositionRange &queries, ArrayRef<PositionRange> keys,
                 const Band &band) {
  PositionRange rows = sample(queries);
  int64_t allKeys = 0;
  for (const PositionRange &range : keys)
    allKeys += range.size;
  return real(countPairs(rows, keys, band)) / (real(rows.size) * real(allKeys));
}

/// The bounds of the band that some row of the range crosses within the keys.
int64_t bordersIn(const PositionRange &queries, ArrayRef<PositionRange> keys,
                  const Band &band) {
  int64_t borders = 0;
  for (Band side : {Band{band.before, {}}, Band{{}, band.after}})
    for (const PositionRange &range : keys)
      if (classify(queries, range, side) == Coverage::Partial) {
        ++borders;
        break;
      }
  return borders;
}

} // namespace

StepsBuilder::StepsBuilder(const AttentionTraits &traits, PlanAttr plan,
                           const StepsContext &context)
    : traits(traits), plan(plan), context(context), ranks(plan.getRanks()),
      heads(traits.heads), kvHeads(traits.kvHeads) {
  const std::vector<machine::Axis> &axes = context.machine.axes;
  size_t own = plan.getAxis().getIndex();
  result.axes.push_back(axes[own]);
  // Two axes are one in which the inner ranks stand side by side.
  if (std::optional<int64_t> outer = plan.getOuter()) {
    result.axes.front().ranks = ranks;
    result.axes.front().perHost = ranks;
  }
  // The plan may close or cut a ring in another way than the machine does.
  if (std::optional<int64_t> other = plan.getHeadsAxis()) {
    result.axes.push_back(axes[*other]);
    heads /= axes[*other].ranks;
    kvHeads = std::max<int64_t>(kvHeads / axes[*other].ranks, 1);
  }
  for (size_t i = 0; i < axes.size(); ++i)
    if (i != own && static_cast<int64_t>(i) != plan.getHeadsAxis() &&
        static_cast<int64_t>(i) != plan.getOuter())
      result.axes.push_back(axes[i]);

  queryLength =
      paddedLength(traits.queries, plan.getLayout(), ranks, traits.replicated);
  keyLength =
      paddedLength(traits.keys, plan.getLayout(), ranks, traits.replicated);
  if (traits.dilation)
    queryLength = keyLength = dilatedLength(traits.queries, ranks);
  queries = queryLength / ranks;
  keys = keyLength / ranks;
  jointRows = traits.jointSharded ? llvm::divideCeil(traits.joint, ranks)
                                  : traits.joint;
  // Where the start of a chunk is not known, its end is taken for the last key.
  if (traits.pages)
    firstQuery = traits.chunkStart.value_or(
        std::max<int64_t>(traits.keys - traits.queries, 0));
  elementBytes = tileBytesOf(traits.elementType) / 1024;
  if (!traits.pages || plan.getForm() == Form::Fused)
    band = traits.band;

  PositionRange allQueries{firstQuery, std::max<int64_t>(traits.queries, 1)};
  PositionRange allKeys{0, std::max<int64_t>(traits.keys, 1)};
  double counted = pairShare(allQueries, allKeys, traits.band) *
                       real(traits.queries) * real(traits.keys) +
                   real(traits.joint) * real(2 * traits.queries + traits.joint);
  result.usefulFlops = 2.0 * counted * real(traits.batch) * real(heads) *
                       real(traits.dim + traits.valueDim) / real(ranks);
}

double StepsBuilder::queryBytes(int64_t rows) const {
  return real(traits.batch * heads) * real(rows) * real(traits.dim) *
         elementBytes;
}
double StepsBuilder::outputBytes(int64_t rows) const {
  return real(traits.batch * heads) * real(rows) * real(traits.valueDim) *
         elementBytes;
}
double StepsBuilder::keyBytes(int64_t rows) const {
  return real(traits.batch * kvHeads) * real(rows) *
         real(traits.dim + traits.valueDim) * elementBytes;
}
double StepsBuilder::outputBytesF32(int64_t rows) const {
  return real(traits.batch * heads) * real(rows) * real(traits.valueDim + 1) *
         kF32Bytes;
}
double StepsBuilder::keyBytesF32(int64_t rows) const {
  return keyBytes(rows) / elementBytes * kF32Bytes;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

machine::AttentionCall StepsBuilder::call(int64_t queryRows,
                                          int64_t keyRows) const {
  machine::AttentionCall call;
  call.batch = traits.batch;
  call.heads = heads;
  call.keyHeads = kvHeads;
  call.queries = queryRows;
  call.keys = keyRows;
  call.keyDim = traits.dim;
  call.valueDim = traits.valueDim;
  call.mask = traits.mask || (traits.pages && plan.getForm() == Form::Explicit);
  call.tileBytes = tileBytesOf(traits.elementType);
  if (ComputeAttr compute = plan.getCompute()) {
    call.fidelity = fidelityOf(compute.getFidelity());
    call.f32Accumulation = compute.getFp32Accumulation();
  }
  return call;
}

int32_t StepsBuilder::add(const machine::AttentionCall &call) {
  for (size_t i = 0; i < result.blocks.size(); ++i) {
    const machine::AttentionCall &other = result.blocks[i];
    if (other.heads == call.heads && other.queries == call.queries &&
        other.keys == call.keys && other.pairs == call.pairs &&
        other.borders == call.borders && other.batch == call.batch &&
        other.longestRow == call.longestRow &&
        other.carriesState == call.carriesState &&
        other.packsKeys == call.packsKeys)
      return static_cast<int32_t>(i);
  }
  result.blocks.push_back(call);
  return static_cast<int32_t>(result.blocks.size() - 1);
}

/// Worked example, the second step of a causal zigzag: keys of a lower rank.
/// The early keys count for all queries and the late ones for none, so the
/// block is one of all queries with half of the keys, without a border.
int32_t StepsBuilder::block(ArrayRef<PositionRange> unplacedQueries,
                            ArrayRef<PositionRange> keyRanges) {
  Positions queryRanges, liveQueries, liveKeys;
  for (PositionRange range : unplacedQueries) {
    range.begin += firstQuery;
    queryRanges.push_back(range);
  }
  for (const PositionRange &range : queryRanges)
    if (classify(range, keyRanges, band) != Coverage::Empty)
      liveQueries.push_back(range);
  for (const PositionRange &range : keyRanges)
    if (classify(queryRanges, range, band) != Coverage::Empty)
      liveKeys.push_back(range);
  if (liveQueries.empty() || liveKeys.empty())
    return kNoBlock;

  int64_t queryRows = 0, keyRows = 0, borders = 0;
  double pairs = 0, longest = 0;
  for (const PositionRange &range : liveKeys)
    keyRows += range.size;
  for (const PositionRange &range : liveQueries) {
    queryRows += range.size;
    double share = pairShare(range, liveKeys, band);
    pairs += share * real(range.size);
    borders = std::max(borders, bordersIn(range, liveKeys, band));
    for (int64_t row : {range.begin, range.last()})
      longest = std::max(
          longest, real(countPairs(PositionRange{row, 1}, liveKeys, band)) /
                       real(keyRows));
  }
  machine::AttentionCall result = call(queryRows + jointRows, keyRows);
  result.pairs = pairs / real(queryRows);
  result.borders = borders;
  result.longestRow = borders > 0 || result.pairs < 1 ? longest : 0;
  if (result.pairs <= 0)
    return kNoBlock;
  return add(result);
}

int32_t StepsBuilder::jointBlock(int64_t queryRows) {
  if (traits.joint == 0)
    return kNoBlock;
  return add(call(queryRows + jointRows, traits.joint));
}

Positions StepsBuilder::positionsOf(int64_t rank, int64_t of,
                                    int64_t length) const {
  return LayoutAttr::get(plan.getContext(), plan.getLayout(), length, of,
                         /*offset=*/0)
      .positionsOf(rank);
}

int32_t StepsBuilder::blockOf(int64_t own, int64_t from, int64_t of) {
  // Under a causal pattern only the order of the two ranks matters, in
  // contiguous shards only their distance.
  std::tuple<int64_t, int64_t, int64_t> key{of, own, from};
  if (queryLength == keyLength && firstQuery == 0) {
    if (traits.isCausal() && !traits.isWindow())
      key = {of, -1, from < own ? -1 : from > own ? 1 : 0};
    else if (plan.getLayout() == LayoutKind::Contiguous)
      key = {of, -2, from - own};
  }
  auto [place, isNew] = known.try_emplace(key, kNoBlock);
  if (isNew)
    place->second = block(positionsOf(own, of, queryLength),
                          positionsOf(from, of, keyLength));
  return place->second;
}

std::vector<int32_t> StepsBuilder::blocksFrom(int64_t source, int64_t of) {
  return blocksWith(
      [&](int64_t own) { return ((own + source) % of + of) % of; }, of);
}

std::vector<int32_t>
StepsBuilder::blocksWith(llvm::function_ref<int64_t(int64_t)> rankOfKeys,
                         int64_t of) {
  if (band.isUnbounded())
    return {blockOf(0, 0, of)};
  std::vector<int32_t> byRank;
  bool alike = true;
  for (int64_t own = 0; own < of; ++own) {
    byRank.push_back(blockOf(own, rankOfKeys(own), of));
    alike &= byRank.back() == byRank.front();
  }
  if (alike)
    byRank.resize(1);
  return byRank;
}

std::vector<int32_t> StepsBuilder::blocksWithAllKeys() {
  PositionRange all{0, keyLength};
  if (band.isUnbounded())
    return {block(positionsOf(0, ranks, queryLength), all)};
  std::vector<int32_t> byRank;
  bool alike = true;
  for (int64_t own = 0; own < ranks; ++own) {
    byRank.push_back(block(positionsOf(own, ranks, queryLength), all));
    alike &= byRank.back() == byRank.front();
  }
  if (alike)
    byRank.resize(1);
  return byRank;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void StepsBuilder::compute(StrategyStep &step, ArrayRef<int32_t> byRank) {
  if (byRank.empty())
    return;
  if (step.work.empty())
    step.work.resize(1);
  if (byRank.size() > step.work.size())
    step.work.resize(byRank.size(), StepBlocks(step.work.front()));
  for (size_t i = 0; i < step.work.size(); ++i) {
    int32_t number = byRank[byRank.size() > 1 ? i : 0];
    if (number != kNoBlock)
      step.work[i].push_back(number);
  }
}

StepTransfer StepsBuilder::shift(double bytes, int64_t hops) const {
  StepTransfer transfer;
  transfer.bytes = bytes;
  transfer.hops = hops;
  return transfer;
}

StepTransfer StepsBuilder::collective(StepTransfer::Kind kind, double bytes,
                                      size_t axis) const {
  StepTransfer transfer;
  transfer.kind = kind;
  transfer.bytes = bytes;
  transfer.axis = axis;
  transfer.data = StepTransfer::Data::Computed;
  transfer.neededAfter = 1;
  return transfer;
}

StepTransfer StepsBuilder::exchange(StepTransfer::Kind kind, double bytes,
                                    bool inPlace, size_t axis) const {
  StepTransfer transfer = collective(kind, bytes, axis);
  transfer.inPlace = inPlace && context.machine.isProcessor();
  return transfer;
}

bool StepsBuilder::shardsLieTogether() const {
  return context.machine.isProcessor() && !traits.replicated &&
         traits.elementType.isIntOrFloat() && queryLength == traits.queries &&
         keyLength == traits.keys;
}

size_t StepsBuilder::neighbours(int64_t size) {
  // Devices of one processor hand tensors over at the same price everywhere.
  if (size == ranks || context.machine.isProcessor())
    return 0;
  machine::Axis part = result.axes.front();
  part.ranks = size;
  part.topology = machine::Topology::Line;
  part.perHost = std::min(part.perHost, size);
  result.axes.push_back(part);
  return result.axes.size() - 1;
}

double StepsBuilder::mergeSeconds(int64_t rows) const {
  double bytes = outputBytesF32(rows);
  return machine::elementwiseTime(context.machine.spec, 4 * bytes / kF32Bytes,
                                  3 * bytes)
      .seconds;
}

double StepsBuilder::copySeconds(double bytes) const {
  return machine::moveTime(context.machine.spec, 2 * bytes).seconds;
}

double StepsBuilder::packSeconds(int64_t keyRows) const {
  if (!context.machine.isProcessor())
    return 0;
  return machine::packSeconds(*context.machine.spec.processor,
                              call(/*queryRows=*/0, keyRows));
}

void StepsBuilder::carryState(size_t first, int64_t queryRows) {
  for (machine::AttentionCall &block : result.blocks)
    block.carriesState = true;
  if (!context.machine.isProcessor())
    return;
  double state = copySeconds(outputBytesF32(queryRows));
  result.steps[first].otherSeconds += state;
  result.steps.back().otherSeconds += state;
}

void StepsBuilder::packOnce(size_t first, int64_t keyRows) {
  for (machine::AttentionCall &block : result.blocks)
    block.packsKeys = false;
  result.steps[first].otherSeconds += packSeconds(keyRows);
}

/// Dealt anew are shards that lie there already. Of whole tensors every shard
/// is read where it lies, also every n-th row; two chunks of a zigzag are not,
/// and a shared processor puts them together.
void StepsBuilder::dealInputs() {
  bool inTwo = plan.getLayout() == LayoutKind::Zigzag ||
               plan.getLayout() == LayoutKind::Mirrored;
  if (!traits.replicated && inTwo && context.machine.isProcessor() &&
      plan.getStrategy() != Strategy::Ulysses)
    step().otherSeconds += copySeconds(queryBytes(queries) + keyBytes(keys));
  if (!traits.replicated || plan.getLayout() == LayoutKind::Contiguous)
    return;
  StrategyStep &first = step();
  first.transfers.push_back(collective(StepTransfer::Kind::AllToAll,
                                       queryBytes(queries) + keyBytes(keys)));
}

void StepsBuilder::dealOutput() {
  if (traits.replicated && plan.getLayout() != LayoutKind::Contiguous)
    step().transfers.push_back(
        collective(StepTransfer::Kind::AllToAll, outputBytes(queries)));
  if (context.headsComeBack)
    step().transfers.push_back(collective(StepTransfer::Kind::AllGather,
                                          outputBytes(queries), headsAxis()));
}

void StepsBuilder::finishRing(size_t first, int64_t shards) {
  compute(result.steps[first], jointBlock(queries));
  if (ranks > 1 || traits.joint > 0) {
    carryState(first, queries + jointRows);
    packOnce(first, keys);
  }
  dealOutput();
  result.deviceBytes = queryBytes(queries) + outputBytes(queries) +
                       outputBytesF32(queries) +
                       static_cast<double>(shards + 1) * keyBytes(keys);
}

} // namespace mlir::ring
