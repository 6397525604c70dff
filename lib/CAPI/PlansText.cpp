// SPDX-License-Identifier: Apache-2.0
// What was planned, as JSON. The planner is asked again without what was asked
// for, so that the table shows what else there would have been.

#include "PlansText.h"
#include "ring/Machine/ChipModel.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Tooling/ReportedPlans.h"
#include "llvm/Support/JSON.h"

namespace mlir::ring {

namespace json = llvm::json;

static json::Object toJson(const PlanCandidate &candidate, bool chosen) {
  json::Object row{{"name", describe(candidate)},
                   {"strategy", nameOfStrategy(candidate)},
                   {"chosen", chosen}};
  if (!candidate.rejected.empty()) {
    row["name"] = nameOfStrategy(candidate);
    row["rejection"] = candidate.rejected;
    return row;
  }
  const PlanCost &cost = candidate.cost;
  row["seconds"] = cost.seconds;
  row["utilisation"] = cost.utilisation;
  row["exposed_seconds"] = cost.exposedSeconds;
  row["sent_bytes"] = static_cast<int64_t>(cost.bytesSent);
  row["device_bytes"] = static_cast<int64_t>(cost.deviceBytes);
  row["error"] =
      cost.error.covered ? machine::formatError(cost.error) : "not covered";
  return row;
}

static json::Object toJson(const PlannedAttention &planned) {
  json::Array candidates, rejected;
  std::string note, reason;
  if (const PlanCandidate *best = planned.result.best()) {
    PlanChoice choice = choiceOf({planned});
    for (auto [place, candidate] : llvm::enumerate(choice.all.ranked))
      candidates.push_back(toJson(candidate, place == choice.chosen));
    for (const PlanCandidate &candidate : choice.all.rejected) {
      json::Value row = toJson(candidate, false);
      if (!llvm::is_contained(rejected, row))
        rejected.push_back(std::move(row));
    }
    note = "predicted, " + machine::formatError(best->cost.error);
    reason = choice.reason;
  }
  json::Array mesh;
  for (int64_t size : planned.machine.mesh)
    mesh.push_back(size);
  // A mesh that no machine has is planned for without a file.
  bool hasFile = bool(machine::loadMachine(planned.machine.spec.name));
  return json::Object{{"attention", describe(planned.traits)},
                      {"count", static_cast<int64_t>(planned.count)},
                      {"mesh", std::move(mesh)},
                      {"machine", planned.machine.spec.name},
                      {"has_file", hasFile},
                      {"note", note},
                      {"reason", reason},
                      {"candidates", std::move(candidates)},
                      {"rejected", std::move(rejected)}};
}

std::string plansText(ArrayRef<PlannedAttention> planned) {
  json::Array plans;
  for (const PlannedAttention &attention : planned)
    plans.push_back(toJson(attention));
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(plans));
  return text;
}

} // namespace mlir::ring
