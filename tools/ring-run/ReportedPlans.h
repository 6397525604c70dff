// SPDX-License-Identifier: Apache-2.0
// What the planner knows of a run, for its report: the strategies that were
// compared, and how the best of them scale.

#ifndef RING_TOOLS_RING_RUN_REPORTEDPLANS_H
#define RING_TOOLS_RING_RUN_REPORTEDPLANS_H

#include "mlir/Pass/PassInstrumentation.h"
#include "ring-runtime/Report.h"
#include "ring/Planner/AttentionPlanner.h"

#include <optional>

namespace mlir::ring {

/// The attention with the most pairs that was planned, and how many there are.
struct PlannedExample : PlannedAttention {
  size_t others = 0; ///< other attentions of the program

  PlanAttr plan() const { return result.best()->plan; }
};

/// Remembers what ring-plan finds.
class PlanWatcher : public PassInstrumentation {
public:
  explicit PlanWatcher(std::optional<PlannedExample> &found) : found(found) {}

  void runAfterPass(Pass *pass, Operation *op) override;

private:
  std::optional<PlannedExample> &found;
};

/// Adds the strategies and their scaling, predicted for the machine that was
/// planned for.
void addReportedPlans(const PlannedExample &example,
                      ::ring::rt::Report &report);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_REPORTEDPLANS_H
