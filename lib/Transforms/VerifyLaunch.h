// SPDX-License-Identifier: Apache-2.0
// Whether our kernels can run a launch, and are safe when they do.

#ifndef RING_LIB_TRANSFORMS_VERIFYLAUNCH_H
#define RING_LIB_TRANSFORMS_VERIFYLAUNCH_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// Writes the device program of a launch and proves its counts and credits; a
/// remark says what it takes. What kernels cannot do, or what does not fit, is
/// an error.
LogicalResult verifyLaunch(LaunchOp launch);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_VERIFYLAUNCH_H
