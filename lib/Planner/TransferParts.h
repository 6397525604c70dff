// SPDX-License-Identifier: Apache-2.0
// What each device of a mesh receives by a transfer.

#ifndef RING_LIB_PLANNER_TRANSFERPARTS_H
#define RING_LIB_PLANNER_TRANSFERPARTS_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Machine/Timeline.h"

namespace mlir::ring {

using TransferParts = std::vector<::ring::machine::MeshTransfer::Part>;

/// What the device that gets most receives.
TransferParts partsOf(TransferOpInterface op);

/// What each device of the mesh receives; nothing where all of them receive the
/// same.
std::vector<TransferParts> partsByDevice(TransferOpInterface op);

/// The bytes of rows that a device only gives other places among its own, of
/// the device that has most. Rows of a route that nobody sends are not moved.
double bytesMovedOnDevice(TransferOpInterface op);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_TRANSFERPARTS_H
