// SPDX-License-Identifier: Apache-2.0
//
// How a program is told in steps, and what its devices exchange in them. Both
// follow from the instructions alone.

#ifndef RING_RUNTIME_REPORT_STEPS_H
#define RING_RUNTIME_REPORT_STEPS_H

#include "Ops/Op.h"
#include "ring-runtime/Report.h"

namespace ring::rt {

/// Whether data come from other devices with this op.
bool exchangesData(const Op &op);

/// The step of every instruction. A new one begins with the first op that
/// computes after devices have exchanged data, so the blocks of a ring are
/// steps 0 to P-1.
std::vector<int32_t> stepsOf(const Program &program);

/// Who computes with whose keys, and who sends to whom meanwhile, by the step
/// of every instruction: devices that exchange something for an attention are a
/// ring, and rings that do the same are told once. Nothing where no device
/// sends anything, or where there are too many to be drawn.
std::vector<ReportRing> findRings(const Program &program,
                                  const std::vector<int32_t> &steps);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_STEPS_H
