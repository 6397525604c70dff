// SPDX-License-Identifier: Apache-2.0
// What single devices get where they differ.

#ifndef RING_DIALECT_RING_IR_ROUTETRANSFERS_H
#define RING_DIALECT_RING_IR_ROUTETRANSFERS_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// By source, what one device gets along its legs, rows of `input`'s dimension
/// `dim`. Its own rows are not among it.
SmallVector<Transfer> transfersAlong(ArrayAttr legs, RankedTensorType input,
                                     int64_t dim, AxisAttr axis);

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_ROUTETRANSFERS_H
