// SPDX-License-Identifier: Apache-2.0
// From a ring program to the ops of devices. The passes convert a model this
// way, and the planner the program whose cost it asks for: what is planned is
// what runs.

#ifndef RING_CONVERSION_DEVICEOPS_H
#define RING_CONVERSION_DEVICEOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ring {

/// How blocks become sdpa_fw.
struct BlockLowering {
  /// Write an unmasked block with a mask of ones: some kernels' mask type
  /// `none` is broken.
  bool onesMask = true;
  /// Round f32 blocks to bf16 for sdpa_fw rather than keep them exact.
  bool roundToBf16 = false;
};

/// A ring program without carried states and transfers under way, whose blocks
/// are the same on every device, in TTIR.
LogicalResult convertRingToTTIR(ModuleOp module, BlockLowering lowering);

/// What `convertRingToTTIR` leaves, in TTNN.
LogicalResult convertRingToTTNN(ModuleOp module);

} // namespace mlir::ring

#endif // RING_CONVERSION_DEVICEOPS_H
