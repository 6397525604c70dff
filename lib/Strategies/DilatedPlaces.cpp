// SPDX-License-Identifier: Apache-2.0
// Groups that lie alike on every device, and lists for those that do not.

#include "DilatedPlaces.h"
#include "ring/Analysis/VisitOrder.h"

#include <map>

namespace mlir::ring {
namespace {

/// Fills the routed side of the places.
class RunFinder {
public:
  RunFinder(ShardedSequence &sequence, const LocalShape &local,
            std::vector<RoutedRun> &runs)
      : traits(sequence.traits()), local(local),
        held{sequence.axis(), sequence.plan().getHeadsAxis(), local.rows,
             traits.queries, !sequence.queries()},
        runs(runs) {}

  /// Heads with one pair each are found together, whichever it is on a device.
  void find(ArrayRef<int64_t> pairs) {
    if (traits.dilation.getMix() == DilationMix::HeadPartition)
      return findTogether(pairs);
    for (int64_t pair : pairs)
      findTogether(ArrayRef(pair));
  }

private:
  void findTogether(ArrayRef<int64_t> pairs) {
    int64_t shared = local.heads / local.kvHeads;
    for (RoutedHeads run :
         findRoutedHeads(traits.dilation, pairs, traits.queries, local.heads,
                         traits.heads / local.heads)) {
      // Some key heads with all their queries, or one key head with some.
      int64_t end = run.first + run.count;
      while (run.first < end) {
        run.count = end - run.first;
        if (run.first % shared != 0)
          run.count = std::min(run.count, shared - run.first % shared);
        else if (run.count > shared)
          run.count -= run.count % shared;
        add(run, pairs.front());
        run.first += run.count;
      }
    }
  }

  void add(const RoutedHeads &run, int64_t layer) {
    int64_t shared = local.heads / local.kvHeads;
    int64_t firstKey = run.first / shared;
    int64_t lastKey = (run.first + run.count - 1) / shared;
    for (const auto &entry : run.entries)
      if (std::optional<RowRoutes> routes =
              dilatedRoutes(entry, held, traits.dilation.getCausal(),
                            traits.realKeys, traits.dilation.getOrder()))
        runs.push_back({layer, run.first, run.count, firstKey,
                        lastKey + 1 - firstKey, *routes});
  }

  const AttentionTraits &traits;
  const LocalShape &local;
  HeldRows held;
  std::vector<RoutedRun> &runs;
};

} // namespace

DilatedPlaces DilatedPlaces::of(ShardedSequence &sequence,
                                const LocalShape &local) {
  const AttentionTraits &traits = sequence.traits();
  DilatedAttr dilated = traits.dilation;
  SmallVector<int64_t> uneven;
  for (int64_t i = 0, e = dilated.getSegments().size(); i < e; ++i)
    if (std::optional<DilatedPair> pair = pairOf(dilated, i, traits.queries))
      if (!placeEvenly(traits, sequence.plan(), *pair))
        uneven.push_back(i);
  DilatedPlaces places;
  for (DilatedGroup &group :
       groupsOf(dilated, traits.queries, local.heads, local.kvHeads,
                /*firstHead=*/0, traits.heads)) {
    if (llvm::is_contained(uneven, group.number))
      continue;
    auto placement = placeEvenly(traits, sequence.plan(), group.pair);
    places.packed.push_back({std::move(group), *placement});
  }
  RunFinder(sequence, local, places.routed).find(uneven);
  return places;
}

AxisAttr neighboursOn(AxisAttr whole, int64_t ranks) {
  if (ranks == whole.getRanks())
    return whole;
  return AxisAttr::get(whole.getContext(), whole.getIndex(), whole.getMesh(),
                       ranks, std::nullopt);
}

bool tradesHeads(ShardedSequence &sequence, const PlacedGroup &group) {
  Strategy strategy = sequence.plan().getStrategy();
  if (strategy != Strategy::Usp)
    return strategy == Strategy::Ulysses;
  const AttentionTraits &traits = sequence.traits();
  int64_t kept = group.keptRows();
  int64_t ranks = group.placement.ranks;
  auto traded = tradeTraffic(group.group, kept, ranks, traits);
  return traded && *traded < ringTraffic(group.group, kept, ranks, traits);
}

void setVisitsOf(ShardedSequence &sequence, const PlacedGroup &group) {
  KeyOrder order = sequence.traits().dilation.getOrder();
  sequence.setVisits({});
  if (order != KeyOrder::Identity)
    sequence.setVisits(visitOrder(order, group.keptRows() / group.spans()));
}

SmallVector<HeadRun> findRuns(ArrayRef<PackedHead> heads) {
  // By how often its phase has come before, then by the head.
  std::map<std::pair<int64_t, int64_t>, HeadRun> byHead;
  std::map<std::pair<int64_t, int64_t>, int64_t> seen;
  for (auto [at, packed] : llvm::enumerate(heads)) {
    int64_t before = seen[{packed.head, packed.phase}]++;
    HeadRun &run =
        byHead.try_emplace({before, packed.head}, HeadRun{packed.head, 1, {}})
            .first->second;
    run.phases.push_back({packed.phase, at});
  }
  SmallVector<HeadRun> runs;
  for (auto &[key, next] : byHead) {
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

} // namespace mlir::ring
