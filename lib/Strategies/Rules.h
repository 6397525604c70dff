// SPDX-License-Identifier: Apache-2.0
// The rules that single strategies and device ops have, and the words for them.

#ifndef RING_LIB_STRATEGIES_RULES_H
#define RING_LIB_STRATEGIES_RULES_H

#include "ring/Strategies/FusedForms.h"
#include "ring/Strategies/Strategies.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

template <typename... Args>
std::string say(const char *format, Args &&...args) {
  return llvm::formatv(format, std::forward<Args>(args)...).str();
}

/// The devices that share the heads.
int64_t headShards(PlanAttr plan);
/// Heads of keys that one device has, once they are split over their axis.
int64_t localKvHeads(const AttentionTraits &traits, PlanAttr plan);

/// Refuses every layout but the one that keeps the order of the tokens.
Refusal refuseDealtLayouts(PlanAttr plan);
/// Refuses strategies without a feature, by the names of those that have it:
/// "expects ring, all_gather or replicate for gradients, but got halo".
Refusal refuseFeature(PlanAttr plan, bool StrategyInfo::*feature,
                      StringRef what);

/// Each of these stands in the file of its strategy.
Refusal refuseUlysses(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseUsp(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseHalo(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseSplitKV(const AttentionTraits &traits, PlanAttr plan);
Refusal refusePassQ(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseDilated(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseDocuments(const AttentionTraits &traits, PlanAttr plan);
/// Refuses to deal queries anew where nothing is gained, or nobody can.
Refusal refuseBalanced(const AttentionTraits &traits, PlanAttr plan);
/// Refuses what the device ops cannot do: what all ask for, then each alone.
Refusal refuseFused(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseRingJoint(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseRingMla(const AttentionTraits &traits, PlanAttr plan);
/// What both ops that pass keys round ask of rows, layouts and cores.
Refusal refuseFusedRing(const AttentionTraits &traits, PlanAttr plan);
Refusal refuseRingDistributed(const AttentionTraits &traits, PlanAttr plan);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_RULES_H
