// SPDX-License-Identifier: Apache-2.0
// From the options of ring-plan and ring-explain, which are the same, to what
// the search is asked; and the search of a whole module, in which equal
// attentions are planned once.

#ifndef RING_LIB_TRANSFORMS_PLANOPTIONS_H
#define RING_LIB_TRANSFORMS_PLANOPTIONS_H

#include "ring/Planner/PlanSearch.h"

#include <map>

namespace mlir::ring {

/// The options as they were written.
struct PlanOptionTexts {
  std::string meshShape, machine, strategy, layout, directions, form, topology,
      fidelity, grid, cclOffset;
  int64_t numLinks, ulysses, inner, qChunk, kChunk;
  bool expApprox, fp32Accumulation;

  /// Of a pass that has them all.
  template <typename PassWithOptions>
  static PlanOptionTexts of(const PassWithOptions &pass) {
    PlanOptionTexts texts;
    texts.meshShape = pass.meshShape;
    texts.machine = pass.machineName;
    texts.strategy = pass.strategy;
    texts.layout = pass.layout;
    texts.directions = pass.directions;
    texts.form = pass.form;
    texts.topology = pass.topology;
    texts.fidelity = pass.fidelity;
    texts.grid = pass.grid;
    texts.cclOffset = pass.cclOffset;
    texts.numLinks = pass.numLinks;
    texts.ulysses = pass.ulysses;
    texts.inner = pass.inner;
    texts.qChunk = pass.qChunk;
    texts.kChunk = pass.kChunk;
    texts.expApprox = pass.expApprox;
    texts.fp32Accumulation = pass.fp32Accumulation;
    return texts;
  }
};

/// A search together with the machine it was made for.
struct PlannedAttention {
  PlannerMachine machine;
  PlanSearchResult result;
};

/// Plans the attentions of a module.
class AttentionPlanner {
public:
  explicit AttentionPlanner(PlanOptionTexts texts) : texts(std::move(texts)) {}

  /// What was found for `op`, also if nothing can be used; failure, with an
  /// error at `op`, where the options or the annotation make no sense. `isNew`
  /// says whether no equal attention came before.
  FailureOr<const PlannedAttention *> plan(WholeAttentionOpInterface op,
                                           bool &isNew);

private:
  FailureOr<PlanPlace> findPlace(WholeAttentionOpInterface op);
  FailureOr<PlanRequest> readRequest(WholeAttentionOpInterface op,
                                     const PlanPlace &place);

  PlanOptionTexts texts;
  std::map<std::string, PlannedAttention> known;
};

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_PLANOPTIONS_H
