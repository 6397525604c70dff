// SPDX-License-Identifier: Apache-2.0
// The planner is asked again, about the attention as it is and about the same
// one with other numbers of ranks and tokens.

#include "ring/Tooling/ReportedPlans.h"
#include "ring/Machine/ChipModel.h"
#include "ring/Planner/PlanAdvice.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Tooling/Sweep.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

/// Lines in the table of strategies, usable ones and others.
static constexpr size_t kMostCandidates = 12, kMostRejected = 10;
/// Lines in a figure of scaling.
static constexpr size_t kMostSeries = 4;

/// The example's place in another mesh; its heads stay where they are.
static PlanPlace placeIn(const PlannedExample &example,
                         ArrayRef<int64_t> mesh) {
  PlanPlace place = example.place;
  place.axis =
      AxisAttr::get(place.axis.getContext(), place.axis.getIndex(), mesh);
  place.headsAxis = example.plan().getHeadsAxis();
  place.headsFree = false;
  return place;
}

/// Whether two plans distribute alike, whatever chunks they have.
static bool sameWay(PlanAttr a, PlanAttr b) {
  return a.getStrategy() == b.getStrategy() && a.getLayout() == b.getLayout() &&
         a.getDirections() == b.getDirections() && a.getForm() == b.getForm() &&
         a.getHeadRanks() == b.getHeadRanks() &&
         a.getHeadsAxis() == b.getHeadsAxis() &&
         a.getInnerRanks() == b.getInnerRanks() &&
         a.getBalanced() == b.getBalanced() && a.getMerge() == b.getMerge();
}

std::string describe(const AttentionTraits &traits) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << traits.heads << " heads";
  if (traits.kvHeads != traits.heads)
    out << " (" << traits.kvHeads << " of keys)";
  out << ", ";
  if (traits.queries != traits.keys)
    out << traits.queries << " queries and ";
  out << traits.keys << (traits.queries == traits.keys ? " tokens" : " keys")
      << ", dim " << traits.dim << ", " << traits.elementType;
  return text;
}

/// What was asked for, so that there was no choice; empty if there was.
static std::string askedFor(const PlanRequest &request) {
  if (request.strategy || request.deviceOp)
    return "the strategy was asked for";
  if (request.layout || request.balanced)
    return "the layout was asked for";
  if (request.directions)
    return "the directions were asked for";
  if (request.headRanks || request.innerRanks)
    return "the ranks were asked for";
  // A pipeline asks for it where its target has no other.
  if (request.form && request.program.ops != ProgramOps::Ring)
    return "the form was asked for";
  return "";
}

/// Why number `place` of all that can be used was taken.
static std::string reasonFor(const PlannedExample &example,
                             const PlanSearchResult &all, size_t place) {
  const PlanCandidate &chosen = all.ranked[place];
  auto compare = [&](const PlanCandidate &other) {
    std::string times =
        llvm::formatv("{0:F2}", other.cost.seconds / chosen.cost.seconds);
    return nameOfStrategy(other) + " takes " +
           (times == "1.00" ? "as long" : times + " times as long");
  };
  std::string asked = askedFor(example.request);
  if (place != 0)
    return (asked.empty() ? "the fastest that fits, with what is around it"
                          : asked) +
           "; " + compare(all.ranked.front());
  auto next = llvm::find_if(all.ranked, [&](const PlanCandidate &other) {
    return nameOfStrategy(other) != nameOfStrategy(chosen);
  });
  return asked + (asked.empty() ? "" : "; ") + "the fastest by prediction" +
         (next == all.ranked.end() ? "" : ", " + compare(*next));
}

static void addStrategies(const PlannedExample &example,
                          const PlanChoice &choice,
                          const PlannerMachine &machine, rt::Report &report) {
  const PlanSearchResult &result = choice.all;
  report.strategiesNote =
      "Candidates for the attention of " + describe(example.traits) +
      (example.others > 0
           ? ", the largest of " + std::to_string(example.others + 1) +
                 " in the program"
           : "") +
      ", by itself; predicted on " + machine.spec.name +
      (result.best()
           ? ", the best " + machine::formatError(result.best()->cost.error)
           : "") +
      ".";
  for (auto [place, candidate] : llvm::enumerate(result.ranked)) {
    bool chosen = place == choice.chosen;
    if (report.strategies.size() >= kMostCandidates && !chosen)
      continue;
    const PlanCost &cost = candidate.cost;
    report.strategies.push_back({describe(candidate), cost.seconds,
                                 cost.utilisation, cost.exposedSeconds,
                                 static_cast<int64_t>(cost.deviceBytes), chosen,
                                 "", chosen ? choice.reason : ""});
  }
  // A strategy that can be used in another way is no strategy that cannot be.
  llvm::StringSet<> usable, said;
  for (const PlanCandidate &candidate : result.ranked)
    usable.insert(nameOfStrategy(candidate));
  for (const PlanCandidate &candidate : result.rejected) {
    std::string name = nameOfStrategy(candidate);
    if (usable.contains(name) || said.size() >= kMostRejected ||
        !said.insert(name + ": " + candidate.rejected).second)
      continue;
    rt::ReportStrategy strategy;
    strategy.name = name;
    strategy.rejection = candidate.rejected;
    report.strategies.push_back(strategy);
  }
}

/// The same chips and links in another mesh: a part of the machine, or a larger
/// one that is wired like it.
static PlannerMachine onChipsOf(const PlannerMachine &machine,
                                const std::vector<int64_t> &mesh) {
  PlannerMachine other = onMesh(machine, mesh);
  if (!other.error.empty()) {
    other.spec.mesh = mesh;
    other.spec.topology.clear();
    for (const machine::Axis &axis : machine.axes)
      other.spec.topology.push_back(axis.topology);
    other.spec.hosts.assign(mesh.size(), 1);
    other.spec.hostTopology.assign(mesh.size(), machine::Topology::Line);
  }
  return onMesh(std::move(other), mesh);
}

namespace {

/// Time over something, for the strategies that are best where the run is.
class Scaling {
public:
  Scaling(const PlanSearchResult &here, rt::ReportScaling figure)
      : figure(std::move(figure)) {
    for (const PlanCandidate &candidate : here.ranked) {
      std::string name = nameOfStrategy(candidate);
      if (this->figure.series.size() < kMostSeries &&
          !llvm::any_of(this->figure.series, [&](const auto &series) {
            return series.name == name;
          }))
        this->figure.series.push_back({name, {}, false});
    }
  }

  /// Adds the best plan of each strategy at `x`.
  void add(double x, const PlanSearchResult &result) {
    for (rt::ReportSeries &series : figure.series)
      for (const PlanCandidate &candidate : result.ranked)
        if (nameOfStrategy(candidate) == series.name) {
          series.points.push_back({x, candidate.cost.seconds});
          break;
        }
  }

  /// A line that halves with every doubling, from the first point of the best.
  void addIdeal() {
    rt::ReportSeries ideal{"ideal", {}, true};
    if (!figure.series.empty() && !figure.series[0].points.empty()) {
      auto [first, seconds] = figure.series[0].points[0];
      for (auto [x, time] : figure.series[0].points)
        ideal.points.push_back({x, seconds * first / x});
    }
    figure.series.push_back(ideal);
  }

  const rt::ReportScaling &get() const { return figure; }

private:
  rt::ReportScaling figure;
};

} // namespace

/// Any plan that the run can have: its target, its settings and the memory that
/// it may take stay, the way to distribute is open.
static PlanRequest openRequest(const PlannedExample &example) {
  PlanRequest request = example.request;
  request.strategy = std::nullopt;
  request.layout = std::nullopt;
  request.balanced = std::nullopt;
  request.directions = std::nullopt;
  request.merge = std::nullopt;
  request.headRanks = request.innerRanks = std::nullopt;
  request.deviceOp = std::nullopt;
  // A schedule has no ops to fuse into, unless somebody asked for one.
  request.form = std::nullopt;
  if (request.program.ops == ProgramOps::Ring &&
      example.plan().getForm() == Form::Explicit)
    request.form = Form::Explicit;
  return request;
}

static void addScaling(const PlannedExample &example,
                       const PlanSearchResult &here,
                       const PlannerMachine &machine, rt::Report &report) {
  const AttentionTraits &traits = example.traits;
  if (!fixedLengthOf(traits).empty())
    return;
  int64_t ranks = example.plan().getAxis().getRanks();
  size_t index = example.plan().getAxis().getIndex();
  std::string tokens = std::to_string(traits.keys) + " tokens";
  std::string devices = std::to_string(ranks) + " ranks";

  Scaling overRanks(
      here,
      {"Time over ranks of the sequence", "ranks", tokens, double(ranks), {}});
  for (int64_t count : doublings(ranks)) {
    std::vector<int64_t> mesh = machine.mesh;
    mesh[index] = count;
    PlannerMachine other = onChipsOf(machine, mesh);
    if (other.error.empty())
      overRanks.add(double(count), searchPlans(traits, placeIn(example, mesh),
                                               openRequest(example), other));
  }
  overRanks.addIdeal();

  Scaling overTokens(
      here, {"Time over tokens", "tokens", devices, double(traits.keys), {}});
  for (int64_t count : doublings(traits.keys))
    overTokens.add(double(count), searchPlans(withTokens(traits, count),
                                              placeIn(example, machine.mesh),
                                              openRequest(example), machine));
  report.scaling = {overRanks.get(), overTokens.get()};
  report.scalingNote = "The same attention with other numbers of ranks and "
                       "tokens, the best plan of each strategy, on chips and "
                       "links of " +
                       machine.spec.name + "; predicted.";
}

PlanChoice choiceOf(const PlannedExample &example) {
  PlanChoice choice;
  choice.all = searchPlans(example.traits, example.place, openRequest(example),
                           example.machine);
  std::vector<PlanCandidate> &ranked = choice.all.ranked;
  const PlanCandidate &taken = *example.result.best();
  auto found = llvm::find_if(ranked, [&](const PlanCandidate &candidate) {
    return sameWay(candidate.plan, taken.plan);
  });
  // What was asked for, or suits its neighbours, may be none that a search
  // tries by itself.
  if (found == ranked.end())
    found = ranked.insert(llvm::find_if(ranked,
                                        [&](const PlanCandidate &candidate) {
                                          return candidate.cost.seconds >
                                                 taken.cost.seconds;
                                        }),
                          taken);
  choice.chosen = found - ranked.begin();
  choice.reason = reasonFor(example, choice.all, choice.chosen);
  return choice;
}

void addReportedPlans(const PlannedExample &example, rt::Report &report) {
  const PlannerMachine &machine = example.machine;
  PlanChoice choice = choiceOf(example);
  addStrategies(example, choice, machine, report);
  if (example.plan().getAxis().getRanks() > 1)
    addScaling(example, choice.all, machine, report);
  PlanAdvice advice = adviseOn(example);
  // A page that is predicted as a whole has said so, and where.
  bool measured = report.prediction.empty();
  const std::string &name = machine.spec.name;
  if (!advice.bound.empty())
    report.advice.push_back(
        (measured ? "Predicted on " + name + ": the attention is "
                  : "The attention is ") +
        advice.bound);
  for (const std::string &change : advice.changes)
    report.advice.push_back((measured
                                 ? "To be faster on " + name + ", predicted: "
                                 : "To be faster: ") +
                            change);
}

} // namespace mlir::ring
