// SPDX-License-Identifier: Apache-2.0
// Dilated attention: every group of heads with equal rows is packed, attends
// where its rows are (on the device, or among the few neighbours that share a
// segment, or from whoever has a row) and is put back into its rows.

#include "DilatedParts.h"
#include "DilatedPlaces.h"
#include "DilatedRows.h"

#include <limits>

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// A group with its packed rows, and later with what they attend to.
struct PackedGroup : PlacedGroup {
  explicit PackedGroup(const PlacedGroup &group) : PlacedGroup(group) {}

  Value query;
  KeyValue keys;
  Part part;
};

/// The same for some heads whose rows lie differently on every device. Their
/// keys come in rounds of no more rows than a shard has.
struct RoutedGroup : RoutedRun {
  explicit RoutedGroup(const RoutedRun &run) : RoutedRun(run) {}

  Value query;
  SmallVector<KeyRound> rounds;
  KeyValue keys; ///< of the next round
  Part part;
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
    DilatedPlaces places = DilatedPlaces::of(attention, {heads, kvHeads, rows});
    if (!atOnce)
      mostRowsLast(places.packed);
    for (const PlacedGroup &group : places.packed)
      groups.emplace_back(group);
    for (PackedGroup &group : groups)
      if (atOnce || !group.isLocal())
        pack(group);
    for (const RoutedRun &run : places.routed)
      route(run);
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
        setVisitsOf(attention, group);
        group.part = local ? attendHere(group) : attendNeighbours(group);
        if (!atOnce)
          unpack(group);
      }
    for (RoutedGroup &group : routed) {
      attendRouted(group);
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
  static void mostRowsLast(std::vector<PlacedGroup> &groups);
  void pack(PackedGroup &group);
  void route(const RoutedRun &run);
  KeyValue routeKeys(const RoutedGroup &group, const KeyRound &round);
  void attendRouted(RoutedGroup &group);
  Part attendHere(const PackedGroup &group);
  Part attendNeighbours(const PackedGroup &group);
  Part trade(const PackedGroup &group, AxisAttr axis);
  void unpack(PackedGroup &group);
  void unroute(const RoutedGroup &group);

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  DilatedAttr dilated;
  int64_t heads, kvHeads, rows;
  DilatedMixer mixer;
  std::vector<PackedGroup> groups;
  std::vector<RoutedGroup> routed;
};

//===----------------------------------------------------------------------===//
// From shards to packed rows
//===----------------------------------------------------------------------===//

/// Of what is here, the most rows come last, when the shards can go.
void DilatedStrategy::mostRowsLast(std::vector<PlacedGroup> &groups) {
  auto key = [](const PlacedGroup &group) {
    return std::pair(!group.isLocal(),
                     group.isLocal() ? -group.group.pair.rate : 0);
  };
  llvm::stable_sort(groups, [&](const PlacedGroup &a, const PlacedGroup &b) {
    return key(a) < key(b);
  });
}

void DilatedStrategy::pack(PackedGroup &group) {
  const DilatedPair &local = group.placement.local;
  group.query =
      packHeads(tensors, attention.query(), group.group.queries, local);
  setVisitsOf(attention, group);
  auto keys = [&](Value shard) {
    return attention.inVisitOrder(
        packHeads(tensors, shard, group.group.keys, local));
  };
  group.keys = {keys(attention.keyValue().key),
                keys(attention.keyValue().value)};
}

void DilatedStrategy::route(const RoutedRun &run) {
  RoutedGroup group(run);
  Value query = tensors.slice(attention.query(), kHeads, run.first,
                              run.first + run.count);
  group.query =
      attention.route(query, run.routes.queryLegs, run.routes.queryRows);
  // Rows that every device has are taken at once: none is brought.
  bool everywhere = !attention.queries();
  group.rounds = run.routes.keyRounds(everywhere ? run.routes.keyRows : rows);
  group.keys = routeKeys(group, group.rounds.front());
  routed.push_back(std::move(group));
}

KeyValue DilatedStrategy::routeKeys(const RoutedGroup &group,
                                    const KeyRound &round) {
  auto some = [&](Value shard) {
    return attention.route(tensors.slice(shard, kHeads, group.firstKey,
                                         group.firstKey + group.keyCount),
                           round.legs, round.rows);
  };
  return {some(attention.keyValue().key), some(attention.keyValue().value)};
}

//===----------------------------------------------------------------------===//
// Packed rows attend
//===----------------------------------------------------------------------===//

Part DilatedStrategy::attendHere(const PackedGroup &group) {
  int64_t spans = group.spans();
  bool intoBatch = group.group.queries.size() != group.group.keys.size();
  auto fold = [&](Value packed) {
    return foldSpans(tensors, packed, spans, intoBatch);
  };
  Part part = attention.attend(fold(group.query),
                               {fold(group.keys.key), fold(group.keys.value)},
                               attention.blockHere(group.keptRows() / spans));
  auto unfold = [&](Value folded) {
    return unfoldSpans(tensors, folded, spans, intoBatch,
                       attention.traits().batch);
  };
  return {unfold(part.output), mixer.needsLse() ? unfold(part.lse) : Value()};
}

/// The ranks that share a segment stand next to each other and hold its packed
/// rows in order, so a causal pattern stays one.
Part DilatedStrategy::attendNeighbours(const PackedGroup &group) {
  int64_t ranks = group.placement.ranks;
  AxisAttr axis = neighboursOn(attention.axis(), ranks);
  if (tradesHeads(attention, group))
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

/// While a round's keys are attended to, the next ones come.
void DilatedStrategy::attendRouted(RoutedGroup &group) {
  attention.setBlockPattern(group.routes.pattern);
  attention.sum() = {};
  for (auto [number, round] : llvm::enumerate(group.rounds)) {
    KeyValue keys = group.keys;
    if (number + 1 < group.rounds.size())
      group.keys = routeKeys(group, group.rounds[number + 1]);
    attention.add(attention.attend(
        group.query, keys,
        BlockAttr::get(dilated.getContext(), group.routes.queryPlaces,
                       round.places, attention.axis())));
  }
  group.part = std::exchange(attention.sum(), Part());
}

Part DilatedStrategy::trade(const PackedGroup &group, AxisAttr axis) {
  Value query = tradeForHeads(attention, group.query, axis);
  KeyValue keys{tradeForHeads(attention, group.keys.key, axis),
                tradeForHeads(attention, group.keys.value, axis)};
  Part part = attention.attend(
      query, keys, attention.blockHere(group.keptRows() * axis.getRanks()));
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
  for (const HeadRun &run : findRuns(group.group.queries)) {
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
