// SPDX-License-Identifier: Apache-2.0
// How much of a block a band lets through, by its extreme positions.

#include "ring/Positions/Band.h"

namespace ring::positions {
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

} // namespace

Coverage classify(PositionList queries, PositionList keys, const Band &band,
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

} // namespace ring::positions
