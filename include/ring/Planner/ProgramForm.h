// SPDX-License-Identifier: Apache-2.0
// What a planned attention becomes, as far as the target of a pipeline decides.

#ifndef RING_PLANNER_PROGRAMFORM_H
#define RING_PLANNER_PROGRAMFORM_H

#include "ring/Conversion/DeviceOps.h"

namespace mlir::ring {

/// How far a pipeline goes, as far as it changes what a program costs. Ring: a
/// schedule, with states that are carried and transfers beside the blocks. TTIR
/// and TTNN: their own ops one after the other, merges among them.
enum class ProgramOps { Ring, TTIR, TTNN };

struct ProgramForm {
  ProgramOps ops = ProgramOps::Ring;
  /// How blocks become ops of TTIR.
  BlockLowering blocks;
  /// Whether operands and results are a host's tensors, whose rows the devices
  /// of TTIR and TTNN pad and deal themselves.
  bool fromHost = false;
};

} // namespace mlir::ring

#endif // RING_PLANNER_PROGRAMFORM_H
