// SPDX-License-Identifier: Apache-2.0
// Dilated attention: every group of heads with equal rows is packed, attends
// where its rows are (on the device, or among the few neighbours that share a
// segment) and is put back into its rows.

#include "DilatedRows.h"
#include "ShardedAttention.h"

#include <limits>
#include <map>
#include <vector>

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// A group with its packed rows, and later with what they attend to.
struct PackedGroup {
  DilatedGroup group;
  RankPlacement placement;
  Value query;
  KeyValue keys;
  Part part;

  bool isLocal() const { return placement.ranks == 1; }
};

/// Some heads of the result, with all their phases.
struct HeadRun {
  int64_t first, count;
  const PackedGroup *group;
  /// Where in the packed heads each phase starts.
  SmallVector<std::pair<int64_t, int64_t>> phases;
};

class DilatedStrategy {
public:
  explicit DilatedStrategy(ShardedAttention &attention)
      : attention(attention), tensors(attention.tensors()),
        dilated(attention.traits().dilation) {
    RankedTensorType query = TTIRBuilder::typeOf(attention.query());
    heads = query.getDimSize(kHeads);
    rows = query.getDimSize(kRows);
  }

  void run() {
    pack();
    PatternAttrInterface pattern;
    if (dilated.getCausal())
      pattern = CausalAttr::get(dilated.getContext());
    attention.setBlockPattern(pattern);
    // What is here computes while what is not travels.
    for (bool local : {true, false})
      for (PackedGroup &group : groups)
        if (group.isLocal() == local)
          group.part = local ? attendHere(group) : attendNeighbours(group);
    mix();
  }

private:
  void pack();
  Part attendHere(const PackedGroup &group);
  Part attendNeighbours(const PackedGroup &group);
  Part trade(const PackedGroup &group, AxisAttr axis);
  bool trades(const PackedGroup &group) const;

  void mix();
  Part assemble(ArrayRef<const PackedGroup *> some);
  SmallVector<HeadRun> findRuns(ArrayRef<const PackedGroup *> some);
  Value place(const HeadRun &run, bool isLse);
  Part nothing(int64_t heads);

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  DilatedAttr dilated;
  int64_t heads, rows;
  std::vector<PackedGroup> groups;
};

//===----------------------------------------------------------------------===//
// From shards to packed rows
//===----------------------------------------------------------------------===//

void DilatedStrategy::pack() {
  const AttentionTraits &traits = attention.traits();
  int64_t kvHeads =
      TTIRBuilder::typeOf(attention.keyValue().key).getDimSize(kHeads);
  bool split = static_cast<bool>(attention.queries());
  int64_t ranks = split ? attention.ranks() : 1;
  for (DilatedGroup &group : groupsOf(dilated, traits.queries, heads, kvHeads,
                                      /*firstHead=*/0, traits.heads)) {
    auto placement = placeOnRanks(group.pair, traits.queries, rows, ranks);
    if (!placement)
      // Every device has all rows: a span is where it is.
      placement = RankPlacement{group.pair, 1};
    PackedGroup packed{std::move(group), *placement, {}, {}, {}};
    const DilatedPair &local = packed.placement.local;
    packed.query =
        packHeads(tensors, attention.query(), packed.group.queries, local);
    packed.keys = {
        packHeads(tensors, attention.keyValue().key, packed.group.keys, local),
        packHeads(tensors, attention.keyValue().value, packed.group.keys,
                  local)};
    groups.push_back(std::move(packed));
  }
}

//===----------------------------------------------------------------------===//
// Packed rows attend
//===----------------------------------------------------------------------===//

Part DilatedStrategy::attendHere(const PackedGroup &group) {
  const DilatedPair &local = group.placement.local;
  int64_t spans = local.joined ? 1 : local.count;
  bool intoBatch = group.group.queries.size() != group.group.keys.size();
  auto fold = [&](Value packed) {
    return foldSpans(tensors, packed, spans, intoBatch);
  };
  Part part = attention.attend(fold(group.query),
                               {fold(group.keys.key), fold(group.keys.value)},
                               BlockAttr());
  auto unfold = [&](Value folded) {
    return unfoldSpans(tensors, folded, spans, intoBatch,
                       attention.traits().batch);
  };
  return {unfold(part.output), unfold(part.lse)};
}

/// Whether the group trades rows for heads: where it must, or where that moves
/// less and the choice is free.
bool DilatedStrategy::trades(const PackedGroup &group) const {
  Strategy strategy = attention.plan().getStrategy();
  if (strategy != Strategy::Usp)
    return strategy == Strategy::Ulysses;
  int64_t kept = TTIRBuilder::typeOf(group.query).getDimSize(kRows);
  int64_t ranks = group.placement.ranks;
  auto traded = tradeTraffic(group.group, kept, ranks, attention.traits());
  return traded &&
         *traded < ringTraffic(group.group, kept, ranks, attention.traits());
}

/// The ranks that share a segment stand next to each other and hold its packed
/// rows in order, so a causal pattern stays one.
Part DilatedStrategy::attendNeighbours(const PackedGroup &group) {
  AxisAttr whole = attention.axis(), axis = whole;
  int64_t ranks = group.placement.ranks;
  if (ranks != whole.getRanks())
    axis = AxisAttr::get(whole.getContext(), whole.getIndex(), whole.getMesh(),
                         ranks, std::nullopt);
  if (trades(group))
    return trade(group, axis);

  int64_t kept = TTIRBuilder::typeOf(group.query).getDimSize(kRows);
  auto layout = [&](int64_t over) {
    return LayoutAttr::get(axis.getContext(), LayoutKind::Contiguous,
                           ranks * kept, over, /*offset=*/0);
  };
  if (attention.plan().getStrategy() == Strategy::AllGather) {
    KeyValue all{attention.allGather(group.keys.key, kRows, axis),
                 attention.allGather(group.keys.value, kRows, axis)};
    return attention.attend(
        group.query, all,
        attention.block(layout(ranks), layout(1), /*source=*/0, axis));
  }
  attention.sum() = {};
  addRing(attention, group.query, group.keys, layout(ranks), layout(ranks),
          axis);
  return std::exchange(attention.sum(), Part());
}

Part DilatedStrategy::trade(const PackedGroup &group, AxisAttr axis) {
  Part part =
      attention.attend(tradeForHeads(attention, group.query, axis),
                       {tradeForHeads(attention, group.keys.key, axis),
                        tradeForHeads(attention, group.keys.value, axis)},
                       BlockAttr());
  // Back in the output's own type, which is half the bytes of the sum's.
  Type type = dilated.getMix() == DilationMix::HeadPartition
                  ? attention.traits().elementType
                  : TTIRBuilder::typeOf(part.output).getElementType();
  part.output = attention.allToAll(tensors.typecast(part.output, type), kRows,
                                   kHeads, axis);
  if (attention.traits().lse || dilated.getMix() == DilationMix::Lse)
    part.lse = attention.allToAll(part.lse, kRows, kHeads, axis);
  else
    part.lse = {};
  return part;
}

//===----------------------------------------------------------------------===//
// From packed rows back to shards
//===----------------------------------------------------------------------===//

/// The part of heads that attend to nothing.
Part DilatedStrategy::nothing(int64_t heads) {
  const AttentionTraits &traits = attention.traits();
  return {tensors.full({traits.batch, heads, rows, traits.valueDim},
                       dilated.getMix() == DilationMix::HeadPartition
                           ? traits.elementType
                           : Type(Float32Type::get(dilated.getContext())),
                       0.0f),
          tensors.full({traits.batch, heads, rows, 1},
                       Float32Type::get(dilated.getContext()), kNothing)};
}

/// Heads in a row that are packed in a row, with the same phases each.
SmallVector<HeadRun>
DilatedStrategy::findRuns(ArrayRef<const PackedGroup *> some) {
  std::map<int64_t, SmallVector<HeadRun>> byHead;
  for (const PackedGroup *group : some)
    for (auto [at, packed] : llvm::enumerate(group->group.queries)) {
      SmallVector<HeadRun> &runs = byHead[packed.head];
      if (runs.empty() || runs.back().group != group)
        runs.push_back({packed.head, 1, group, {}});
      runs.back().phases.push_back({packed.phase, at});
    }
  SmallVector<HeadRun> runs;
  for (auto &[head, own] : byHead)
    for (HeadRun &next : own) {
      HeadRun *last = runs.empty() || own.size() > 1 ? nullptr : &runs.back();
      bool joins = last && last->group == next.group &&
                   last->first + last->count == next.first &&
                   last->phases.size() == next.phases.size();
      for (size_t i = 0; joins && i < next.phases.size(); ++i)
        joins = last->phases[i].first == next.phases[i].first &&
                last->phases[i].second + last->count == next.phases[i].second;
      if (joins)
        ++last->count;
      else
        runs.push_back(next);
    }
  return runs;
}

Value DilatedStrategy::place(const HeadRun &run, bool isLse) {
  Value packed = isLse ? run.group->part.lse : run.group->part.output;
  SmallVector<PackedRows> pieces;
  for (auto [phase, at] : run.phases)
    pieces.push_back(
        {phase, tensors.slice(packed, kHeads, at, at + run.count)});
  return unpackRows(tensors, pieces, run.group->placement.local, rows,
                    isLse ? kNothing : 0.0f);
}

/// The rows of all heads, from groups of which each head is in one, or in
/// several with different rows.
Part DilatedStrategy::assemble(ArrayRef<const PackedGroup *> some) {
  bool needsLse =
      attention.traits().lse || dilated.getMix() == DilationMix::Lse;
  SmallVector<Value> outputs, lses;
  int64_t next = 0;
  auto add = [&](Part part) {
    outputs.push_back(part.output);
    lses.push_back(part.lse);
  };
  for (const HeadRun &run : findRuns(some)) {
    if (run.first > next)
      add(nothing(run.first - next));
    Part part{place(run, false), needsLse ? place(run, true) : Value()};
    if (run.first < next) {
      // Further rows of the same heads.
      outputs.back() = tensors.add(outputs.back(), part.output);
      if (needsLse)
        lses.back() = tensors.maximum(lses.back(), part.lse);
      continue;
    }
    add(part);
    next = run.first + run.count;
  }
  if (next < heads)
    add(nothing(heads - next));
  return {tensors.concat(outputs, kHeads),
          needsLse ? tensors.concat(lses, kHeads) : Value()};
}

void DilatedStrategy::mix() {
  const AttentionTraits &traits = attention.traits();
  DilationMix how = dilated.getMix();
  float weight = 1.0f / static_cast<float>(divisorOf(dilated));
  for (PackedGroup &group : groups) {
    Value &output = group.part.output;
    RankedTensorType type = TTIRBuilder::typeOf(output);
    if (weight != 1.0f)
      output = tensors.multiply(
          output, tensors.full(type.getShape(), type.getElementType(), weight));
    if (how == DilationMix::HeadPartition)
      output = tensors.typecast(output, traits.elementType);
  }
  std::map<int64_t, SmallVector<const PackedGroup *>> layers;
  for (const PackedGroup &group : groups)
    layers[how == DilationMix::HeadPartition ? 0 : group.group.number]
        .push_back(&group);
  Part sum;
  for (auto &[number, some] : layers) {
    Part part = assemble(some);
    if (!sum.output) {
      sum = part;
    } else if (how == DilationMix::Lse) {
      sum = attention.merge(sum, part);
    } else {
      Part merged;
      if (traits.lse)
        merged = attention.merge(sum, part);
      sum = {tensors.add(sum.output, part.output), merged.lse};
    }
  }
  attention.sum() = sum.output ? sum : nothing(heads);
}

} // namespace

void buildDilated(ShardedAttention &attention) {
  DilatedStrategy(attention).run();
}

} // namespace mlir::ring
