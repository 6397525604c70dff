// SPDX-License-Identifier: Apache-2.0
// How each TTIR op is written in TTNN: most by another name, some in several
// ops.

#ifndef RING_LIB_CONVERSION_RINGTOTTNN_LOWERINGTABLE_H
#define RING_LIB_CONVERSION_RINGTOTTNN_LOWERINGTABLE_H

#include "FunctionLowering.h"

namespace mlir::ring {

/// Writes `op` in TTNN and says what stands for its results.
using OpLowering = LogicalResult (*)(Operation *op, FunctionLowering &function);

/// The way to write ops of that name, or null if there is none.
OpLowering findLowering(StringRef ttirName);

/// The TTNN name of an op that is otherwise the same, or nothing.
std::optional<StringRef> findSameOp(StringRef ttirName);

//===----------------------------------------------------------------------===//
// Ops that are not the same
//===----------------------------------------------------------------------===//

LogicalResult lowerAllGather(Operation *op, FunctionLowering &function);
LogicalResult lowerAlongDim(Operation *op, FunctionLowering &function);
LogicalResult lowerArange(Operation *op, FunctionLowering &function);
LogicalResult lowerArgMax(Operation *op, FunctionLowering &function);
LogicalResult lowerAsFloat(Operation *op, FunctionLowering &function);
LogicalResult lowerAttention(Operation *op, FunctionLowering &function);
LogicalResult lowerBroadcast(Operation *op, FunctionLowering &function);
LogicalResult lowerCache(Operation *op, FunctionLowering &function);
LogicalResult lowerCollectivePermute(Operation *op, FunctionLowering &function);
LogicalResult lowerAllToAll(Operation *op, FunctionLowering &function);
LogicalResult lowerConstant(Operation *op, FunctionLowering &function);
LogicalResult lowerDecodeAttention(Operation *op, FunctionLowering &function);
LogicalResult lowerDotGeneral(Operation *op, FunctionLowering &function);
LogicalResult lowerEmbedding(Operation *op, FunctionLowering &function);
LogicalResult lowerFilled(Operation *op, FunctionLowering &function);
LogicalResult lowerLinear(Operation *op, FunctionLowering &function);
LogicalResult lowerMeshPartition(Operation *op, FunctionLowering &function);
LogicalResult lowerMeshShard(Operation *op, FunctionLowering &function);
LogicalResult lowerNorm(Operation *op, FunctionLowering &function);
LogicalResult lowerPad(Operation *op, FunctionLowering &function);
LogicalResult lowerProd(Operation *op, FunctionLowering &function);
LogicalResult lowerReduction(Operation *op, FunctionLowering &function);
LogicalResult lowerRepeat(Operation *op, FunctionLowering &function);
LogicalResult lowerSort(Operation *op, FunctionLowering &function);
LogicalResult lowerToReshape(Operation *op, FunctionLowering &function);
LogicalResult lowerWhere(Operation *op, FunctionLowering &function);
/// An op that keeps its name and only sees other types: calls, composites,
/// barriers.
LogicalResult lowerTypesOnly(Operation *op, FunctionLowering &function);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTNN_LOWERINGTABLE_H
