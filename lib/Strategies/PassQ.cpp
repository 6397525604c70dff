// SPDX-License-Identifier: Apache-2.0
// Few queries against a long cache: keys stay, queries travel, and what comes
// of them goes back.

#include "Rules.h"
#include "ShardedAttention.h"

namespace mlir::ring {

/// Queries travel with their positions, and what has come of them so far one
/// hop behind, so that every transfer has a block beside it. On 4 ranks, Qi
/// being the queries of the rank i places before this one and Si the sum of
/// their parts so far:
///
///   block 0 of Q0                  while Q0 travels: Q1 arrives
///   block 1 of Q1, S0 = block 0    while Q1, S0 travel: Q2, S1 arrive
///   block 2 of Q2, S1 += block 1   while Q2, S1 travel: Q3, S2 arrive
///   block 3 of Q3, S2 += block 2   while S2 travels: S3 arrives
///                  S3 += block 3   one last hop: S4 = S0 is at home
///
/// A ring of keys would send the cache instead.
void buildPassQ(ShardedAttention &attention) {
  AxisAttr axis = attention.axis();
  int64_t ranks = axis.getRanks();
  ShardedSequence &devices = attention;
  BlockAttr keys =
      attention.block(LayoutAttr(), attention.keys(), /*source=*/0, axis);
  Value query = attention.query(), positions = attention.positions();
  // What has arrived is still without the block before.
  std::optional<Part> arrived;
  Part part;
  auto sumSoFar = [&] {
    return arrived ? attention.merge(*arrived, part) : part;
  };
  for (int64_t hop = 0; hop < ranks; ++hop) {
    SmallVector<Value> travellers;
    if (hop + 1 < ranks)
      travellers.append({query, positions});
    if (hop > 0) {
      Part sum = sumSoFar();
      travellers.append({sum.output, sum.lse});
    }
    SmallVector<Value> next;
    if (!travellers.empty())
      next = devices.shift(travellers, /*by=*/1, axis);
    part = attention.attend(query, positions, attention.keyValue(), keys);
    if (hop > 0)
      arrived = Part{next[next.size() - 2], next[next.size() - 1]};
    if (hop + 1 < ranks) {
      query = next[0];
      positions = next[1];
    }
  }
  Part sum = sumSoFar();
  attention.add(ranks > 1 ? attention.shift(sum, /*by=*/1, axis) : sum);
}

Refusal refusePassQ(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.start)
    return say("expects queries that start somewhere in a cache");
  if (traits.mask)
    return say("expects no mask");
  return refuseDealtLayouts(plan);
}

} // namespace mlir::ring
