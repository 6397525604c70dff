// SPDX-License-Identifier: Apache-2.0
// Plans again with one thing changed, and says what came of it. Worked example:
// a ring on a T3000 takes 10 ms, and 9 ms if links take no time at all. So
// links have 10 % of its time, whatever the model says of them in detail; and
// if two links in place of one make it 9.5 ms, that is worth a sentence.

#include "ring/Planner/PlanAdvice.h"
#include "ring/Planner/PlanReport.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <functional>
#include <limits>

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;

/// Less than this is not worth a sentence.
constexpr double kLeastGain = 0.01;
/// How much faster a part of a machine is that is taken to cost nothing.
constexpr double kFree = 1e6;
/// Sentences on what would help.
constexpr size_t kMostChanges = 6;
/// Devices up to which other meshes are tried: a search takes a second on 1024.
constexpr int64_t kMostDevicesMoved = 256;

/// A part of the machine that a plan may wait for.
struct Resource {
  const char *name;
  std::function<void(PlannerMachine &)> makeFree;
  bool isLinks = false;
};

void scaleLinks(PlannerMachine &machine, double bandwidth, double latency) {
  for (machine::Axis &axis : machine.axes)
    for (machine::Links *links : {&axis.inside, &axis.between}) {
      links->scaleBandwidth(bandwidth);
      links->latency *= latency;
      links->start *= latency;
    }
}

std::vector<Resource> resourcesOf(const PlannerMachine &machine) {
  if (machine.isProcessor())
    return {{"the products",
             [](PlannerMachine &free) { free.spec.processor->peak *= kFree; }},
            {"memory traffic",
             [](PlannerMachine &free) {
               machine::SharedProcessor &processor = *free.spec.processor;
               processor.stepBandwidth *= kFree;
               processor.stateBandwidth *= kFree;
               processor.packBandwidth *= kFree;
               processor.copyBandwidth *= kFree;
             }},
            {"instructions and hand-overs", [](PlannerMachine &free) {
               free.spec.processor->handOver /= kFree;
               free.spec.processor->instruction /= kFree;
             }}};
  return {{"the products",
           [](PlannerMachine &free) {
             for (double &cycles : free.spec.chip.tileProductCycles)
               cycles /= kFree;
           }},
          {"the exponentials",
           [](PlannerMachine &free) { free.spec.chip.expCycles /= kFree; }},
          {"the rest of the softmax",
           [](PlannerMachine &free) {
             free.spec.chip.tileOperationCycles /= kFree;
           }},
          {"the start of chunks",
           [](PlannerMachine &free) { free.spec.chip.chunkCycles /= kFree; }},
          {"DRAM",
           [](PlannerMachine &free) { free.spec.chip.dramBandwidth *= kFree; }},
          {"the NoC",
           [](PlannerMachine &free) { free.spec.chip.nocBandwidth *= kFree; }},
          {"the links",
           [](PlannerMachine &free) { scaleLinks(free, kFree, 1 / kFree); },
           /*isLinks=*/true}};
}

std::string percent(double share) {
  return llvm::formatv("{0:F0} %", 100 * share).str();
}

class Adviser {
public:
  explicit Adviser(const PlannedAttention &planned)
      : planned(planned), best(*planned.result.best()),
        machine(planned.machine) {}

  PlanAdvice run() {
    PlanAdvice advice;
    advice.bound = boundOf();
    tryOptions();
    tryMeshes();
    tryFormats();
    tryMachines();
    llvm::stable_sort(found, [](const Change &a, const Change &b) {
      return a.seconds < b.seconds;
    });
    for (const Change &change : found)
      if (advice.changes.size() < kMostChanges)
        advice.changes.push_back(change.text);
    if (found.empty())
      advice.changes.push_back("nothing else that was tried gains 1 %: " +
                               llvm::join(tried, ", "));
    return advice;
  }

private:
  struct Change {
    double seconds;
    std::string text;
  };

  double seconds() const { return best.cost.seconds; }

  //===--------------------------------------------------------------------===//
  // What bounds it
  //===--------------------------------------------------------------------===//

  /// The best plan's own structure; chunks and cores stay open.
  PlanRequest ownStructure() const {
    PlanRequest request = planned.request;
    PlanAttr plan = best.plan;
    request.strategy = plan.getStrategy();
    request.layout = plan.getLayout();
    request.balanced = plan.getBalanced();
    request.directions = plan.getDirections();
    request.form = plan.getForm();
    request.headRanks = plan.getHeadRanks();
    request.merge = plan.getMerge();
    if (plan.getStrategy() == Strategy::DoubleRing && !plan.getOuter())
      request.innerRanks = plan.getInnerRanks();
    return request;
  }

  /// How much less the plan takes where a resource costs nothing.
  double shareOf(const Resource &resource, const PlanRequest &request) const {
    PlanPlace place = planned.place;
    place.headsAxis = best.plan.getHeadsAxis();
    place.headsFree = false;
    PlannerMachine free = machine;
    resource.makeFree(free);
    PlanSearchResult without =
        searchPlans(planned.traits, place, request, free);
    return without.best() ? 1 - without.best()->cost.seconds / seconds() : 0;
  }

  std::string boundOf() const {
    PlanRequest request = ownStructure();
    std::vector<std::pair<double, const char *>> shares;
    auto add = [&](double share, const char *name) {
      if (share >= kLeastGain)
        shares.push_back({share, name});
    };
    for (const Resource &resource : resourcesOf(machine)) {
      double share = shareOf(resource, request);
      // Transfers that take no time need no cores set apart for them: what that
      // gives is no matter of the links.
      if (resource.isLinks && !best.cost.kernel.alternates) {
        PlanRequest beside = request;
        beside.kernel.alternates = false;
        double ofLinks = shareOf(resource, beside);
        add(share - ofLinks, "the cores set apart for transfers");
        share = ofLinks;
      }
      add(share, resource.name);
    }
    llvm::stable_sort(
        shares, [](const auto &a, const auto &b) { return a.first > b.first; });
    if (shares.empty())
      return "bound by no single part of the machine: none that cost nothing "
             "would save 1 %";
    std::string text = "bound by " + std::string(shares.front().second) +
                       ", without which it would take " +
                       percent(shares.front().first) + " less";
    for (size_t i = 1; i < shares.size(); ++i)
      text += (i == 1 ? "; without " : ", without ") +
              std::string(shares[i].second) + " " + percent(shares[i].first);
    if (best.cost.exposedSeconds >= kLeastGain * seconds())
      text += "; transfers stand exposed for " +
              percent(best.cost.exposedSeconds / seconds());
    return text + wasteOf();
  }

  std::string wasteOf() const {
    std::string text;
    if (best.cost.slotWaste >= kLeastGain)
      text += "; " + percent(best.cost.slotWaste) +
              " of the cores' turns have no chunk of queries";
    if (best.cost.chunkWaste >= kLeastGain)
      text += "; " + percent(best.cost.chunkWaste) +
              " of the pairs only fill up chunks";
    return text;
  }

  //===--------------------------------------------------------------------===//
  // What would change it
  //===--------------------------------------------------------------------===//

  /// Searches again; what is faster is kept.
  void attempt(const Twine &what, const AttentionTraits &traits,
               const PlanPlace &place, const PlanRequest &request,
               const PlannerMachine &on, StringRef price = "") {
    tried.push_back(what.str());
    PlanSearchResult result = searchPlans(traits, place, request, on);
    if (!result.best())
      return;
    const PlanCandidate &other = *result.best();
    double gain = 1 - other.cost.seconds / seconds();
    if (gain < kLeastGain)
      return;
    found.push_back({other.cost.seconds,
                     what.str() + ": " + formatSeconds(other.cost.seconds) +
                         ", " + percent(gain) + " less (" + describe(other) +
                         ")" + price.str()});
  }

  void tryOptions() {
    PlanRequest open;
    open.fidelity = planned.request.fidelity;
    open.expApprox = planned.request.expApprox;
    open.fp32Accumulation = planned.request.fp32Accumulation;
    open.deviceMemory = planned.request.deviceMemory;
    open.program = planned.request.program;
    const PlanRequest &asked = planned.request;
    // A target may have explicit plans alone: the form is not ours to open.
    if (!asked.deviceOp)
      open.form = asked.form;
    const KernelRequest &kernel = asked.kernel;
    if (kernel.queryChunk || kernel.keyChunk || !kernel.grid.empty() ||
        !kernel.cclOffset.empty()) {
      PlanRequest other = asked;
      other.kernel = KernelRequest();
      attempt("other chunks and cores than were asked for", planned.traits,
              planned.place, other, machine);
    }
    if (asked.strategy || asked.layout || asked.directions || asked.headRanks ||
        asked.merge || asked.innerRanks || asked.links || asked.topology)
      attempt("any plan in place of what was asked for", planned.traits,
              planned.place, open, machine);
  }

  /// The same devices with other numbers of ranks for the sequence, and twice
  /// as many of them, as far as the machine has them.
  void tryMeshes() {
    const PlanPlace &place = planned.place;
    if (planned.traits.perDevice || place.outer || machine.mesh.size() != 2 ||
        place.axis.getNumDevices() > kMostDevicesMoved)
      return;
    int64_t axis = place.axis.getIndex(), ranks = place.axis.getRanks();
    int64_t others = machine.mesh[1 - axis];
    auto on = [&](int64_t sequence, int64_t rest, const Twine &what) {
      std::vector<int64_t> mesh(2, rest);
      mesh[axis] = sequence;
      PlannerMachine other = onMesh(machine, mesh);
      if (!other.error.empty())
        return;
      PlanPlace moved = place;
      moved.axis = AxisAttr::get(place.axis.getContext(), axis, mesh);
      attempt(what + machine::shapeText(mesh) +
                  (other.chips.empty() ? "" : " (" + other.chips + ")"),
              planned.traits, moved, planned.request, other);
    };
    llvm::SmallVector<int64_t> sizes{others, ranks * others, ranks / 2,
                                     2 * ranks};
    llvm::SmallVector<int64_t> done{ranks};
    for (int64_t size : sizes)
      if (size > 1 && ranks * others % size == 0 &&
          !llvm::is_contained(done, size)) {
        done.push_back(size);
        on(size, ranks * others / size, "a mesh of ");
      }
    on(2 * ranks, others, "twice the devices, ");
  }

  void tryFormats() {
    MLIRContext *context = planned.place.axis.getContext();
    if (machine.isProcessor() || !isa<FloatType>(planned.traits.elementType))
      return;
    auto in = [&](Type type, const Twine &what) {
      AttentionTraits other = planned.traits;
      other.elementType = type;
      other.otherElementType = Type();
      attempt(what, other, planned.place, planned.request, machine,
              "; the numbers change");
    };
    if (planned.traits.elementType.isF32())
      in(BFloat16Type::get(context), "bf16 in place of f32");
    in(ttcore::TileType::get(context, ttcore::TileType::getDefaultShape(),
                             ttcore::DataType::BFP_BFloat8),
       "queries, keys and values in bfp8");
  }

  /// Whether memory forbids a plan that would be faster.
  void tryMoreMemory() {
    if (llvm::none_of(planned.result.rejected, [](const PlanCandidate &other) {
          return other.cost.deviceBytes > 0;
        }))
      return;
    double there = static_cast<double>(*memoryLimit(planned.request, machine));
    PlanRequest unlimited = planned.request;
    unlimited.deviceMemory = 0;
    PlannerMachine larger = machine;
    larger.spec.chip.dramBytes = std::numeric_limits<int64_t>::max();
    PlanSearchResult free =
        searchPlans(planned.traits, planned.place, unlimited, larger);
    double held = free.best() ? free.best()->cost.deviceBytes : 0;
    if (held > there)
      attempt(llvm::formatv("{0} a device in place of {1}", formatBytes(held),
                            formatBytes(there))
                  .str(),
              planned.traits, planned.place, unlimited, larger);
  }

  void tryMachines() {
    if (machine.isProcessor())
      return;
    tryMoreMemory();
    if (planned.place.axis.getNumDevices() == 1)
      return;
    PlannerMachine wider = machine;
    for (machine::Axis &axis : wider.axes) {
      axis.inside.count *= 2;
      axis.between.count *= 2;
    }
    attempt("twice as many links between neighbours", planned.traits,
            planned.place, planned.request, wider);
  }

  const PlannedAttention &planned;
  const PlanCandidate &best;
  const PlannerMachine &machine;
  std::vector<Change> found;
  std::vector<std::string> tried;
};

} // namespace

PlanAdvice adviseOn(const PlannedAttention &planned) {
  if (!planned.result.best() || planned.result.best()->cost.seconds <= 0)
    return {};
  return Adviser(planned).run();
}

} // namespace mlir::ring
