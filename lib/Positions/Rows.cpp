// SPDX-License-Identifier: Apache-2.0
// The rows of a shard, one by one, a few of them, or by their bounds.

#include "ring/Positions/Positions.h"

#include <algorithm>
#include <limits>

namespace ring::positions {

Positions sliceRows(PositionList shard, int64_t first, int64_t count) {
  Positions rows;
  for (const PositionRange &range : shard) {
    int64_t skipped = std::min(first, range.size);
    int64_t taken = std::min(count, range.size - skipped);
    if (taken > 0)
      rows.push_back(
          {range.begin + skipped * range.stride, taken, range.stride});
    first -= skipped;
    count -= taken;
  }
  return rows;
}

void expandPositions(const PositionList &list, int64_t begin, int64_t end,
                     int64_t *out) {
  if (list.empty()) {
    for (int64_t row = begin; row < end; ++row)
      *out++ = row;
    return;
  }
  int64_t rangeBegin = 0;
  for (int64_t index = 0; index < list.size() && begin < end; ++index) {
    const PositionRange &range = list[index];
    bool last = index + 1 == list.size();
    int64_t rangeEnd = last ? end : std::min(end, rangeBegin + range.size);
    for (; begin < rangeEnd; ++begin)
      *out++ = range.begin + (begin - rangeBegin) * range.stride;
    rangeBegin += range.size;
  }
}

PositionBounds boundsOfRows(const PositionList &list, int64_t begin,
                            int64_t end) {
  if (list.empty())
    return {begin, end - 1};
  PositionBounds bounds{std::numeric_limits<int64_t>::max(),
                        std::numeric_limits<int64_t>::min()};
  int64_t rangeBegin = 0;
  for (int64_t index = 0; index < list.size() && begin < end; ++index) {
    const PositionRange &range = list[index];
    const bool last = index + 1 == list.size();
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
  if (list.empty())
    return 1;
  int64_t rangeBegin = 0, index = 0;
  for (; index + 1 < list.size(); ++index) {
    const int64_t rangeEnd = rangeBegin + list[index].size;
    if (end <= rangeEnd)
      break;
    if (begin < rangeEnd)
      return 0;
    rangeBegin = rangeEnd;
  }
  return std::max<int64_t>(list[index].stride, 0);
}

} // namespace ring::positions
