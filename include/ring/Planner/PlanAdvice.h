// SPDX-License-Identifier: Apache-2.0
// What to do about the time of a plan: what bounds it, and what would change
// it. Nothing is a rule of thumb: each sentence has the number of another
// search, on a machine or for an attention that differs in one thing.

#ifndef RING_PLANNER_PLANADVICE_H
#define RING_PLANNER_PLANADVICE_H

#include "ring/Planner/AttentionPlanner.h"

namespace mlir::ring {

/// Sentences on the best plan of an attention.
struct PlanAdvice {
  /// What its time goes into: "bound by the products: ...". Empty if there is
  /// no plan.
  std::string bound;
  /// What would make it faster, the most first, each with the predicted gain;
  /// one that says so where nothing would.
  std::vector<std::string> changes;
};

PlanAdvice adviseOn(const PlannedAttention &planned);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANADVICE_H
