// SPDX-License-Identifier: Apache-2.0
// The device ops for distributed attention, by their own schedules.

#ifndef RING_LIB_PLANNER_FUSEDTIMELINE_H
#define RING_LIB_PLANNER_FUSEDTIMELINE_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Machine/Timeline.h"

namespace mlir::ring {

namespace machine = ::ring::machine;

/// Sets what the number format of keys says of a call, and the plan's settings.
void setFormat(machine::AttentionCall &call, Type elementType, PlanAttr plan);

/// Adds the call of the device op that a fused plan names; the bytes that a
/// device holds for it.
double addFusedAttention(const AttentionTraits &traits, PlanAttr plan,
                         machine::Timeline &timeline);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_FUSEDTIMELINE_H
