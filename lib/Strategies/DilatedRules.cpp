// SPDX-License-Identifier: Apache-2.0
// Which plans can compute a dilated pattern.

#include "Rules.h"
#include "ring/Analysis/DilatedGroups.h"

namespace mlir::ring {

/// Rows that lie differently on every device are listed: each residue of each
/// segment on each device.
static Refusal refuseLongLists(const AttentionTraits &traits, PlanAttr plan) {
  constexpr int64_t kMostEntries = int64_t(1) << 22;
  int64_t devices = plan.getAxis().getNumDevices();
  int64_t ranks = plan.getAxis().getRanks();
  // Another order of keys lists every row.
  if (traits.dilation.getOrder() != KeyOrder::Identity &&
      traits.keys > kMostEntries / std::max<int64_t>(devices / ranks, 1))
    return say("expects at most {0} entries in the lists of keys in {1} order, "
               "but got {2} keys for each of {3} rings",
               kMostEntries, stringifyKeyOrder(traits.dilation.getOrder()),
               traits.keys, devices / ranks);
  for (int64_t i = 0, e = traits.dilation.getSegments().size(); i < e; ++i) {
    auto pair = pairOf(traits.dilation, i, traits.queries);
    if (!pair || placeEvenly(traits, plan, *pair))
      continue;
    bool all = traits.dilation.getPhase() == DilationPhase::AllResidues;
    int64_t residues = all ? std::min(pair->rate, pair->span) : 1;
    // A segment is listed by the ranks that have some of it, once for each
    // ring.
    int64_t lists = pair->count * (devices / ranks) + devices;
    if (lists > kMostEntries / residues)
      return say("expects at most {0} entries in the lists of rows that differ "
                 "by device, but got {1} residues of {2} segments",
                 kMostEntries, residues, pair->count);
  }
  return std::nullopt;
}

/// Groups of heads travel each for itself, among the ranks that share their
/// segments.
Refusal refuseDilated(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getForm() == Form::Fused)
    return say("expects the explicit form for a dilated pattern: no device op "
               "has one");
  if (plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout for a dilated pattern, but got {0}",
               stringifyLayoutKind(plan.getLayout()));
  if (Refusal refusal = refuseLongLists(traits, plan))
    return refusal;
  if (plan.getStrategy() != Strategy::Ulysses)
    return std::nullopt;
  int64_t shards = headShards(plan);
  for (const DilatedGroup &group :
       groupsOf(traits.dilation, traits.queries, traits.heads / shards,
                localKvHeads(traits, plan), /*firstHead=*/0, traits.heads)) {
    auto placement = placeEvenly(traits, plan, group.pair);
    if (!placement)
      return say("expects segments and heads that lie alike on every device, "
                 "but pair {0} does not",
                 group.number);
    if (placement->ranks > 1 &&
        !tradeTraffic(group, /*rows=*/1, placement->ranks, traits))
      return say("expects {0} ranks to divide the {1} heads of pair {2}, and "
                 "its {3} key heads or to be divided by them",
                 placement->ranks, group.queries.size(), group.number,
                 group.keys.size());
  }
  return std::nullopt;
}

} // namespace mlir::ring
