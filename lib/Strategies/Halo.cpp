// SPDX-License-Identifier: Apache-2.0
// Sliding windows: a device needs only the rows of its neighbours that its
// window reaches.

#include "Rules.h"
#include "ShardedAttention.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

/// A window of 600 before, shards of 512: all 512 rows of the rank before and
/// the last 96 of the one before that, which are the 88 that are needed in
/// whole tiles: devices send no less. The first ranks receive rows from the end
/// of the sequence, whose positions no query of theirs reaches.
void buildHalo(ShardedAttention &attention) {
  if (attention.traits().documents)
    return buildFetchedDocuments(attention);
  LayoutAttr keys = attention.keys();
  int64_t rows = keys.getShardLength();
  KeyValue own = attention.keyValue();
  auto attend = [&](KeyValue arrived, int64_t source, int64_t firstKey) {
    attention.add(
        attention.attend(attention.query(), arrived,
                         attention.block(attention.queries(), keys, source,
                                         attention.axis(), firstKey)));
  };
  auto fetch = [&](int64_t source, int64_t offset, int64_t size) -> KeyValue {
    return own.map([&](Value rows) {
      return attention.gatherRows(rows, source, offset, size);
    });
  };

  auto inTiles = [&](int64_t reached) {
    return std::min<int64_t>(llvm::alignTo(reached, kTileRows), rows);
  };

  attend(own, 0, 0);
  const Band &band = attention.traits().band;
  int64_t reach = (attention.ranks() - 1) * rows;
  int64_t before = std::min(*band.before, reach);
  for (int64_t hop = 1; before > 0; ++hop, before -= rows) {
    int64_t size = inTiles(before);
    attend(fetch(-hop, rows - size, size), -hop, rows - size);
  }
  int64_t after = std::min(*band.after, reach);
  for (int64_t hop = 1; after > 0; ++hop, after -= rows) {
    int64_t size = inTiles(after);
    attend(fetch(hop, 0, size), hop, 0);
  }
}

/// Neighbours before and after must be different ranks, or their keys would
/// count twice.
static Refusal refuseLongWindow(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  int64_t shard =
      paddedLength(traits.keys, plan.getLayout(), ranks, traits.perDevice) /
      ranks;
  auto hops = [&](int64_t rows) {
    return std::min<int64_t>(
        llvm::divideCeil(std::max<int64_t>(rows, 0), shard), ranks - 1);
  };
  int64_t before = hops(*traits.band.before), after = hops(*traits.band.after);
  if (before + after >= ranks)
    return say("expects the window to reach fewer than {0} other ranks, but it "
               "reaches {1} before and {2} after",
               ranks, before, after);
  return std::nullopt;
}

Refusal refuseHalo(const AttentionTraits &traits, PlanAttr plan) {
  if (traits.documents)
    return refuseDealtLayouts(plan);
  if (!traits.band.before || !traits.band.after)
    return say("expects a sliding window");
  if (auto refusal = refuseDealtLayouts(plan))
    return refusal;
  if (traits.mask)
    return say("expects no mask beside the window");
  return refuseLongWindow(traits, plan);
}

} // namespace mlir::ring
