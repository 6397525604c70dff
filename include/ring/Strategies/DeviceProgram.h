// SPDX-License-Identifier: Apache-2.0
// From a planned attention to the program of one device. The passes write the
// program of a model this way, and the planner the one whose cost it asks for:
// what is planned is what runs.

#ifndef RING_STRATEGIES_DEVICEPROGRAM_H
#define RING_STRATEGIES_DEVICEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// Replaces a planned attention, or its gradients, by blocks, merges and
/// transfers. The plan honours its traits (refusalOf).
void writeOut(WholeAttentionOpInterface op);

/// Carries one state through all parts of the same queries below `scope`.
LogicalResult carryStates(Operation *scope);

/// Gives every transfer of a block a start, a wait and buffers, so that it runs
/// behind what is computed. A block that has some already stays as it is.
void overlapTransfers(Block &block);

/// Makes every block below `scope` the same on every device: pieces whose
/// positions do not depend on the rank, selected and merged. Devices whose ops
/// have neither masks by rank nor a carried state need it.
LogicalResult splitBlocks(Operation *scope);

/// Leaves nothing to the host but to split arguments as they lie and to put
/// shards side by side: devices pad and deal rows themselves.
LogicalResult placeOnDevices(ModuleOp module);

} // namespace mlir::ring

#endif // RING_STRATEGIES_DEVICEPROGRAM_H
