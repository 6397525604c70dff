// SPDX-License-Identifier: Apache-2.0
//
// Expansion of position lists; see Positions.h.

#include "Kernels/Positions.h"

#include <algorithm>
#include <limits>

namespace ring::rt::kernels {

void expandPositions(const PositionList &list, int64_t begin, int64_t end,
                     int64_t *out) {
  if (list.count == 0) {
    for (int64_t row = begin; row < end; ++row)
      *out++ = row;
    return;
  }
  int64_t rangeBegin = 0;
  for (int64_t index = 0; index < list.count && begin < end; ++index) {
    const PositionRange &range = list.ranges[index];
    bool last = index + 1 == list.count;
    int64_t rangeEnd = last ? end : std::min(end, rangeBegin + range.size);
    for (; begin < rangeEnd; ++begin)
      *out++ = range.begin + (begin - rangeBegin) * range.stride;
    rangeBegin += range.size;
  }
}

PositionBounds boundsOfRows(const PositionList &list, int64_t begin,
                            int64_t end) {
  if (list.count == 0)
    return {begin, end - 1};
  PositionBounds bounds{std::numeric_limits<int64_t>::max(),
                        std::numeric_limits<int64_t>::min()};
  int64_t rangeBegin = 0;
  for (int64_t index = 0; index < list.count && begin < end; ++index) {
    const PositionRange &range = list.ranges[index];
    const bool last = index + 1 == list.count;
    const int64_t rangeEnd =
        last ? end : std::min(end, rangeBegin + range.size);
    if (begin < rangeEnd) {
      const int64_t first = range.begin + (begin - rangeBegin) * range.stride;
      const int64_t final =
          range.begin + (rangeEnd - 1 - rangeBegin) * range.stride;
      bounds.low = std::min({bounds.low, first, final});
      bounds.high = std::max({bounds.high, first, final});
      begin = rangeEnd;
    }
    rangeBegin += range.size;
  }
  return bounds;
}

int64_t strideOfRows(const PositionList &list, int64_t begin, int64_t end) {
  if (list.count == 0)
    return 1;
  int64_t rangeBegin = 0, index = 0;
  for (; index + 1 < list.count; ++index) {
    const int64_t rangeEnd = rangeBegin + list.ranges[index].size;
    if (end <= rangeEnd)
      break;
    if (begin < rangeEnd)
      return 0;
    rangeBegin = rangeEnd;
  }
  return std::max<int64_t>(list.ranges[index].stride, 0);
}

} // namespace ring::rt::kernels
