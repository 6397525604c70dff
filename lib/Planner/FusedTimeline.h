// SPDX-License-Identifier: Apache-2.0
// The device ops for distributed attention, by their own schedules.

#ifndef RING_LIB_PLANNER_FUSEDTIMELINE_H
#define RING_LIB_PLANNER_FUSEDTIMELINE_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Machine/ChipModel.h"
#include "ring/Machine/Timeline.h"

namespace mlir::ring {

namespace machine = ::ring::machine;

/// Adds the call of the device op that a fused plan names.
void addFusedAttention(const AttentionTraits &traits, PlanAttr plan,
                       const machine::Machine &machine,
                       machine::Timeline &timeline);

/// The bytes that a device holds for that call.
double fusedBytes(const AttentionTraits &traits, PlanAttr plan);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_FUSEDTIMELINE_H
