// SPDX-License-Identifier: Apache-2.0
// Where the rows of a shard sit in the whole sequence. A mask is a statement
// about positions in the whole sequence, and a device holds only some of them,
// in the order its layout chose; a short list of ranges describes every layout.

#ifndef RING_POSITIONS_POSITIONS_H
#define RING_POSITIONS_POSITIONS_H

#include "ring/Positions/Span.h"

#include <cstdint>
#include <vector>

namespace ring::positions {

/// Longer sequences than this are a typing error, and the bound keeps sums and
/// products of positions within an int64_t.
inline constexpr int64_t kMostPositions = int64_t{1} << 40;

/// `size` rows, at least 1, at the positions begin, begin + stride, ... The
/// stride is positive, but for the rows that kernels visit.
struct PositionRange {
  int64_t begin;
  int64_t size;
  int64_t stride = 1;

  int64_t last() const { return begin + (size - 1) * stride; }
  /// Whether there are rows, and all of them from 0 to `kMostPositions`.
  bool isInSequence() const {
    return begin >= 0 && begin <= kMostPositions && size >= 1 && stride >= 1 &&
           size - 1 <= (kMostPositions - begin) / stride;
  }
  bool operator==(const PositionRange &other) const {
    return begin == other.begin && size == other.size && stride == other.stride;
  }
};

/// The positions of the rows of a shard, in row order. Examples, 16 rows over 4
/// devices, device 1:
///   contiguous  {4, 4, 1}
///   zigzag      {2, 2, 1}, {12, 2, 1}
///   striped     {1, 4, 4}
using Positions = std::vector<PositionRange>;

/// A view of such a list. For kernels no ranges at all means that row r has
/// position r.
using PositionList = Span<PositionRange>;

/// The positions of the rows `first` to `first + count - 1` of a shard.
Positions sliceRows(PositionList shard, int64_t first, int64_t count);

/// The smallest and the largest position of a set of rows.
struct PositionBounds {
  int64_t low;
  int64_t high;
};

/// Writes the positions of rows [begin, end) to `out`. Rows beyond the list
/// carry on where its last range ends.
void expandPositions(const PositionList &list, int64_t begin, int64_t end,
                     int64_t *out);

/// The bounds of the positions of rows [begin, end), at least one. A range is
/// monotonic, so its ends are enough.
PositionBounds boundsOfRows(const PositionList &list, int64_t begin,
                            int64_t end);

/// By how much the positions of rows [begin, end), at least one, rise from row
/// to row; 0 if they do not, or not evenly.
int64_t strideOfRows(const PositionList &list, int64_t begin, int64_t end);

} // namespace ring::positions

#endif // RING_POSITIONS_POSITIONS_H
