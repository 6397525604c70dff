// SPDX-License-Identifier: Apache-2.0
// Runs of passes that plan, as their owner sees them: what they are told, and
// what they find.

#ifndef RING_TOOLING_PLANWATCHER_H
#define RING_TOOLING_PLANWATCHER_H

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "ring/Planner/AttentionPlanner.h"

#include <optional>

namespace mlir::ring {

/// Tells passes that plan which machine to plan for and what a device may hold
/// where their options do not say, and what to ask for in place of what they
/// say.
void setUpPlanning(OpPassManager &passes, StringRef defaultMachine,
                   StringRef defaultMemory,
                   const std::optional<PlanRequest> &request = std::nullopt);

/// Whether one of these passes failed since a device has too little memory.
bool lackedMemory(OpPassManager &passes);

/// Remembers what passes find that plan, each different attention once, in
/// program order.
class PlanWatcher : public PassInstrumentation {
public:
  explicit PlanWatcher(std::vector<PlannedAttention> &found) : found(found) {}

  void runAfterPass(Pass *pass, Operation *op) override;

private:
  std::vector<PlannedAttention> &found;
};

/// The attention with the most pairs that was planned, and how many there are.
struct PlannedExample : PlannedAttention {
  size_t others = 0; ///< other attentions of the program

  PlanAttr plan() const { return result.best()->plan; }
};

/// Nothing if none was planned, or none could be.
std::optional<PlannedExample> largestOf(ArrayRef<PlannedAttention> planned);

} // namespace mlir::ring

#endif // RING_TOOLING_PLANWATCHER_H
