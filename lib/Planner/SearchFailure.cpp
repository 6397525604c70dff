// SPDX-License-Identifier: Apache-2.0
// Says what stood in the way of every plan. The answer has to come at once,
// also for meshes whose programs would take minutes to write.

#include "SearchFailure.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Strategies/Strategies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <set>

namespace mlir::ring {
namespace {

/// Ranks that are tried to say from where on an attention fits.
constexpr int64_t kMostRanks = 1 << 12;
/// Of them, those whose program is written to be sure: it grows with the ranks.
constexpr int64_t kMostWritten = 1 << 8;

class Failure {
public:
  Failure(const AttentionTraits &traits, const PlanPlace &place,
          const PlanRequest &request, std::optional<int64_t> limit,
          PlanSearchResult &result)
      : traits(traits), place(place), form(formOf(request, place)),
        strategyAsked(request.strategy.has_value()), limit(limit),
        result(result),
        outer(place.outer ? place.axis.getMesh()[*place.outer] : 1) {}

  void explain();

private:
  std::string ruleOf(const PlanCandidate &candidate) const;
  std::string whatWouldFit();
  /// The plan on a mesh with `size` ranks of the sequence.
  PlanAttr withRanks(PlanAttr plan, int64_t size) const;
  /// What a device holds of it; nothing if a rule forbids it.
  std::optional<double> bytesWithRanks(PlanAttr plan, int64_t size);
  /// The ranks from which on a candidate fits that does not now.
  std::optional<int64_t> ranksThatFit(const PlanCandidate &candidate);
  /// Only asked for where it was short.
  double memory() const { return static_cast<double>(*limit); }

  const AttentionTraits &traits;
  const PlanPlace &place;
  ProgramForm form;
  bool strategyAsked;
  std::optional<int64_t> limit;
  PlanSearchResult &result;
  int64_t outer; ///< ranks of a second axis of the sequence
};

/// Nothing can be used. The limit of the machine that is nearest to being kept
/// says most; without one, the first rule that stands in the way.
void Failure::explain() {
  const PlanCandidate *leastMemory = nullptr;
  const PlanCandidate *tooLarge = nullptr;
  for (const PlanCandidate &candidate : result.rejected) {
    if (candidate.cost.deviceBytes > 0) {
      if (!leastMemory ||
          candidate.cost.deviceBytes < leastMemory->cost.deviceBytes)
        leastMemory = &candidate;
    } else if (StringRef(candidate.rejected).contains("of L1") && !tooLarge) {
      tooLarge = &candidate;
    }
  }
  if (!leastMemory) {
    // The device ops have more rules than others; an explicit form says more.
    const PlanCandidate *written = nullptr;
    for (const PlanCandidate &candidate : result.rejected)
      if (!written && candidate.plan.getForm() == Form::Explicit)
        written = &candidate;
    result.error = ruleOf(tooLarge  ? *tooLarge
                          : written ? *written
                                    : result.rejected.front());
    return;
  }
  result.lacksMemory = true;
  result.error = "cannot use any strategy: " + nameOfStrategy(*leastMemory) +
                 " needs least, but " + leastMemory->rejected + whatWouldFit();
}

/// The rule that refuses one candidate. Who asked for no strategy is told if it
/// refuses them all, and else that there are others.
std::string Failure::ruleOf(const PlanCandidate &candidate) const {
  bool all = llvm::all_of(result.rejected, [&](const PlanCandidate &other) {
    return other.rejected == candidate.rejected;
  });
  std::set<std::string> tried;
  for (const PlanCandidate &other : result.rejected)
    tried.insert(nameOfStrategy(other));
  bool others = !strategyAsked && tried.size() > 1;
  if (all && others)
    return "cannot use any strategy: " + candidate.rejected;
  std::string text = "cannot use strategy " +
                     stringifyStrategy(candidate.plan.getStrategy()).str();
  if (candidate.plan.getForm() == Form::Fused)
    text += " (fused)";
  if (others)
    text += ", one of " + std::to_string(tried.size()) + " that were tried";
  return text + ": " + candidate.rejected;
}

/// The same over more and more devices, as long as rows are left: of every
/// strategy the plan that needs least.
std::string Failure::whatWouldFit() {
  std::vector<const PlanCandidate *> least;
  for (const PlanCandidate &candidate : result.rejected) {
    if (candidate.cost.deviceBytes <= 0)
      continue;
    auto other = llvm::find_if(least, [&](const PlanCandidate *one) {
      return nameOfStrategy(*one) == nameOfStrategy(candidate);
    });
    if (other == least.end())
      least.push_back(&candidate);
    else if (candidate.cost.deviceBytes < (*other)->cost.deviceBytes)
      *other = &candidate;
  }
  std::optional<int64_t> fewest;
  for (const PlanCandidate *candidate : least)
    if (auto size = ranksThatFit(*candidate))
      fewest = std::min(*size, fewest.value_or(*size));
  if (!fewest)
    return "";
  return llvm::formatv(
      "; fits from {0}{1} devices on", *fewest > kMostWritten ? "about " : "",
      withRanks(least.front()->plan, *fewest).getAxis().getNumDevices());
}

PlanAttr Failure::withRanks(PlanAttr plan, int64_t size) const {
  SmallVector<int64_t> mesh(place.axis.getMesh());
  mesh[place.axis.getIndex()] = size;
  return PlanAttr::get(
      plan.getContext(), plan.getStrategy(),
      AxisAttr::get(plan.getContext(), place.axis.getIndex(), mesh),
      plan.getHeadsAxis(), plan.getLayout(), plan.getDirections(),
      plan.getForm(), plan.getTopology(), plan.getHeadRanks(),
      plan.getInnerRanks(), plan.getOuter(), plan.getNumLinks(),
      plan.getCompute(), plan.getBalanced(), plan.getMerge());
}

std::optional<double> Failure::bytesWithRanks(PlanAttr plan, int64_t size) {
  PlanAttr other = withRanks(plan, size);
  if (refusalOf(traits, other))
    return std::nullopt;
  result.work += size * outer;
  return deviceBytesOf(traits, other, form);
}

/// What a device holds is a + b / ranks: what all have, and shards. Two sizes
/// of the ring tell both. The second one is small where it can be, since
/// programs of thousands of ranks take minutes to write; only those that are
/// not are written to be sure. Example, keys gathered on 32 ranks: 40 GB, and
/// 48 on 16, so a = 32 and b = 256, and nothing below 34 GB would do.
std::optional<int64_t> Failure::ranksThatFit(const PlanCandidate &candidate) {
  PlanAttr plan = candidate.plan;
  int64_t inner = place.axis.getRanks();
  bool halves = inner >= 8 && inner % 2 == 0 && !plan.getHeadRanks() &&
                !plan.getInnerRanks();
  int64_t second = halves ? inner / 2 : 2 * inner;
  std::optional<double> bytes = bytesWithRanks(plan, second);
  if (!bytes)
    return std::nullopt;
  double one = 1 / static_cast<double>(inner);
  double other = 1 / static_cast<double>(second);
  double shards = (candidate.cost.deviceBytes - *bytes) / (one - other);
  double fixed = candidate.cost.deviceBytes - shards * one;
  for (int64_t size = 2 * inner;
       size * outer <= std::min(kMostRanks, traits.keys / kTileRows);
       size *= 2) {
    if (fixed + shards / static_cast<double>(size) > memory() ||
        refusalOf(traits, withRanks(plan, size)))
      continue;
    if (size > kMostWritten)
      return size;
    if (auto sure = bytesWithRanks(plan, size); sure && *sure <= memory())
      return size;
  }
  return std::nullopt;
}

} // namespace

void explainFailure(const AttentionTraits &traits, const PlanPlace &place,
                    const PlanRequest &request, std::optional<int64_t> limit,
                    PlanSearchResult &result) {
  Failure(traits, place, request, limit, result).explain();
}

} // namespace mlir::ring
