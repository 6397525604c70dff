// SPDX-License-Identifier: Apache-2.0
// Plans the attentions of a module: from options, or from a request that is
// typed already, to what was found for each. The passes that plan share it, and
// who runs those passes gets what they found as objects.

#ifndef RING_PLANNER_ATTENTIONPLANNER_H
#define RING_PLANNER_ATTENTIONPLANNER_H

#include "ring/Planner/PlanSearch.h"

#include <map>

namespace mlir::ring {

/// The options of ring-plan, ring-explain and the pipeline, as they were
/// written.
struct PlanOptionTexts {
  std::string meshShape, machineName, strategy, layout, directions, merge, form,
      topology, fidelity, grid, cclOffset, deviceMemory;
  int64_t numLinks = -1, headRanks = 0, innerRanks = 0, qChunk = 0, kChunk = 0;
  bool expApprox = false, fp32Accumulation = false;
  /// Of passes alone: a pipeline knows them better.
  std::string target = "auto", sdpaFwMask = "ones";

  /// Copies them from a pass or a pipeline that has them as options to whoever
  /// has them by the same names.
  template <typename To, typename From>
  static To copy(const From &from) {
    To to;
    to.meshShape = from.meshShape;
    to.machineName = from.machineName;
    to.strategy = from.strategy;
    to.layout = from.layout;
    to.directions = from.directions;
    to.merge = from.merge;
    to.form = from.form;
    to.topology = from.topology;
    to.fidelity = from.fidelity;
    to.grid = from.grid;
    to.cclOffset = from.cclOffset;
    to.deviceMemory = from.deviceMemory;
    to.numLinks = from.numLinks;
    to.headRanks = from.headRanks;
    to.innerRanks = from.innerRanks;
    to.qChunk = from.qChunk;
    to.kChunk = from.kChunk;
    to.expApprox = from.expApprox;
    to.fp32Accumulation = from.fp32Accumulation;
    return to;
  }

  /// All options of a planning pass: those that pipelines write otherwise too.
  template <typename To, typename From>
  static To copyAll(const From &from) {
    To to = copy<To>(from);
    to.target = from.target;
    to.sdpaFwMask = from.sdpaFwMask;
    return to;
  }
};

/// What is wrong with the options whatever the attention, such as a strategy
/// that nobody knows; empty if nothing is.
std::string problemOf(const PlanOptionTexts &texts);

/// An error about an attention, at its place. It does not name the op: who
/// wrote TTIR knows no ring.attention.
InFlightDiagnostic emitAttentionError(WholeAttentionOpInterface op,
                                      const Twine &message = "");

/// A remark of `pass` where there is nothing to plan, since the attentions of
/// the module are as TTIR has them.
void remarkIfUnraised(ModuleOp module, StringRef pass);

/// Whether tokens come to an attention, or go from it, otherwise than straight
/// from an argument or to the function's results.
bool hasSurroundings(WholeAttentionOpInterface op);

/// An attention as it was planned.
struct PlannedAttention {
  AttentionTraits traits;
  PlanPlace place;
  PlanRequest request;
  PlannerMachine machine;
  PlanSearchResult result;
  size_t count = 0; ///< equal attentions, of which it is the first
};

/// A pass that plans, as its owner sees it.
class PlanningPass {
public:
  virtual ~PlanningPass() = default;

  /// Its options.
  virtual PlanOptionTexts optionTexts() const = 0;
  /// See `problemOf`.
  std::string checkOptions() const { return problemOf(optionTexts()); }

  /// The machine to plan for where the options name none.
  std::string defaultMachine;
  /// What a device may hold where the options do not say; empty: what it has.
  std::string defaultMemory;
  /// What is asked for in place of what the options say.
  std::optional<PlanRequest> request;
  /// What was found, each different attention once, in program order.
  std::vector<PlannedAttention> planned;
  /// Whether it failed since a device has too little memory.
  bool lacksMemory = false;
};

/// Plans the attentions of a module.
class AttentionPlanner {
public:
  AttentionPlanner(PlanOptionTexts texts, const PlanningPass &pass)
      : texts(std::move(texts)), request(pass.request) {
    if (this->texts.machineName.empty())
      this->texts.machineName = pass.defaultMachine;
    if (this->texts.deviceMemory.empty())
      this->texts.deviceMemory = pass.defaultMemory;
  }

  /// What was found for `op`, also if nothing can be used; failure, with an
  /// error at `op`, where the options or the annotation make no sense. Its
  /// `count` says how many equal attentions came so far. Valid until the next
  /// call.
  FailureOr<const PlannedAttention *> plan(WholeAttentionOpInterface op);

  /// What can be used of `op` in a layout that its own search may leave out; of
  /// an attention that was planned. None where a layout was asked for.
  std::vector<PlanCandidate> candidatesIn(WholeAttentionOpInterface op,
                                          LayoutKind layout);
  /// The same with any strategy, whatever was asked for.
  std::vector<PlanCandidate> candidatesOfAll(WholeAttentionOpInterface op);

  /// Says that another candidate than the fastest was taken for `op`, and so
  /// for those like it.
  void choose(WholeAttentionOpInterface op, const PlanCandidate &candidate);

  /// Holds a plan that `op` came with to the rules and to the machine; an error
  /// at `op` says what it breaks.
  LogicalResult verifyPlan(WholeAttentionOpInterface op);

  std::vector<PlannedAttention> takePlanned() { return std::move(planned); }

private:
  FailureOr<PlanPlace> findPlace(WholeAttentionOpInterface op);
  PlannedAttention *find(WholeAttentionOpInterface op);

  PlanOptionTexts texts;
  std::optional<PlanRequest> request;
  std::vector<PlannedAttention> planned;
  std::map<std::string, size_t> known; ///< number of each by its traits
  /// What was found beyond the search, by traits and layout.
  std::map<std::pair<size_t, LayoutKind>, std::vector<PlanCandidate>> more;
};

} // namespace mlir::ring

#endif // RING_PLANNER_ATTENTIONPLANNER_H
