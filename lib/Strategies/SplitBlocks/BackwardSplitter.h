// SPDX-License-Identifier: Apache-2.0
// Gradients of a block as gradients of pieces that are the same on every
// device.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_BACKWARDSPLITTER_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_BACKWARDSPLITTER_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// Replaces `op` by partial_backwards without block and length.
void splitGradients(PartialBackwardOp op);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_BACKWARDSPLITTER_H
