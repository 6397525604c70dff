// SPDX-License-Identifier: Apache-2.0
// What a transfer does to a tensor, shared by the ops that wait and the ops
// that start: the shape that arrives and the bytes that move.

#ifndef RING_LIB_DIALECT_RING_IR_TRANSFERSHAPES_H
#define RING_LIB_DIALECT_RING_IR_TRANSFERSHAPES_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"

namespace mlir::ring {

LogicalResult verifyAllGather(Operation *op, RankedTensorType input,
                              RankedTensorType arrived, int64_t dim,
                              AxisAttr axis);
LogicalResult verifyAllToAll(Operation *op, RankedTensorType input,
                             RankedTensorType arrived, int64_t split,
                             int64_t concat, AxisAttr axis);
LogicalResult verifyGather(Operation *op, RankedTensorType input,
                           RankedTensorType arrived, int64_t dim,
                           ArrayAttr parts);

LogicalResult verifyRoute(Operation *op, RankedTensorType input,
                          RankedTensorType arrived, int64_t dim, ArrayAttr legs,
                          AxisAttr axis);

/// The first rank that a shift reaches is one of the axis and not the first.
LogicalResult verifyReaching(Operation *op, IntegerAttr reaching,
                             AxisAttr axis);

/// What the ranks that are reached get.
SmallVector<Transfer> shiftTransfers(TypeRange inputs, int64_t by,
                                     AxisAttr axis);
SmallVector<Transfer> allGatherTransfers(RankedTensorType input, AxisAttr axis);
SmallVector<Transfer> allToAllTransfers(RankedTensorType input, AxisAttr axis);
SmallVector<Transfer> gatherTransfers(RankedTensorType input, int64_t dim,
                                      ArrayAttr parts, AxisAttr axis);
/// By source, what the device that gets most gets.
SmallVector<Transfer> routeTransfers(RankedTensorType input, int64_t dim,
                                     ArrayAttr legs, AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_DIALECT_RING_IR_TRANSFERSHAPES_H
