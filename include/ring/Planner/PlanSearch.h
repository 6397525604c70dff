// SPDX-License-Identifier: Apache-2.0
// The search for the fastest plan of an attention: every way to distribute it
// that the options leave open, under the rules of the strategies and the limits
// of the machine.

#ifndef RING_PLANNER_PLANSEARCH_H
#define RING_PLANNER_PLANSEARCH_H

#include "ring/Planner/PlanCost.h"
#include "ring/Strategies/FusedForms.h"

namespace mlir::ring {

/// What is asked for; what is not there is searched.
struct PlanRequest {
  std::optional<Strategy> strategy;
  std::optional<LayoutKind> layout;
  std::optional<bool> balanced;
  std::optional<Directions> directions;
  std::optional<PartMerge> merge;
  std::optional<Form> form;
  /// The device op, where it was asked for by its name.
  std::optional<DeviceOp> deviceOp;
  std::optional<Topology> topology;
  std::optional<int64_t> links;
  std::optional<int64_t> headRanks;
  std::optional<int64_t> innerRanks;
  KernelRequest kernel;
  bool expApprox = false;
  MathFidelity fidelity = MathFidelity::HiFi2;
  bool fp32Accumulation = false;
  /// Whether any setting of the kernel was asked for: then the plan says all of
  /// them, also where nothing is fused.
  bool settingsAsked = false;
  /// Bytes that a device may hold; 0: those that the machine's chips have.
  int64_t deviceMemory = 0;
  /// What the program is made of.
  ProgramForm program;
};

/// Bytes that a device may hold; nothing where there is no limit.
std::optional<int64_t> memoryLimit(const PlanRequest &request,
                                   const PlannerMachine &machine);
/// "t3000 has 12.0 GiB", or "1.0 GiB are allowed".
std::string describeLimit(const PlanRequest &request,
                          const PlannerMachine &machine);

/// Where an attention lies.
struct PlanPlace {
  AxisAttr axis;
  /// The mesh axis over which the sequence is split first, if it is on two.
  std::optional<int64_t> outer;
  /// The axis of the heads, if it is given.
  std::optional<int64_t> headsAxis;
  /// Whether another axis of the mesh may take heads.
  bool headsFree = false;
  /// Whether its tensors come from a host and go back to it, rather than from
  /// and to ops around it.
  bool fromHost = false;
};

/// The form of a program that is asked for, of an attention that lies so.
ProgramForm formOf(const PlanRequest &request, const PlanPlace &place);

/// One way to distribute an attention.
struct PlanCandidate {
  PlanAttr plan;
  /// Of the fused form.
  std::optional<DeviceOp> deviceOp;
  PlanCost cost;
  /// Whether the heads are split although nobody asked for it.
  bool headsChosen = false;
  /// Why it cannot be used; empty if it can.
  std::string rejected;
};

/// What a search has found.
struct PlanSearchResult {
  /// Those that can be used, the best first.
  std::vector<PlanCandidate> ranked;
  /// Those that cannot, in the order of the search.
  std::vector<PlanCandidate> rejected;
  /// Why there is none.
  std::string error;
  /// Whether that is the memory of a device.
  bool lacksMemory = false;
  /// The ranks of all programs that were written, added up: what a search costs
  /// goes by them.
  int64_t work = 0;

  const PlanCandidate *best() const {
    return ranked.empty() ? nullptr : &ranked.front();
  }
  /// Takes a candidate, which may be of another search, in place of the best.
  void putFirst(const PlanCandidate &candidate);
};

/// Searches. Deterministic: of candidates whose predicted times differ by less
/// than half a per cent the earlier in the order of the search wins.
PlanSearchResult searchPlans(const AttentionTraits &traits,
                             const PlanPlace &place, const PlanRequest &request,
                             const PlannerMachine &machine);

/// A strategy as the device's users call it: in fused form, the device op.
std::string nameOfStrategy(const PlanCandidate &candidate);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANSEARCH_H
