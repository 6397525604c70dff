// SPDX-License-Identifier: Apache-2.0
// Classifying and counting the pairs of positions that a band lets through.

#include "ring/Dialect/Ring/IR/Positions.h"

#include <algorithm>
#include <limits>

namespace mlir::ring {
namespace {

/// Classifies one range of queries against one range of keys by the extremes
/// of `key - query`.
Coverage classifyRanges(const PositionRange &queries, const PositionRange &keys,
                        const Band &band, std::optional<int64_t> keyLimit) {
  int64_t smallest = keys.begin - queries.last();
  int64_t largest = keys.last() - queries.begin;
  if ((keyLimit && keys.begin >= *keyLimit) ||
      (band.before && largest < -*band.before) ||
      (band.after && smallest > *band.after))
    return Coverage::Empty;
  if ((keyLimit && keys.last() >= *keyLimit) ||
      (band.before && smallest < -*band.before) ||
      (band.after && largest > *band.after))
    return Coverage::Partial;
  return Coverage::Full;
}

/// How many positions of `range` lie in `[first, last]`.
///
///   range 3, 7, 11, 15 and [4, 12]: 7 and 11, so 2
int64_t countWithin(const PositionRange &range, int64_t first, int64_t last) {
  first = std::max(first, range.begin);
  last = std::min(last, range.last());
  if (first > last)
    return 0;
  int64_t fromIndex = (first - range.begin + range.stride - 1) / range.stride;
  int64_t toIndex = (last - range.begin) / range.stride;
  return toIndex - fromIndex + 1;
}

} // namespace

Positions sliceRows(llvm::ArrayRef<PositionRange> shard, int64_t first,
                    int64_t count) {
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

Coverage classify(llvm::ArrayRef<PositionRange> queries,
                  llvm::ArrayRef<PositionRange> keys, const Band &band,
                  std::optional<int64_t> keyLimit) {
  bool anyEmpty = false, anyFull = false;
  for (const PositionRange &query : queries) {
    for (const PositionRange &key : keys) {
      switch (classifyRanges(query, key, band, keyLimit)) {
      case Coverage::Empty:
        anyEmpty = true;
        break;
      case Coverage::Full:
        anyFull = true;
        break;
      case Coverage::Partial:
        return Coverage::Partial;
      }
      if (anyEmpty && anyFull)
        return Coverage::Partial;
    }
  }
  return anyFull ? Coverage::Full : Coverage::Empty;
}

int64_t countPairs(llvm::ArrayRef<PositionRange> queries,
                   llvm::ArrayRef<PositionRange> keys, const Band &band,
                   std::optional<int64_t> keyLimit) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 2;
  int64_t pairs = 0;
  for (const PositionRange &query : queries) {
    for (const PositionRange &key : keys) {
      if (classifyRanges(query, key, band, keyLimit) == Coverage::Full) {
        pairs += query.size * key.size;
        continue;
      }
      for (int64_t i = 0; i < query.size; ++i) {
        int64_t position = query.begin + i * query.stride;
        int64_t first = band.before ? position - *band.before : -kFar;
        int64_t last = band.after ? position + *band.after : kFar;
        if (keyLimit)
          last = std::min(last, *keyLimit - 1);
        pairs += countWithin(key, first, last);
      }
    }
  }
  return pairs;
}

} // namespace mlir::ring
