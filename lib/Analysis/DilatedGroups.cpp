// SPDX-License-Identifier: Apache-2.0
// Groups of heads with equal rows, and where their rows lie.

#include "ring/Analysis/DilatedGroups.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ring {

/// Bytes of an f32 number: sums and gradients travel in it.
static constexpr double kF32Bytes = 4;
namespace {

/// Lets as many queries in a row as possible share a key head. With 2 queries
/// for a key, heads 0 1 2 3 with equal rows share keys 0 0 1 1: two of them for
/// each. Heads 1 2 share 0 1: one each.
void findKeys(DilatedGroup &group, int64_t queriesPerKey) {
  int64_t count = group.queries.size();
  auto keyOf = [&](int64_t i) {
    return PackedHead{group.queries[i].head / queriesPerKey,
                      group.queries[i].phase};
  };
  int64_t sharing = std::min(queriesPerKey, count);
  for (; sharing > 1; --sharing) {
    bool fits = count % sharing == 0;
    for (int64_t i = 0; fits && i < count; ++i)
      fits = keyOf(i) == keyOf(i / sharing * sharing);
    if (fits)
      break;
  }
  for (int64_t i = 0; i < count; i += sharing)
    group.keys.push_back(keyOf(i));
}

} // namespace

SmallVector<DilatedGroup> groupsOf(DilatedAttr dilated, int64_t length,
                                   int64_t heads, int64_t kvHeads,
                                   int64_t firstHead, int64_t allHeads) {
  SmallVector<DilatedGroup> groups;
  for (int64_t i = 0, e = dilated.getSegments().size(); i < e; ++i) {
    std::optional<DilatedPair> pair = pairOf(dilated, i, length);
    if (!pair)
      continue;
    auto [begin, end] = headsOf(dilated, i, allHeads);
    // Sorted by phase, then by head, so that equal rows stand together.
    SmallVector<PackedHead> all;
    for (int64_t head = 0; head < heads; ++head)
      if (int64_t global = firstHead + head; global >= begin && global < end)
        for (int64_t phase : phasesOf(dilated, i, global, allHeads, pair->span))
          all.push_back({head, phase});
    llvm::sort(all, [](const PackedHead &a, const PackedHead &b) {
      return std::make_pair(a.phase, a.head) < std::make_pair(b.phase, b.head);
    });
    llvm::MapVector<int64_t, DilatedGroup> byRows;
    for (const PackedHead &head : all)
      if (int64_t rows = pair->rowsOf(head.phase)) {
        DilatedGroup &group = byRows[rows];
        group.number = i;
        group.pair = *pair;
        group.queries.push_back(head);
      }
    for (auto &entry : byRows) {
      findKeys(entry.second, heads / kvHeads);
      groups.push_back(std::move(entry.second));
    }
  }
  return groups;
}

bool haveSameGroups(DilatedAttr dilated, int64_t heads, int64_t shards) {
  int64_t local = heads / shards;
  bool all = dilated.getPhase() == DilationPhase::AllResidues;
  for (int64_t i = 0, e = dilated.getSegments().size(); i < e; ++i) {
    int64_t rate = dilated.getRates()[i];
    auto [begin, end] = headsOf(dilated, i, heads);
    auto serves = [begin = begin, end = end](int64_t head) {
      return head >= begin && head < end;
    };
    for (int64_t head = local; head < heads; ++head)
      if (serves(head) != serves(head % local) ||
          (!all && phasesOf(dilated, i, head, heads, rate) !=
                       phasesOf(dilated, i, head % local, heads, rate)))
        return false;
  }
  return true;
}

std::optional<RankPlacement> placeOnRanks(const DilatedPair &pair,
                                          int64_t length, int64_t shard,
                                          int64_t ranks) {
  // One segment of several behind each other is on some ranks only.
  if (pair.begin != 0 || pair.count * pair.span != length)
    return std::nullopt;
  DilatedPair local = pair;
  if (shard % pair.span == 0) {
    local.count = shard / pair.span;
    if (!pair.joined)
      return RankPlacement{local, 1};
    if (shard * ranks == length)
      return RankPlacement{local, ranks};
    return std::nullopt;
  }
  // Every rank must keep the same rows of its shard, and all of them.
  int64_t spread = pair.joined ? ranks : pair.span / shard;
  bool keepsAll = pair.most * pair.rate >= pair.span;
  if (pair.span % shard != 0 || shard % pair.rate != 0 || ranks % spread != 0 ||
      !keepsAll || shard * ranks != length)
    return std::nullopt;
  local.span = local.most = shard;
  local.count = 1;
  return RankPlacement{local, spread};
}

std::optional<RankPlacement> placeEvenly(const AttentionTraits &traits,
                                         PlanAttr plan,
                                         const DilatedPair &pair) {
  int64_t shards = 1, ranks = plan.getAxis().getRanks();
  if (plan.getHeadsAxis())
    shards = plan.getAxis().getMesh()[*plan.getHeadsAxis()];
  if (!haveSameGroups(traits.dilation, traits.heads, shards) ||
      traits.realKeys.value_or(traits.keys) < traits.keys)
    return std::nullopt;
  // A device that has all rows has every span.
  if (plan.getStrategy() == Strategy::Replicate || ranks == 1)
    return RankPlacement{pair, 1};
  return placeOnRanks(pair, traits.queries,
                      dilatedLength(traits.queries, ranks) / ranks, ranks);
}

double ringTraffic(const DilatedGroup &group, int64_t rows, int64_t ranks,
                   const AttentionTraits &traits) {
  double element = tileBytesOf(traits.elementType) / 1024;
  double hops = static_cast<double>(ranks - 1), bytes = hops * element;
  if (traits.backward) {
    bytes += (hops + 1) * kF32Bytes;
    // The attention itself comes first, once more.
    if (traits.dilation.getMix() == DilationMix::Mean)
      bytes += hops * element;
  }
  int64_t numbers = static_cast<int64_t>(group.keys.size()) *
                    (traits.dim + traits.valueDim) * rows;
  return bytes * static_cast<double>(numbers);
}

std::optional<double> tradeTraffic(const DilatedGroup &group, int64_t rows,
                                   int64_t ranks,
                                   const AttentionTraits &traits) {
  int64_t queries = group.queries.size(), keys = group.keys.size();
  if (queries % ranks != 0 || (keys % ranks != 0 && ranks % keys != 0))
    return std::nullopt;
  double element = tileBytesOf(traits.elementType) / 1024;
  double dim = static_cast<double>(traits.dim),
         valueDim = static_cast<double>(traits.valueDim);
  double perQuery = element * (dim + valueDim),
         perKey = element * (dim + valueDim);
  if (traits.backward) {
    perQuery += kF32Bytes * dim;
    perKey += kF32Bytes * (dim + valueDim);
    if (traits.dilation.getMix() != DilationMix::Mean)
      perQuery += element * valueDim + kF32Bytes;
  }
  double traded = static_cast<double>(queries) * perQuery +
                  static_cast<double>(std::max(keys, ranks)) * perKey;
  double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  return share * static_cast<double>(rows) * traded;
}

} // namespace mlir::ring
