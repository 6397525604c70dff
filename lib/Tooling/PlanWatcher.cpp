// SPDX-License-Identifier: Apache-2.0
// Runs of passes that plan, as their owner sees them.

#include "ring/Tooling/PlanWatcher.h"
#include "mlir/Pass/Pass.h"
#include "ring/Tooling/Sweep.h"

namespace mlir::ring {

void setUpPlanning(OpPassManager &passes, StringRef defaultMachine,
                   StringRef defaultMemory,
                   const std::optional<PlanRequest> &request) {
  for (Pass &pass : passes.getPasses())
    if (auto *planning = dynamic_cast<PlanningPass *>(&pass)) {
      planning->defaultMachine = defaultMachine.str();
      planning->defaultMemory = defaultMemory.str();
      planning->request = request;
    }
}

bool lackedMemory(OpPassManager &passes) {
  return llvm::any_of(passes.getPasses(), [](Pass &pass) {
    auto *planning = dynamic_cast<PlanningPass *>(&pass);
    return planning && planning->lacksMemory;
  });
}

void PlanWatcher::runAfterPass(Pass *pass, Operation *) {
  auto *planning = dynamic_cast<PlanningPass *>(pass);
  if (planning && !planning->planned.empty())
    found = planning->planned;
}

std::optional<PlannedExample> largestOf(ArrayRef<PlannedAttention> planned) {
  const auto *largest = llvm::max_element(
      planned, [&](const PlannedAttention &a, const PlannedAttention &b) {
        return pairsOf(a.traits) < pairsOf(b.traits);
      });
  if (largest == planned.end() || !largest->result.best())
    return std::nullopt;
  PlannedExample example{*largest};
  for (const PlannedAttention &one : planned)
    example.others += one.count;
  --example.others;
  return example;
}

} // namespace mlir::ring
