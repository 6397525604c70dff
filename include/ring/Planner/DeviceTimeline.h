// SPDX-License-Identifier: Apache-2.0
// What a planned attention costs, read out of the program that it becomes: the
// strategy writes the program, the passes' own functions carry states and
// overlap transfers, or convert it to the ops of the target, and every op of
// the result is an event.

#ifndef RING_PLANNER_DEVICETIMELINE_H
#define RING_PLANNER_DEVICETIMELINE_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Machine/Timeline.h"
#include "ring/Planner/PlannerMachine.h"
#include "ring/Planner/ProgramForm.h"

namespace mlir::ring {

/// The program of all devices for one attention.
struct DeviceTimeline {
  machine::Timeline timeline;
  /// Bytes that a device holds at most.
  double deviceBytes = 0;
  /// Useful operations of one device: only pairs that count, no padding.
  double usefulFlops = 0;
  /// Why the target has no program for it; empty if it has.
  std::string error;
};

/// The timeline of an attention as it is planned. The plan honours the traits
/// (refusalOf); of its compute settings the fidelity and the accumulation
/// count.
DeviceTimeline timelineOf(const AttentionTraits &traits, PlanAttr plan,
                          const PlannerMachine &machine,
                          const ProgramForm &form = {});

/// What a device holds at most, without the rest.
double deviceBytesOf(const AttentionTraits &traits, PlanAttr plan,
                     const ProgramForm &form = {});
/// What a device holds at most in the course of its program, which whole
/// tensors of the host are around.
int64_t deviceBytesOf(Block &program);

/// Seconds of some ops of a device's program, one after the other: transfers,
/// and what moves rows on a device.
double exchangeSeconds(Block &program, ArrayRef<Operation *> ops,
                       const PlannerMachine &machine);

} // namespace mlir::ring

#endif // RING_PLANNER_DEVICETIMELINE_H
