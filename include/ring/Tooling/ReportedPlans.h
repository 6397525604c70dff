// SPDX-License-Identifier: Apache-2.0
// What the planner knows of a run, for its report: the strategies that were
// compared, and how the best of them scale.

#ifndef RING_TOOLING_REPORTEDPLANS_H
#define RING_TOOLING_REPORTEDPLANS_H

#include "ring-runtime/Report.h"
#include "ring/Tooling/PlanWatcher.h"

namespace mlir::ring {

/// "40 heads, 75600 tokens, dim 128, bf16".
std::string describe(const AttentionTraits &traits);

/// What the planner has to choose from for an attention, and what it took.
struct PlanChoice {
  /// Also what was not asked for, as far as the program's target has it.
  PlanSearchResult all;
  size_t chosen = 0;  ///< number of the one that was taken, of `all.ranked`
  std::string reason; ///< why it was
};

PlanChoice choiceOf(const PlannedExample &example);

/// Adds the strategies and their scaling, predicted for the machine that was
/// planned for.
void addReportedPlans(const PlannedExample &example,
                      ::ring::rt::Report &report);

} // namespace mlir::ring

#endif // RING_TOOLING_REPORTEDPLANS_H
