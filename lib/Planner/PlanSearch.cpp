// SPDX-License-Identifier: Apache-2.0
// The search for the fastest plan. Enumerates what differs in structure (a few
// dozen candidates); each becomes a program, takes the chunks and cores that
// suit it best, and is played on the machine. The fastest is taken.

#include "ring/Planner/PlanSearch.h"
#include "ChipLimits.h"
#include "SearchFailure.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Strategies/Strategies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mlir::ring {
namespace {

/// Times that differ by less are the same to a model with a larger error.
constexpr double kTie = 0.005;

/// What candidates differ in before chunks and cores are chosen.
struct Structure {
  Strategy strategy;
  Form form;
  LayoutKind layout;
  Directions directions;
  std::optional<int64_t> headRanks;
  std::optional<int64_t> innerRanks;
  std::optional<int64_t> headsAxis;
  bool balanced;
  std::optional<PartMerge> merge;
};

class Search {
public:
  Search(const AttentionTraits &traits, const PlanPlace &place,
         const PlanRequest &request, const PlannerMachine &machine)
      : traits(traits), place(place), request(request), machine(machine),
        ranks(place.axis.getRanks() *
              (place.outer ? place.axis.getMesh()[*place.outer] : 1)) {}

  PlanSearchResult run();

private:
  std::vector<Structure> structures() const;
  std::vector<LayoutKind> layoutsFor(Strategy strategy, Form form) const;
  std::vector<bool> balancesFor(Strategy strategy) const;
  std::vector<Directions> directionsFor(Strategy strategy, Form form) const;
  std::vector<std::optional<int64_t>> tradesFor(Strategy strategy) const;
  std::vector<std::optional<int64_t>> innersFor(Strategy strategy) const;
  std::vector<std::optional<PartMerge>> mergesFor(Strategy strategy) const;
  std::vector<std::optional<int64_t>> headsAxes() const;
  /// Whether usp has both, ranks that trade and a ring; all others are as they
  /// are.
  bool isMixed(std::optional<int64_t> headRanks) const {
    return request.headRanks || !headRanks ||
           (*headRanks > 1 && *headRanks < ranks);
  }

  PlanAttr planOf(const Structure &structure, const KernelChoice &kernel) const;
  void consider(const Structure &structure);
  Refusal refuseOtherOp(std::optional<DeviceOp> op) const;
  void rank();

  const AttentionTraits &traits;
  const PlanPlace &place;
  const PlanRequest &request;
  const PlannerMachine &machine;
  int64_t ranks;

  std::vector<PlanCandidate> possible;
  PlanSearchResult result;
};

//===----------------------------------------------------------------------===//
// What there is to choose from
//===----------------------------------------------------------------------===//

/// The layout that suits best comes first: it wins ties, and where nothing can
/// be used its reason is the one that is given.
std::vector<LayoutKind> Search::layoutsFor(Strategy strategy, Form form) const {
  if (request.layout)
    return {*request.layout};
  bool triangle = traits.isCausal() && !traits.isWindow();
  bool deals = infoOf(strategy).balancesByLayout;
  if (form == Form::Fused && strategy == Strategy::AllGather)
    return {LayoutKind::Zigzag};
  if (traits.band.isUnbounded() || (!deals && strategy != Strategy::Ulysses))
    return {LayoutKind::Contiguous};
  if (triangle && deals)
    return {LayoutKind::Zigzag, LayoutKind::Contiguous, LayoutKind::Striped};
  return {LayoutKind::Contiguous, LayoutKind::Zigzag, LayoutKind::Striped};
}

/// Packed documents may lie so that work is even; then nothing is gained.
std::vector<bool> Search::balancesFor(Strategy strategy) const {
  if (request.balanced)
    return {*request.balanced};
  if (!traits.documents || !infoOf(strategy).takesBalance || ranks == 1)
    return {false};
  return {false, true};
}

/// On two ranks both directions are the same neighbour.
std::vector<Directions> Search::directionsFor(Strategy strategy,
                                              Form form) const {
  if (request.directions)
    return {*request.directions};
  if (!infoOf(strategy).goesRound)
    return {Directions::Forward};
  // The device op goes both ways by itself.
  if (form == Form::Fused)
    return {ranks > 2 ? Directions::Both : Directions::Forward};
  if (ranks <= 2 || traits.backward)
    return {Directions::Forward};
  // A shift along a line comes back through all of it, on the other direction
  // of the links.
  if (machine.axes[place.axis.getIndex()].topology == machine::Topology::Line)
    return {Directions::Forward, Directions::Both};
  return {Directions::Both, Directions::Forward};
}

std::vector<std::optional<int64_t>> Search::tradesFor(Strategy strategy) const {
  // The groups of a dilated pattern decide for themselves what they trade.
  if (strategy != Strategy::Usp || traits.dilation || place.outer)
    return {std::nullopt};
  if (request.headRanks)
    return {request.headRanks};
  std::vector<std::optional<int64_t>> trades;
  for (int64_t group = ranks; group >= 1; --group)
    if (ranks % group == 0 && (request.strategy || isMixed(group)))
      trades.push_back(group);
  return trades;
}

/// Of one axis: the devices of a host. Where there is one host, who asks for
/// two levels gets them about as large, the inner one no smaller: 4 of 8.
std::vector<std::optional<int64_t>> Search::innersFor(Strategy strategy) const {
  if (strategy != Strategy::DoubleRing || place.outer)
    return {std::nullopt};
  if (request.innerRanks)
    return {request.innerRanks};
  int64_t host = machine.axes[place.axis.getIndex()].perHost;
  if (host > 1 && host < ranks && ranks % host == 0)
    return {host};
  if (!request.strategy)
    return {};
  for (int64_t size = 1; size < ranks; ++size)
    if (ranks % size == 0 && size * size >= ranks)
      return {size};
  return {ranks};
}

/// A reduce sends every rank its share alone, a gather takes one transfer; a
/// tree takes few steps, but the last one goes half round the ring with
/// everything. Of equals, what sends least; on two ranks a tree is one step.
std::vector<std::optional<PartMerge>>
Search::mergesFor(Strategy strategy) const {
  if (strategy != Strategy::SplitKV || ranks == 1 || place.outer)
    return {std::nullopt};
  if (request.merge)
    return {request.merge};
  if (ranks == 2)
    return {PartMerge::Tree, PartMerge::Reduce, PartMerge::Gather};
  if (llvm::isPowerOf2_64(ranks))
    return {PartMerge::Reduce, PartMerge::Gather, PartMerge::Tree,
            PartMerge::Round};
  return {PartMerge::Reduce, PartMerge::Gather, PartMerge::Round};
}

std::vector<std::optional<int64_t>> Search::headsAxes() const {
  std::vector<std::optional<int64_t>> axes{place.headsAxis};
  // Who asks for one device of the sequence gets one device.
  if (!place.headsFree || ranks == 1)
    return axes;
  ArrayRef<int64_t> mesh = place.axis.getMesh();
  for (int64_t i = 0, e = mesh.size(); i < e; ++i)
    if (i != place.axis.getIndex() && i != place.outer && mesh[i] > 1)
      axes.push_back(i);
  return axes;
}

std::vector<Structure> Search::structures() const {
  std::vector<Strategy> strategies;
  for (const StrategyInfo &info : allStrategies())
    strategies.push_back(info.strategy);
  // A window fetches by itself what a ring would have to leave out.
  if (traits.isWindow() || traits.documents) {
    auto halo = llvm::find(strategies, Strategy::Halo);
    std::rotate(strategies.begin(), halo, std::next(halo));
  }
  // Of equals, trading was measured to be a little faster than gathering
  // (docs/Planner.md, "On the CPU mesh, measured").
  if (machine.isProcessor())
    std::iter_swap(llvm::find(strategies, Strategy::AllGather),
                   llvm::find(strategies, Strategy::Ulysses));
  // Every group of heads moves what is less.
  if (traits.dilation)
    strategies = {Strategy::Usp, Strategy::Ring, Strategy::Ulysses,
                  Strategy::AllGather, Strategy::Replicate};
  // No other knows a sequence on two axes.
  if (place.outer)
    strategies = {Strategy::DoubleRing, Strategy::Replicate};
  // Everything is the same on one rank: then the simplest.
  if (ranks == 1)
    std::rotate(strategies.begin(), strategies.end() - 1, strategies.end());
  if (request.strategy)
    strategies = {*request.strategy};
  // Of equals the device op: its times are held against measured ones.
  std::vector<Form> forms{Form::Fused, Form::Explicit};
  if (ranks == 1 || machine.isProcessor())
    forms = {Form::Explicit};
  if (request.form)
    forms = {*request.form};

  std::vector<Structure> all;
  for (Form form : forms)
    for (Strategy strategy : strategies) {
      // No other strategy has a device op; only who asks for one is told so.
      if (form == Form::Fused && !infoOf(strategy).hasDeviceOp &&
          !request.strategy)
        continue;
      for (LayoutKind layout : layoutsFor(strategy, form))
        for (Directions directions : directionsFor(strategy, form))
          for (std::optional<int64_t> trade : tradesFor(strategy))
            for (std::optional<int64_t> inner : innersFor(strategy))
              for (std::optional<int64_t> heads : headsAxes())
                for (bool balanced : balancesFor(strategy))
                  for (std::optional<PartMerge> merge : mergesFor(strategy))
                    all.push_back({strategy, form, layout, directions, trade,
                                   inner, heads, balanced, merge});
    }
  return all;
}

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

/// Settings are only written where somebody reads them: in a fused form, and
/// where they were asked for.
PlanAttr Search::planOf(const Structure &structure,
                        const KernelChoice &kernel) const {
  MLIRContext *context = place.axis.getContext();
  bool fused = structure.form == Form::Fused;
  const machine::Axis &wires = machine.axes[place.axis.getIndex()];
  ComputeAttr compute;
  auto positive = [](int64_t value) {
    return value > 0 ? std::optional(value) : std::nullopt;
  };
  if ((fused && !machine.isProcessor()) || request.settingsAsked) {
    const KernelRequest &asked = request.kernel;
    compute = ComputeAttr::get(
        context, positive(fused ? kernel.queryChunk : asked.queryChunk),
        positive(fused ? kernel.keyChunk : asked.keyChunk), request.expApprox,
        request.fidelity, request.fp32Accumulation,
        fused ? kernel.grid : asked.grid,
        fused ? kernel.cclOffset : asked.cclOffset);
  }
  Topology topology = Topology::Ring;
  int64_t links = 1;
  if (fused && !machine.isProcessor()) {
    if (ranks > 1 && wires.topology == machine::Topology::Line)
      topology = Topology::Linear;
    links = std::max<int64_t>(wires.inside.count, 1);
  }
  return PlanAttr::get(
      context, structure.strategy, place.axis, structure.headsAxis,
      structure.layout, structure.directions, structure.form,
      request.topology.value_or(topology), structure.headRanks,
      structure.innerRanks,
      structure.strategy == Strategy::DoubleRing ? place.outer : std::nullopt,
      request.links.value_or(links), compute, structure.balanced,
      structure.merge);
}

/// Who asks for a device op by name gets no other.
Refusal Search::refuseOtherOp(std::optional<DeviceOp> op) const {
  if (!request.deviceOp || op == request.deviceOp)
    return std::nullopt;
  if (*request.deviceOp == DeviceOp::RingMla)
    return "expects values that are the first columns of one key head for "
           "ring_mla";
  return "expects ring_mla for values that are the first columns of one key "
         "head, but got " +
         nameOf(*request.deviceOp).str();
}

void Search::consider(const Structure &structure) {
  PlanCandidate candidate;
  candidate.plan = planOf(structure, KernelChoice());
  if (place.outer && structure.strategy != Strategy::DoubleRing &&
      structure.strategy != Strategy::Replicate) {
    candidate.rejected = "expects the sequence on one mesh axis, but got two: "
                         "only double_ring and replicate know them";
    result.rejected.push_back(candidate);
    return;
  }
  if (structure.form == Form::Fused && infoOf(structure.strategy).hasDeviceOp)
    candidate.deviceOp = deviceOpOf(traits, candidate.plan);
  if (Refusal refusal = refuseOtherOp(candidate.deviceOp)) {
    candidate.rejected = *refusal;
    result.rejected.push_back(candidate);
    return;
  }
  if (auto refusal = refusalOf(traits, candidate.plan)) {
    candidate.rejected = *refusal;
    result.rejected.push_back(candidate);
    return;
  }
  candidate.headsChosen = structure.headsAxis != place.headsAxis;
  DeviceTimeline program =
      timelineOf(traits, candidate.plan, machine, formOf(request, place));
  result.work += ranks;
  if (!program.error.empty()) {
    candidate.rejected = program.error;
    result.rejected.push_back(candidate);
    return;
  }
  // What does not fit need not be timed.
  std::optional<int64_t> there = memoryLimit(request, machine);
  if (there && program.deviceBytes > static_cast<double>(*there)) {
    candidate.cost.deviceBytes = program.deviceBytes;
    candidate.rejected = llvm::formatv("needs {0} a device, {1}",
                                       formatBytes(program.deviceBytes),
                                       describeLimit(request, machine));
    result.rejected.push_back(candidate);
    return;
  }
  auto refuseKernel = [&](const KernelChoice &kernel) {
    PlanAttr plan = planOf(structure, kernel);
    Refusal refusal = refusalOf(traits, plan);
    return refusal || machine.isProcessor()
               ? refusal
               : refuseCores(plan, machine.spec.chip);
  };
  CostOrReason cost = costOf(program, machine, request.kernel, refuseKernel);
  if (!cost.cost) {
    candidate.rejected = cost.reason;
    result.rejected.push_back(candidate);
    return;
  }
  candidate.cost = *cost.cost;
  candidate.plan = planOf(structure, candidate.cost.kernel);
  possible.push_back(candidate);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void Search::rank() {
  std::vector<size_t> order(possible.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return possible[a].cost.seconds < possible[b].cost.seconds;
  });
  double limit = possible[order.front()].cost.seconds * (1 + kTie);
  size_t winner = order.front();
  // A processor has no device ops to prefer: of equals, what holds least.
  auto preferred = [&](size_t a, size_t b) {
    double heldByA = possible[a].cost.deviceBytes;
    double heldByB = possible[b].cost.deviceBytes;
    if (machine.isProcessor() && heldByA != heldByB)
      return heldByA < heldByB;
    return a < b;
  };
  for (size_t i : order)
    if (possible[i].cost.seconds <= limit && preferred(i, winner))
      winner = i;
  result.ranked.push_back(possible[winner]);
  for (size_t i : order)
    if (i != winner)
      result.ranked.push_back(possible[i]);
}

PlanSearchResult Search::run() {
  // Who asks for usp gets a ring or an all-to-all alone only where nothing
  // between them can be used.
  std::vector<Structure> extremes;
  for (const Structure &structure : structures())
    if (isMixed(structure.headRanks))
      consider(structure);
    else
      extremes.push_back(structure);
  if (possible.empty())
    for (const Structure &structure : extremes)
      consider(structure);
  if (!possible.empty())
    rank();
  else
    explainFailure(traits, place, request, memoryLimit(request, machine),
                   result);
  return std::move(result);
}

} // namespace

PlanSearchResult searchPlans(const AttentionTraits &traits,
                             const PlanPlace &place, const PlanRequest &request,
                             const PlannerMachine &machine) {
  // A topology that was asked for is the one that is planned with.
  PlannerMachine wired = machine;
  if (request.topology)
    wired.axes[place.axis.getIndex()].topology =
        *request.topology == Topology::Ring ? machine::Topology::Ring
                                            : machine::Topology::Line;
  return Search(traits, place, request, wired).run();
}

void PlanSearchResult::putFirst(const PlanCandidate &candidate) {
  auto same = llvm::find_if(ranked, [&](const PlanCandidate &other) {
    return other.plan == candidate.plan;
  });
  if (same == ranked.end())
    ranked.insert(ranked.begin(), candidate);
  else
    std::rotate(ranked.begin(), same, std::next(same));
}

ProgramForm formOf(const PlanRequest &request, const PlanPlace &place) {
  ProgramForm form = request.program;
  form.fromHost = place.fromHost;
  return form;
}

std::optional<int64_t> memoryLimit(const PlanRequest &request,
                                   const PlannerMachine &machine) {
  if (request.deviceMemory > 0)
    return request.deviceMemory;
  if (machine.isProcessor())
    return std::nullopt;
  return machine.spec.chip.dramBytes;
}

std::string describeLimit(const PlanRequest &request,
                          const PlannerMachine &machine) {
  std::string bytes =
      formatBytes(static_cast<double>(*memoryLimit(request, machine)));
  return request.deviceMemory > 0
             ? bytes + " are allowed"
             : machine.spec.name + (machine.isMadeUp ? " have " : " has ") +
                   bytes;
}

std::string nameOfStrategy(const PlanCandidate &candidate) {
  if (candidate.deviceOp)
    return nameOf(*candidate.deviceOp).str();
  return stringifyStrategy(candidate.plan.getStrategy()).str();
}

} // namespace mlir::ring
