// SPDX-License-Identifier: Apache-2.0
// Dilated attention: every group of heads with equal rows is packed, attends
// where its rows are (on the device, or among the few neighbours that share a
// segment, or from whoever has a row) and is put back into its rows.

#include "DilatedParts.h"
#include "DilatedRows.h"
#include "ring/Analysis/DilatedRoutes.h"

#include <limits>

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

/// Some heads whose rows lie differently on every device.
struct RoutedGroup {
  int64_t layer, first, count;
  DilatedRoutes routes;
  Value query;
  KeyValue keys;
  Part part;
};

/// Some heads of the result, with all their phases.
struct HeadRun {
  int64_t first, count;
  /// Where in the packed heads each phase starts.
  SmallVector<std::pair<int64_t, int64_t>> phases;
};

class DilatedStrategy {
public:
  explicit DilatedStrategy(ShardedAttention &attention)
      : attention(attention), tensors(attention.tensors()),
        dilated(attention.traits().dilation),
        heads(TTIRBuilder::typeOf(attention.query()).getDimSize(kHeads)),
        kvHeads(
            TTIRBuilder::typeOf(attention.keyValue().key).getDimSize(kHeads)),
        rows(TTIRBuilder::typeOf(attention.query()).getDimSize(kRows)),
        mixer(attention, heads, rows) {}

  void run() {
    // All that travels is made ready first, so that it can start to. Of what
    // is here, one pair is packed, attended and mixed before the next, so that
    // memory is that of one; but pairs that do not keep the same rows are
    // packed at once, and their shards can go.
    bool atOnce = dilated.getSegmentation() != Segmentation::Tiled;
    place(/*smallestFirst=*/!atOnce);
    for (PackedGroup &group : groups)
      if (atOnce || !group.isLocal())
        pack(group);
    route();
    PatternAttrInterface pattern;
    if (dilated.getCausal())
      pattern = CausalAttr::get(dilated.getContext());
    attention.setBlockPattern(pattern);
    // What is here computes while what is not travels.
    for (bool local : {true, false})
      for (PackedGroup &group : groups) {
        if (group.isLocal() != local)
          continue;
        // What came before is mixed before this takes memory.
        if (!atOnce)
          mixer.begin(group.group.number);
        if (local && !atOnce)
          pack(group);
        group.part = local ? attendHere(group) : attendNeighbours(group);
        if (!atOnce)
          unpack(group);
      }
    for (RoutedGroup &group : routed) {
      attention.setBlockPattern(group.routes.pattern);
      group.part = attention.attend(
          group.query, group.keys,
          BlockAttr::get(dilated.getContext(), LayoutAttr(), LayoutAttr(),
                         group.routes.queryPlaces, group.routes.keyPlaces,
                         /*source=*/0, /*firstKey=*/0, attention.axis()));
      if (!atOnce)
        unroute(group);
    }
    if (atOnce) {
      for (PackedGroup &group : groups)
        unpack(group);
      for (const RoutedGroup &group : routed)
        unroute(group);
    }
    attention.sum() = mixer.mix();
  }

private:
  void place(bool smallestFirst);
  void pack(PackedGroup &group);
  void route();
  void route(ArrayRef<int64_t> pairs);
  void route(const RoutedHeads &heads, int64_t layer);
  Part attendHere(const PackedGroup &group);
  Part attendNeighbours(const PackedGroup &group);
  Part trade(const PackedGroup &group, AxisAttr axis);
  bool trades(const PackedGroup &group) const;
  static SmallVector<HeadRun> findRuns(const PackedGroup &group);
  void unpack(PackedGroup &group);
  void unroute(const RoutedGroup &group);

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  DilatedAttr dilated;
  int64_t heads, kvHeads, rows;
  DilatedMixer mixer;
  std::vector<PackedGroup> groups;
  /// The numbers of the pairs that are not packed.
  SmallVector<int64_t> unevenPairs;
  std::vector<RoutedGroup> routed;
};

//===----------------------------------------------------------------------===//
// From shards to packed rows
//===----------------------------------------------------------------------===//

void DilatedStrategy::place(bool smallestFirst) {
  const AttentionTraits &traits = attention.traits();
  for (int64_t i = 0, e = dilated.getSegments().size(); i < e; ++i)
    if (std::optional<DilatedPair> pair = pairOf(dilated, i, traits.queries))
      if (!placeEvenly(traits, attention.plan(), *pair))
        unevenPairs.push_back(i);
  for (DilatedGroup &group : groupsOf(dilated, traits.queries, heads, kvHeads,
                                      /*firstHead=*/0, traits.heads)) {
    if (llvm::is_contained(unevenPairs, group.number))
      continue;
    auto placement = placeEvenly(traits, attention.plan(), group.pair);
    groups.push_back({std::move(group), *placement, {}, {}, {}});
  }
  // Of what is here, the most rows come last, when the shards can go.
  if (!smallestFirst)
    return;
  llvm::stable_sort(groups, [](const PackedGroup &a, const PackedGroup &b) {
    auto key = [](const PackedGroup &group) {
      return std::pair(!group.isLocal(),
                       group.isLocal() ? -group.group.pair.rate : 0);
    };
    return key(a) < key(b);
  });
}

void DilatedStrategy::pack(PackedGroup &group) {
  const DilatedPair &local = group.placement.local;
  group.query =
      packHeads(tensors, attention.query(), group.group.queries, local);
  group.keys = {
      packHeads(tensors, attention.keyValue().key, group.group.keys, local),
      packHeads(tensors, attention.keyValue().value, group.group.keys, local)};
}

/// Heads with one pair each are found together, whichever it is on a device.
void DilatedStrategy::route() {
  if (dilated.getMix() == DilationMix::HeadPartition)
    return route(unevenPairs);
  for (int64_t pair : unevenPairs)
    route(ArrayRef(pair));
}

void DilatedStrategy::route(ArrayRef<int64_t> pairs) {
  const AttentionTraits &traits = attention.traits();
  int64_t shared = heads / kvHeads;
  for (RoutedHeads run : findRoutedHeads(dilated, pairs, traits.queries, heads,
                                         traits.heads / heads)) {
    // Some key heads with all their queries, or one key head with some.
    int64_t end = run.first + run.count;
    while (run.first < end) {
      run.count = end - run.first;
      if (run.first % shared != 0)
        run.count = std::min(run.count, shared - run.first % shared);
      else if (run.count > shared)
        run.count -= run.count % shared;
      route(run, pairs.front());
      run.first += run.count;
    }
  }
}

void DilatedStrategy::route(const RoutedHeads &run, int64_t layer) {
  const AttentionTraits &traits = attention.traits();
  int64_t shared = heads / kvHeads;
  int64_t firstKey = run.first / shared;
  int64_t lastKey = (run.first + run.count - 1) / shared;
  auto of = [&](Value shard, int64_t first, int64_t last) {
    return tensors.slice(shard, kHeads, first, last + 1);
  };
  HeldRows held{attention.axis(), attention.plan().getHeadsAxis(), rows,
                traits.queries, !attention.queries()};
  for (const auto &entry : run.entries) {
    std::optional<DilatedRoutes> routes =
        DilatedRoutes::of(entry, held, dilated.getCausal(), traits.realKeys);
    if (!routes)
      continue;
    RoutedGroup group{layer, run.first, run.count, *routes, {}, {}, {}};
    group.query = attention.route(
        of(attention.query(), run.first, run.first + run.count - 1),
        routes->queryLegs, routes->queryRows);
    group.keys = {
        attention.route(of(attention.keyValue().key, firstKey, lastKey),
                        routes->keyLegs, routes->keyRows),
        attention.route(of(attention.keyValue().value, firstKey, lastKey),
                        routes->keyLegs, routes->keyRows)};
    routed.push_back(std::move(group));
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
  return {unfold(part.output), mixer.needsLse() ? unfold(part.lse) : Value()};
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
  part.output = attention.allToAll(
      tensors.typecast(part.output, mixer.elementType()), kRows, kHeads, axis);
  if (mixer.needsLse())
    part.lse = attention.allToAll(part.lse, kRows, kHeads, axis);
  return part;
}

//===----------------------------------------------------------------------===//
// From packed rows back to shards
//===----------------------------------------------------------------------===//

/// Heads in a row that are packed in a row, with the same phases each.
SmallVector<HeadRun> DilatedStrategy::findRuns(const PackedGroup &group) {
  std::map<int64_t, HeadRun> byHead;
  for (auto [at, packed] : llvm::enumerate(group.group.queries)) {
    HeadRun &run = byHead.try_emplace(packed.head, HeadRun{packed.head, 1, {}})
                       .first->second;
    run.phases.push_back({packed.phase, at});
  }
  SmallVector<HeadRun> runs;
  for (auto &[head, next] : byHead) {
    HeadRun *last = runs.empty() ? nullptr : &runs.back();
    bool joins = last && last->first + last->count == next.first &&
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

void DilatedStrategy::unpack(PackedGroup &group) {
  mixer.begin(group.group.number);
  group.part.output = mixer.weighted(group.part.output);
  auto place = [&](const HeadRun &run, Value packed, float fill) {
    SmallVector<PackedRows> pieces;
    for (auto [phase, at] : run.phases)
      pieces.push_back(
          {phase, tensors.slice(packed, kHeads, at, at + run.count)});
    return unpackRows(tensors, pieces, group.placement.local, rows, fill);
  };
  for (const HeadRun &run : findRuns(group)) {
    Part part{place(run, group.part.output, 0.0f), Value()};
    if (mixer.needsLse())
      part.lse = place(run, group.part.lse, kNothing);
    mixer.add({run.first, run.count, part});
  }
}

void DilatedStrategy::unroute(const RoutedGroup &group) {
  mixer.begin(group.layer);
  Part part{attention.route(mixer.weighted(group.part.output),
                            group.routes.outputLegs, rows),
            Value()};
  if (mixer.needsLse())
    part.lse = attention.route(group.part.lse, group.routes.outputLegs, rows,
                               kNothing);
  mixer.add({group.first, group.count, part});
}

} // namespace

void buildDilated(ShardedAttention &attention) {
  DilatedStrategy(attention).run();
}

} // namespace mlir::ring
