// SPDX-License-Identifier: Apache-2.0
// Which plans can honour which attentions. Every feature that a strategy does
// not carry out is refused, by name; nothing is ever ignored further down.

#include "Rules.h"

#include <limits>

namespace mlir::ring {

int64_t headShards(PlanAttr plan) {
  return plan.getHeadsAxis() ? plan.getAxis().getMesh()[*plan.getHeadsAxis()]
                             : 1;
}

int64_t localKvHeads(const AttentionTraits &traits, PlanAttr plan) {
  return std::max<int64_t>(traits.kvHeads / headShards(plan), 1);
}

Refusal refuseDealtLayouts(PlanAttr plan) {
  if (plan.getLayout() == LayoutKind::Contiguous)
    return std::nullopt;
  return say("expects a contiguous layout, but got {0}",
             stringifyLayoutKind(plan.getLayout()));
}

Refusal refuseFeature(PlanAttr plan, bool StrategyInfo::*feature,
                      StringRef what) {
  if (infoOf(plan.getStrategy()).*feature)
    return std::nullopt;
  SmallVector<StringRef> names;
  for (const StrategyInfo &info : allStrategies())
    if (info.*feature)
      names.push_back(stringifyStrategy(info.strategy));
  StringRef last = names.pop_back_val();
  return say("expects {0:$[, ]} or {1} for {2}, but got {3}",
             llvm::make_range(names.begin(), names.end()), last, what,
             stringifyStrategy(plan.getStrategy()));
}

namespace {

Refusal refuseHeads(const AttentionTraits &traits, PlanAttr plan) {
  int64_t shards = headShards(plan);
  if (traits.heads % shards != 0)
    return say("expects {0} devices to divide the {1} heads", shards,
               traits.heads);
  if (traits.kvHeads % shards != 0 && shards % traits.kvHeads != 0)
    return say("expects {0} devices to divide the {1} key heads, or to be "
               "divided by them",
               shards, traits.kvHeads);
  return std::nullopt;
}

/// Queries somewhere in a cache, which may be paged, and dealt out.
Refusal refuseCache(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.start)
    return std::nullopt;
  if (auto refusal = refuseFeature(plan, &StrategyInfo::takesStart,
                                   traits.pages ? "a paged cache"
                                                : "new queries over a cache"))
    return refusal;
  if (traits.cacheBlock && plan.getRanks() > 1)
    if (auto refusal = refuseFeature(plan, &StrategyInfo::takesDealtCache,
                                     "a cache that is dealt out"))
      return refusal;
  if (traits.cacheBlock && traits.pageBlocks % plan.getRanks() != 0)
    return say("expects {0} devices to divide the {1} blocks of a cache that "
               "is dealt out",
               plan.getRanks(), traits.pageBlocks);
  if (traits.mask)
    return say("expects no mask beside a cache");
  if (traits.chunkStart && *traits.chunkStart < 0)
    return say("expects a chunk to start at 0 or later, but got {0}",
               *traits.chunkStart);
  return std::nullopt;
}

/// Positions of documents travel with their keys.
Refusal refuseLateDocuments(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.lateDocuments)
    return std::nullopt;
  // Positions of documents are 32 bits wide.
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (traits.keys >= kMost / (traits.lateDocuments + 1))
    return say(
        "expects at most {0} rows in all documents, each counted as long "
        "as the sequence, but got {1} times {2}",
        kMost, traits.lateDocuments, traits.keys);
  return refuseFeature(plan, &StrategyInfo::takesLateDocuments,
                       "documents whose ends the running program knows");
}

/// The sums of keys' gradients travel one hop behind their keys, so that they
/// go one way.
Refusal refuseBothWays(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.backward || !infoOf(plan.getStrategy()).goesRound ||
      plan.getDirections() != Directions::Both)
    return std::nullopt;
  return say("expects gradients to travel forward, one hop behind their keys, "
             "but got both directions");
}

/// Gradients have fewer forms than attentions.
Refusal refuseBackward(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.backward)
    return std::nullopt;
  bool fetches = traits.documents && plan.getStrategy() == Strategy::Halo;
  if (!fetches)
    if (auto refusal =
            refuseFeature(plan, &StrategyInfo::hasGradients, "gradients"))
      return refusal;
  if (auto refusal = refuseBothWays(traits, plan))
    return refusal;
  if (plan.getForm() == Form::Fused)
    return say("expects the explicit form for gradients: no device op fuses "
               "them with transfers");
  return std::nullopt;
}

} // namespace

Refusal refusalOf(const AttentionTraits &traits, PlanAttr plan) {
  const StrategyInfo &info = infoOf(plan.getStrategy());
  for (auto *refuse : {refuseHeads, refuseBalanced, refuseDocuments})
    if (auto refusal = refuse(traits, plan))
      return refusal;
  if (traits.dilation) {
    if (auto refusal = refuseFeature(plan, &StrategyInfo::takesDilation,
                                     "a dilated pattern"))
      return refusal;
    if (auto refusal = refuseDilated(traits, plan))
      return refusal;
    return refuseBothWays(traits, plan);
  }
  for (auto *refuse : {refuseBackward, refuseCache, refuseLateDocuments})
    if (auto refusal = refuse(traits, plan))
      return refusal;
  if (traits.jointSharded && plan.getRanks() > 1)
    if (auto refusal = refuseFeature(plan, &StrategyInfo::takesJointShares,
                                     "sharded joint tokens"))
      return refusal;
  if (info.refuse)
    if (auto refusal = info.refuse(traits, plan))
      return refusal;
  if (traits.mask && info.balancesByLayout &&
      plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout beside a mask");
  return plan.getForm() == Form::Fused ? refuseFused(traits, plan)
                                       : std::nullopt;
}

} // namespace mlir::ring
