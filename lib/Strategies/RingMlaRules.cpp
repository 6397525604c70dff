// SPDX-License-Identifier: Apache-2.0
// What ring_mla takes, and computes rightly: one head of keys for all query
// heads, whose first columns are the values.

#include "Rules.h"

namespace mlir::ring {

Refusal refuseRingMla(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.isCausal())
    return say("expects a causal pattern: ring_mla has no other");
  if (traits.valueDim >= traits.dim)
    return say("expects values of fewer columns than the {0} of the keys, but "
               "got {1}",
               traits.dim, traits.valueDim);
  if (!traits.elementType.isBF16())
    return say("expects bf16 queries, but got {0}", traits.elementType);
  if (traits.sink)
    return say("expects no sink beside values in keys");
  // Fewer queries are taken for a chunk of a longer prompt, over keys that are
  // dealt in blocks of as many rows; a causal pattern has as many as keys.
  return refuseFusedRing(traits, plan);
}

} // namespace mlir::ring
