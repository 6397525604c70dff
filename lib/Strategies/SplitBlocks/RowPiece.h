// SPDX-License-Identifier: Apache-2.0
// Rows of a shard that one piece of a block is about.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_ROWPIECE_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_ROWPIECE_H

#include <cstdint>

namespace mlir::ring {

/// Rows `[first, first + size)` of a shard whose positions are evenly spaced.
struct RowPiece {
  int64_t first;
  int64_t size;
  /// The distance of two neighbours, in the unit that `Reach` counts in.
  int64_t stride;

  bool isSameShape(const RowPiece &other) const {
    return size == other.size && stride == other.stride;
  }
};

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_ROWPIECE_H
