// SPDX-License-Identifier: Apache-2.0
// What a chip has for the device op of a fused plan: cores and L1.

#ifndef RING_LIB_PLANNER_CHIPLIMITS_H
#define RING_LIB_PLANNER_CHIPLIMITS_H

#include "ring/Planner/PlannerMachine.h"
#include "ring/Strategies/Strategies.h"

namespace mlir::ring {

/// Refuses cores of a fused plan that `chip` does not have: those that compute,
/// and two for every link that move data.
Refusal refuseCores(PlanAttr plan, const machine::Chip &chip);

/// Refuses a fused plan that was not searched for, by the rules of the device
/// op and the limits of the machine.
Refusal refuseFusedPlan(const AttentionTraits &traits, PlanAttr plan,
                        const PlannerMachine &machine);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_CHIPLIMITS_H
