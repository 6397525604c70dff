// SPDX-License-Identifier: Apache-2.0
// Attentions of published models on published meshes, with the chunk sizes that
// people have picked for them by hand. The benchmark prints what the planner
// makes of them; a test holds it to them.

#ifndef RING_BENCH_PLANNER_PRESETCASES_H
#define RING_BENCH_PLANNER_PRESETCASES_H

#include "ring/Planner/PlanSearch.h"

namespace mlir::ring {

/// One attention on one machine.
struct PresetCase {
  std::string model;
  std::string machine;
  std::vector<int64_t> mesh; ///< sequence on axis 0, heads on axis 1
  int64_t heads, keyHeads, queries, keys, joint, dim;
  bool causal;
  /// Picked by hand; 0 where nobody has published any.
  int64_t queryChunk, keyChunk;
};

/// All of them.
const std::vector<PresetCase> &presetCases();

/// What the planner needs to know of a case, in bf16.
AttentionTraits traitsOf(const PresetCase &preset, MLIRContext *context);
/// The sequence on axis 0 and the heads on axis 1.
PlanPlace placeOf(const PresetCase &preset, MLIRContext *context);
/// Its machine. Meshes that no built-in machine has are made of its chips.
PlannerMachine machineOf(const PresetCase &preset);

} // namespace mlir::ring

#endif // RING_BENCH_PLANNER_PRESETCASES_H
