// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of a shard sit in the whole sequence. A mask is a statement
// about positions in the whole sequence, and a device holds only some of them,
// in the order its layout chose; a short list of ranges describes every layout.

#ifndef RING_RUNTIME_KERNELS_POSITIONS_H
#define RING_RUNTIME_KERNELS_POSITIONS_H

#include <cstdint>

namespace ring::rt::kernels {

/// `size` rows at positions begin, begin + stride, begin + 2 * stride, ...
/// `stride` may be any sign.
struct PositionRange {
  int64_t begin = 0;
  int64_t size = 0;
  int64_t stride = 1;
};

/// The positions of consecutive rows, range after range. No ranges at all
/// means that row r has position r. Examples, 16 rows over 4 devices, device 1:
///   contiguous  {4, 4, 1}
///   zigzag      {2, 2, 1}, {12, 2, 1}
///   striped     {1, 4, 4}
struct PositionList {
  const PositionRange *ranges = nullptr;
  int64_t count = 0;
};

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

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_POSITIONS_H
