// SPDX-License-Identifier: Apache-2.0
// In which order a device visits the keys of its rows, as `order` of
// #ring.dilated says it.

#ifndef RING_ANALYSIS_VISITORDER_H
#define RING_ANALYSIS_VISITORDER_H

#include "ring/Dialect/Ring/IR/Positions.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

/// The numbers 0 to `count` - 1 in the order of their visits. They are laid out
/// row by row on a square whose side is a power of two, and the square is
/// walked through; places beyond the last number are passed over.
///
///   0 1      hilbert: 0 2 3 1      snake: 0 1 3 2
///   2 3
SmallVector<int64_t> visitOrder(KeyOrder order, int64_t count);

/// The positions of rows whose numbers are visited in some order, each `order`
/// long chunk of them for itself: the ranges to be read one after the other.
Positions visitPositions(ArrayRef<PositionRange> rows, ArrayRef<int64_t> order);

/// One device's legs, all of its own rows, that put every chunk of `rows` rows
/// into that order.
ArrayAttr visitLegs(MLIRContext *context, int64_t rows,
                    ArrayRef<int64_t> order);

} // namespace mlir::ring

#endif // RING_ANALYSIS_VISITORDER_H
