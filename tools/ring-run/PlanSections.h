// SPDX-License-Identifier: Apache-2.0
// What the planner knows of a run, for its report: the strategies that were
// compared, and how the best of them scale.

#ifndef RING_TOOLS_RING_RUN_PLANSECTIONS_H
#define RING_TOOLS_RING_RUN_PLANSECTIONS_H

#include "mlir/Pass/PassInstrumentation.h"
#include "ring-runtime/Report.h"
#include "ring/Planner/PlanSearch.h"

#include <optional>

namespace mlir::ring {

/// The attention of a module with the most pairs, and how it was planned.
struct PlannedExample {
  AttentionTraits traits;
  PlanAttr plan;
  size_t others = 0; ///< attentions that it stands for
};

/// Remembers what ring-plan leaves.
class PlanWatcher : public PassInstrumentation {
public:
  explicit PlanWatcher(std::optional<PlannedExample> &found) : found(found) {}

  void runAfterPass(Pass *pass, Operation *op) override;

private:
  std::optional<PlannedExample> &found;
};

/// The machine that plans are made for: the one that is named, or the one that
/// has the plan's mesh. Its `error` says why there is none.
PlannerMachine machineOf(const PlannedExample &example, StringRef machine);

/// All plans of the attention on that machine that `request` leaves open.
PlanSearchResult plansOf(const PlannedExample &example,
                         const PlanRequest &request,
                         const PlannerMachine &machine);

/// Adds the strategies and their scaling, predicted for `machine`, or for the
/// machine that has the plan's mesh if there is no name.
void addPlanSections(const PlannedExample &example, StringRef machine,
                     ::ring::rt::Report &report);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_PLANSECTIONS_H
