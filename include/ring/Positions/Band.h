// SPDX-License-Identifier: Apache-2.0
// Which pairs of positions a band lets through, and how many. Everything that
// is masked, skipped or counted in this project is decided here.

#ifndef RING_POSITIONS_BAND_H
#define RING_POSITIONS_BAND_H

#include "ring/Positions/Positions.h"

#include <optional>

namespace ring::positions {

/// The keys that a query at position `p` attends to: `p - before` to
/// `p + after`, where nothing means without bound.
///
///   full      before = ., after = .
///   causal    before = ., after = 0
///   window w  before = w - 1, after = 0
struct Band {
  std::optional<int64_t> before = std::nullopt;
  std::optional<int64_t> after = std::nullopt;

  static Band causal() { return {std::nullopt, 0}; }
  bool isUnbounded() const { return !before && !after; }
  bool contains(int64_t query, int64_t key) const {
    return (!before || key >= query - *before) &&
           (!after || key <= query + *after);
  }
};

/// How much of a block of queries x keys a band lets through.
enum class Coverage { Empty, Partial, Full };

/// Classifies a block. Keys at `keyLimit` and beyond are padding, which nobody
/// attends to. Empty and Full are certain; Partial may also be said of a block
/// that is neither by its extreme positions alone.
Coverage classify(PositionList queries, PositionList keys, const Band &band,
                  std::optional<int64_t> keyLimit = std::nullopt);

/// The keys that the queries of a block meet.
struct PairCounts {
  int64_t pairs = 0;
  int64_t most = 0;    ///< of one query
  int64_t sloping = 0; ///< queries that meet a few more or fewer than the last
};

/// Counts the keys below `keyLimit` that lie in the band of each query, without
/// going through the rows one by one.
PairCounts countRows(PositionList queries, PositionList keys, const Band &band,
                     std::optional<int64_t> keyLimit = std::nullopt);

/// Counts the (query, key) pairs that the band lets through.
inline int64_t countPairs(PositionList queries, PositionList keys,
                          const Band &band,
                          std::optional<int64_t> keyLimit = std::nullopt) {
  return countRows(queries, keys, band, keyLimit).pairs;
}

} // namespace ring::positions

#endif // RING_POSITIONS_BAND_H
