// SPDX-License-Identifier: Apache-2.0
// Few queries against many keys: every device has all queries and its share of
// the keys, and the parts are merged in a tree.

#include "Rules.h"
#include "ShardedAttention.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

/// With 2^k ranks, k rounds: after the round with distance d every rank has the
/// keys of 2d ranks. Otherwise each part goes once round the ring.
void buildSplitKV(ShardedAttention &attention) {
  AxisAttr axis = attention.axis();
  Part own = attention.attend(
      attention.query(), attention.keyValue(),
      attention.block(LayoutAttr(), attention.keys(), /*source=*/0, axis),
      attention.maskFor(0));
  Part all = own;
  if (llvm::isPowerOf2_64(attention.ranks())) {
    for (int64_t distance = 1; distance < attention.ranks(); distance *= 2)
      all = attention.merge(all, attention.shift(all, distance, axis));
  } else {
    Part travelling = own;
    for (int64_t hop = 1; hop < attention.ranks(); ++hop) {
      travelling = attention.shift(travelling, 1, axis);
      all = attention.merge(all, travelling);
    }
  }
  attention.add(all);
}

Refusal refuseSplitKV(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.band.isUnbounded() && !traits.start)
    return say("expects every query to attend to every key");
  if (traits.joint)
    return say("expects no joint tokens");
  return refuseDealtLayouts(plan);
}

} // namespace mlir::ring
