// SPDX-License-Identifier: Apache-2.0
// What a search has found, in words.

#include "ring/Planner/PlanReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace mlir::ring {
namespace {

/// How many other strategies the one line names.
constexpr size_t kRunnersUp = 3;

std::string percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.0f %%", 100 * share);
  return text;
}

/// "in a tree".
std::string inWords(PartMerge merge) {
  switch (merge) {
  case PartMerge::Tree:
    return "in a tree";
  case PartMerge::Round:
    return "round the ring";
  case PartMerge::Gather:
    return "from a gather";
  case PartMerge::Reduce:
    return "by a reduce";
  }
  llvm_unreachable("expects a known merge");
}

} // namespace

std::string describe(const PlanCandidate &candidate) {
  PlanAttr plan = candidate.plan;
  std::string text;
  if (plan.getLayout() != LayoutKind::Contiguous)
    text += stringifyLayoutKind(plan.getLayout()).str() + " ";
  if (plan.getBalanced())
    text += "balanced ";
  text += nameOfStrategy(candidate);
  if (plan.getHeadRanks())
    text += " of " + std::to_string(*plan.getHeadRanks()) + " x " +
            std::to_string(plan.getAxis().getRanks() / *plan.getHeadRanks());
  if (plan.getStrategy() == Strategy::DoubleRing)
    text += " of " + std::to_string(plan.getInnerRing().getRanks()) + " x " +
            std::to_string(plan.getOuterRing().getRanks());
  if (plan.getForm() == Form::Explicit &&
      plan.getDirections() == Directions::Both)
    text += ", both directions";
  if (plan.getMerge())
    text += ", merged " + inWords(*plan.getMerge());
  if (candidate.headsChosen)
    text += ", heads on axis " + std::to_string(*plan.getHeadsAxis());
  const KernelChoice &kernel = candidate.cost.kernel;
  if (kernel.alternates)
    text += ", in order";
  if (kernel.queryChunk > 0 && kernel.keyChunk > 0)
    text += ", q" + std::to_string(kernel.queryChunk) + " k" +
            std::to_string(kernel.keyChunk);
  return text;
}

std::string summarise(const PlanSearchResult &result,
                      const PlannerMachine &machine) {
  const PlanCandidate &best = *result.best();
  std::string text =
      describe(best) + ": " + machine::formatPrediction(best.cost.predicted());
  std::set<std::string> named{nameOfStrategy(best)};
  std::string others;
  for (const PlanCandidate &candidate : result.ranked) {
    if (named.size() > kRunnersUp)
      break;
    std::string name = nameOfStrategy(candidate);
    if (named.insert(name).second)
      others += (others.empty() ? "" : ", ") + name + " " +
                formatSeconds(candidate.cost.seconds);
  }
  if (!others.empty())
    text += " (" + others + ")";
  return text + " on " + machine.describe();
}

void printTable(llvm::raw_ostream &out, const PlanSearchResult &result,
                const PlannerMachine &machine) {
  size_t width = 9;
  for (const PlanCandidate &candidate : result.ranked)
    width = std::max(width, describe(candidate).size());
  auto row = [&](StringRef name, StringRef time, StringRef used, StringRef bare,
                 StringRef held, StringRef error) {
    out << "  " << llvm::left_justify(name, width)
        << llvm::right_justify(time, 12) << llvm::right_justify(used, 8)
        << llvm::right_justify(bare, 12) << llvm::right_justify(held, 12)
        << llvm::right_justify(error, 13) << "\n";
  };
  if (!result.ranked.empty())
    row("candidate", "predicted", "used", "exposed", "a device", "error");
  bool anyOpen = false;
  for (const PlanCandidate &candidate : result.ranked) {
    const PlanCost &cost = candidate.cost;
    row(describe(candidate), formatSeconds(cost.seconds),
        percent(cost.utilisation), formatSeconds(cost.exposedSeconds),
        formatBytes(cost.deviceBytes),
        cost.error.covered ? machine::formatError(cost.error) : "not covered");
    anyOpen |= !cost.error.covered;
  }
  // Candidates that differ in directions or heads mostly fail alike.
  std::vector<std::pair<std::string, int64_t>> reasons;
  for (const PlanCandidate &candidate : result.rejected) {
    std::string line = nameOfStrategy(candidate) + ": " + candidate.rejected;
    auto said = llvm::find_if(
        reasons, [&](const auto &reason) { return reason.first == line; });
    if (said == reasons.end())
      reasons.push_back({line, 1});
    else
      ++said->second;
  }
  if (!reasons.empty())
    out << "  not possible:\n";
  for (const auto &[line, count] : reasons) {
    out << "    " << line;
    if (count > 1)
      out << " (" << count << " candidates)";
    out << "\n";
  }
  if (anyOpen)
    out << "  not covered: by any published figure\n";
}

} // namespace mlir::ring
