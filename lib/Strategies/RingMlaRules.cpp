// SPDX-License-Identifier: Apache-2.0
// What ring_mla takes, and computes rightly: one head of keys for all query
// heads, whose first columns are the values.

#include "Rules.h"

namespace mlir::ring {

/// A chunk over a cache in blocks. The op takes the last rows of what it counts
/// to be the chunk, dealt as the cache is: only where whole rounds of blocks
/// lie before it do the ranks have its rows in their order.
static Refusal refuseChunk(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks(), rows = traits.queries / ranks;
  if (!traits.chunkStart)
    return say("expects a chunk whose start is a constant");
  if (traits.perDevice)
    return say("expects whole tensors around a chunk over a cache, not a "
               "device's own");
  if (traits.batch != 1)
    return say("expects one user in a chunk over a cache, but got {0}",
               traits.batch);
  if (traits.queries % (ranks * kTileRows) != 0)
    return say("expects a chunk of whole tiles on each of {0} devices, "
               "multiples of {1} queries, but got {2}",
               ranks, ranks * kTileRows, traits.queries);
  if (traits.cacheBlock != rows)
    return say("expects a cache in blocks of the {0} queries that a device "
               "has, but got blocks of {1}",
               rows, traits.cacheBlock);
  if (traits.keys % traits.queries != 0 || traits.keys == traits.queries)
    return say("expects a cache of several chunks of {0} rows, but got {1}",
               traits.queries, traits.keys);
  if (*traits.chunkStart % traits.queries != 0)
    return say("expects a chunk that starts behind whole chunks of {0} rows, "
               "but got {1}",
               traits.queries, *traits.chunkStart);
  int64_t end = *traits.chunkStart + traits.queries;
  if (end > traits.realKeys.value_or(traits.keys))
    return say("expects a chunk within the {0} rows of its cache, but it ends "
               "at {1}",
               traits.realKeys.value_or(traits.keys), end);
  if (plan.getCompute() && plan.getCompute().getFp32Accumulation())
    return say("expects fp32-accumulation off for a chunk over a cache, but "
               "got it on");
  if (plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout of a chunk over a cache, but got "
               "{0}",
               stringifyLayoutKind(plan.getLayout()));
  return std::nullopt;
}

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
  if (isChunkOverCache(traits))
    if (Refusal refusal = refuseChunk(traits, plan))
      return refusal;
  return refuseFusedRing(traits, plan);
}

} // namespace mlir::ring
