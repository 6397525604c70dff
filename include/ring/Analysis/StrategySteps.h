// SPDX-License-Identifier: Apache-2.0
// What a planned attention does on a device, step by step: which blocks it
// computes and what it sends meanwhile. No times yet; those depend on the
// chunks and cores that are still to be chosen.

#ifndef RING_ANALYSIS_STRATEGYSTEPS_H
#define RING_ANALYSIS_STRATEGYSTEPS_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/PlannerMachine.h"
#include "ring/Machine/Schedule.h"

namespace mlir::ring {

/// The blocks that one rank computes in a step, by their number.
using StepBlocks = SmallVector<int32_t, 2>;

/// Transfers start, then every rank computes.
struct StrategyStep {
  /// None, one entry for all ranks, or one for each rank of the sequence axis.
  std::vector<StepBlocks> work;
  /// Seconds of other work on every rank: merges, sums of gradients.
  double otherSeconds = 0;
  std::vector<machine::StepTransfer> transfers;
};

/// A whole attention on one device.
struct StrategySteps {
  /// The blocks that are different; few, since most ranks and steps are alike.
  std::vector<machine::AttentionCall> blocks;
  std::vector<StrategyStep> steps;
  /// The axis of the sequence first, then the others, then parts of axes.
  std::vector<machine::Axis> axes;
  /// Whether data moves while blocks are computed, so that some cores are set
  /// apart for it.
  bool movesBeside = false;
  /// Whether all blocks are one call of a device op, whose cores are filled
  /// once.
  bool oneCall = false;
  /// How much longer a block takes than the attention of its shape.
  double blockFactor = 1;
  /// Bytes that a device holds at most.
  double deviceBytes = 0;
  /// Useful operations of one device: only pairs that count, no padding.
  double usefulFlops = 0;
};

/// What of an attention is not in its traits or its plan.
struct StepsContext {
  const PlannerMachine &machine;
  /// The heads lie on their axis although nobody asked for it, so that the
  /// output has to be gathered there.
  bool headsComeBack = false;
};

/// The steps of an attention as it is planned. The plan honours the traits
/// (refusalOf); its compute settings are not looked at, except the fidelity.
StrategySteps stepsOf(const AttentionTraits &traits, PlanAttr plan,
                      const StepsContext &context);

} // namespace mlir::ring

#endif // RING_ANALYSIS_STRATEGYSTEPS_H
