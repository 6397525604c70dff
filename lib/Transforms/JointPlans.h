// SPDX-License-Identifier: Apache-2.0
// Plans for all attentions of a function together: what is fastest for each by
// itself may have its tokens dealt anew before every layer.

#ifndef RING_LIB_TRANSFORMS_JOINTPLANS_H
#define RING_LIB_TRANSFORMS_JOINTPLANS_H

#include "FunctionTrial.h"
#include "ring/Planner/AttentionPlanner.h"

namespace mlir::ring {

/// An attention of a function and what there is to choose from.
struct AttentionChoice {
  WholeAttentionOpInterface op;
  /// Of every way to split its tensors the fastest plan; the one that it would
  /// take by itself first.
  std::vector<PlanCandidate> candidates;
  size_t taken = 0;
};

/// What a choice costs: attentions, and what is exchanged between them.
struct JointCost {
  double attentions = 0;
  double between = 0;
  double seconds() const { return attentions + between; }
};

/// What was found for a function.
struct JointPlans {
  std::vector<AttentionChoice> choices;
  JointCost alone;    ///< each takes what is fastest for itself
  JointCost together; ///< as they were taken
};

/// Chooses for the attentions of `function`, in the order of the program. The
/// candidates of each are priced already; what stands between them is estimated
/// for every pair of neighbours, the cheapest way through is found by dynamic
/// programming, and that and the ways in which all are split alike are held
/// against each one's own choice by a trial. Takes time linear in the number of
/// attentions.
JointPlans planTogether(func::FuncOp function,
                        std::vector<AttentionChoice> choices,
                        const PlannerMachine &machine);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_JOINTPLANS_H
