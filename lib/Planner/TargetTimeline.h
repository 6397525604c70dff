// SPDX-License-Identifier: Apache-2.0
// Programs in the ops of TTIR and TTNN as timelines.

#ifndef RING_LIB_PLANNER_TARGETTIMELINE_H
#define RING_LIB_PLANNER_TARGETTIMELINE_H

#include "mlir/IR/Block.h"
#include "ring/Machine/Timeline.h"
#include "ring/Planner/PlannerMachine.h"

namespace mlir::ring {

/// Adds what every op of a device's program does, in its order: nothing goes on
/// beside anything else.
void addTargetProgram(Block &program, const PlannerMachine &machine,
                      machine::Timeline &timeline);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_TARGETTIMELINE_H
