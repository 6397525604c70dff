// SPDX-License-Identifier: Apache-2.0
// A device's heads of a tensor of which it has every head.

#ifndef RING_STRATEGIES_OWNHEADS_H
#define RING_STRATEGIES_OWNHEADS_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// The heads of `everyHead`, `[batch, heads, ...]`, that belong to a device by
/// its rank on `axis`; nothing moves. Where heads are fewer than ranks,
/// neighbours share one. 2 heads on 4 ranks: 0 0 1 1.
Value ownHeads(OpBuilder &builder, Location loc, Value everyHead,
               AxisAttr axis);

/// The mesh axis that splits the heads of a whole tensor: `axis`, unless its
/// devices share them. Then every device gets every head, of which it keeps its
/// own.
int64_t splittingAxis(RankedTensorType whole, int64_t axis,
                      ArrayRef<int64_t> mesh);

} // namespace mlir::ring

#endif // RING_STRATEGIES_OWNHEADS_H
