// SPDX-License-Identifier: Apache-2.0
// Shards of tensors that every device has, and the way back, op by op.

#ifndef RING_LIB_PLANNER_REPLICATEDSHARDS_H
#define RING_LIB_PLANNER_REPLICATEDSHARDS_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// The bytes that each op reads and writes which a device cuts its shard out
/// with: one fills the rows up, some put them in the order of the layout, and
/// one for each axis cuts.
SmallVector<double> bytesToCut(ShardOp op);

/// The same for the ops that put gathered shards in order again and cut the
/// padding off: of a result with so many bytes and rows, dealt by `layout`.
SmallVector<double> bytesToOrder(double bytes, int64_t rows, LayoutAttr layout);
SmallVector<double> bytesToOrder(UnshardOp op);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_REPLICATEDSHARDS_H
