// SPDX-License-Identifier: Apache-2.0
// Along a range of queries the number of keys met is linear but for a few
// breaks: where a side of the band enters a range of keys, where it leaves it,
// and where it reaches the limit. So each piece is known by its ends. Worked
// example, queries 0 to 7, keys 4 to 7, causal: rows 0 to 3 meet none, rows 4
// to 7 meet 1, 2, 3, 4; the pieces [0, 4) and [4, 8) give 0 and (1 + 4) * 4
// / 2.

#include "ring/Positions/Band.h"

#include <algorithm>
#include <cstdlib>

namespace ring::positions {

namespace {

constexpr int64_t kFar = int64_t(1) << 60;

/// How many of the positions of a range lie in [low, high].
int64_t countWithin(const PositionRange &range, int64_t low, int64_t high) {
  // The first index at or above low, and the last at or below high.
  int64_t first = low <= range.begin
                      ? 0
                      : (low - range.begin + range.stride - 1) / range.stride;
  if (high < range.begin)
    return 0;
  int64_t last = std::min(range.size - 1, (high - range.begin) / range.stride);
  return std::max<int64_t>(0, last - first + 1);
}

/// The queries of one range against all keys.
class QueryRange {
public:
  QueryRange(const PositionRange &queries, PositionList keys, const Band &band,
             std::optional<int64_t> keyLimit)
      : queries(queries), keys(keys), band(band),
        keyLimit(keyLimit.value_or(kFar)) {}

  /// The keys that row `i` meets.
  int64_t met(int64_t i) const {
    int64_t query = queries.begin + i * queries.stride;
    int64_t low = band.before ? query - *band.before : -kFar;
    int64_t high = band.after ? query + *band.after : kFar;
    high = std::min(high, keyLimit - 1);
    int64_t count = 0;
    for (const PositionRange &range : keys)
      count += countWithin(range, low, high);
    return count;
  }

  /// The first rows of all pieces, ascending, and the end. Where the queries'
  /// stride is no multiple of the keys', every row is a piece.
  std::vector<int64_t> pieces() const {
    std::vector<int64_t> starts = {0, queries.size};
    bool even = true;
    auto breakAt = [&](int64_t offset, int64_t position) {
      // The first row whose position + offset is at or above `position`.
      int64_t away = position - offset - queries.begin;
      int64_t row =
          away <= 0 ? 0 : (away + queries.stride - 1) / queries.stride;
      starts.push_back(std::min(row, queries.size));
    };
    for (bool upper : {false, true}) {
      if (!(upper ? band.after : band.before))
        continue;
      int64_t offset = upper ? *band.after : -*band.before - 1;
      breakAt(offset, keyLimit - 1);
      for (const PositionRange &range : keys) {
        even &= queries.stride % range.stride == 0;
        breakAt(offset, range.begin);
        breakAt(offset, range.last());
      }
    }
    if (!even) {
      starts.clear();
      for (int64_t i = 0; i <= queries.size; ++i)
        starts.push_back(i);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    return starts;
  }

private:
  const PositionRange &queries;
  PositionList keys;
  const Band &band;
  int64_t keyLimit;
};

} // namespace

PairCounts countRows(PositionList queries, PositionList keys, const Band &band,
                     std::optional<int64_t> keyLimit) {
  constexpr int64_t kFew = 8;
  PairCounts counts;
  int64_t before = -1;
  auto slopes = [](int64_t step) {
    return step != 0 && std::abs(step) <= kFew;
  };
  for (const PositionRange &range : queries) {
    QueryRange rows(range, keys, band, keyLimit);
    std::vector<int64_t> starts = rows.pieces();
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
      int64_t count = starts[i + 1] - starts[i];
      int64_t first = rows.met(starts[i]), last = rows.met(starts[i + 1] - 1);
      counts.pairs += (first + last) * count / 2;
      counts.most = std::max({counts.most, first, last});
      counts.sloping += before >= 0 && slopes(first - before);
      if (count > 1 && slopes((last - first) / (count - 1)))
        counts.sloping += count - 1;
      before = last;
    }
  }
  return counts;
}

} // namespace ring::positions
