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

/// What the planner has to choose from for an attention, also what was not
/// asked for.
PlanSearchResult allPlansOf(const PlannedExample &example);

/// Whether two plans distribute alike, whatever chunks they have.
bool sameWay(PlanAttr a, PlanAttr b);

/// Adds the strategies and their scaling, predicted for the machine that was
/// planned for.
void addReportedPlans(const PlannedExample &example,
                      ::ring::rt::Report &report);

} // namespace mlir::ring

#endif // RING_TOOLING_REPORTEDPLANS_H
