// SPDX-License-Identifier: Apache-2.0
// Moving the ops around attentions to the devices, for the pass that does it
// and for the planner that wants to know what it would cost.

#ifndef RING_LIB_TRANSFORMS_KEEPSHARDED_H
#define RING_LIB_TRANSFORMS_KEEPSHARDED_H

#include "mlir/IR/Block.h"

namespace mlir::ring {

/// Moves what works token by token to the devices, from the block's arguments
/// to its results. Its attentions are written out on shards.
void keepSharded(Block &block);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_KEEPSHARDED_H
