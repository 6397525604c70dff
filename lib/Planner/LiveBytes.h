// SPDX-License-Identifier: Apache-2.0
// What a device holds while it runs a program.

#ifndef RING_LIB_PLANNER_LIVEBYTES_H
#define RING_LIB_PLANNER_LIVEBYTES_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ring {

/// Bytes that reading or writing a tensor or a state moves; 0 of anything else.
double bytesOf(Value value);

/// The values of a block that devices have. Whole tensors are the host's,
/// unless the function is one device's own.
llvm::DenseSet<Value> valuesOnDevices(Block &block, bool isLocal);

/// The most bytes that one device holds at a time: buffers for the whole time,
/// values from the op that makes them to the last that reads them. Whole
/// tensors are the host's, unless the function is one device's own.
int64_t liveBytes(Block &block, bool isLocal);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_LIVEBYTES_H
