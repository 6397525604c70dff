// SPDX-License-Identifier: Apache-2.0
// The places of packed documents, and the pairs that they have.

#include "ring/Positions/Documents.h"

#include <algorithm>

namespace ring::positions {
namespace {

/// Places, and rows behind them that fill up, are so few that kernels can
/// compare all of them.
constexpr int64_t kMostPlaces = int64_t(1) << 28;

/// Calls `visit(document, begin, end)` for the documents with rows, counted
/// without the others, as long as it returns true.
template <typename Visit>
void forEachDocument(Span<int64_t> ends, Visit visit) {
  int64_t begin = 0, number = 0;
  for (int64_t end : ends) {
    if (end == begin)
      continue;
    if (!visit(number, begin, end))
      return;
    begin = end;
    ++number;
  }
}

} // namespace

std::optional<std::string> Documents::misfit() const {
  if (ends.empty())
    return "expects the end of at least one document";
  int64_t before = 0;
  for (int64_t end : ends) {
    if (end < before)
      return "expects ends of documents that do not fall, but got " +
             std::to_string(end) + " behind " + std::to_string(before);
    before = end;
  }
  if (length() < 1 || length() > kMostPositions)
    return "expects documents of 1 to " + std::to_string(kMostPositions) +
           " rows, but got " + std::to_string(length());
  if (ends.size() > (kMostPlaces - std::min(length(), kMostPlaces)) / longest())
    return "expects documents times the rows of the longest to be at most " +
           std::to_string(kMostPlaces) + ", but got " +
           std::to_string(ends.size()) + " times " + std::to_string(longest());
  return std::nullopt;
}

std::optional<std::string> Documents::misfitOf(int64_t rows) const {
  if (rows > kMostPlaces)
    return "expects packed documents in at most " +
           std::to_string(kMostPlaces) + " rows, but got " +
           std::to_string(rows);
  if (length() <= rows)
    return std::nullopt;
  return "expects documents within " + std::to_string(rows) +
         " rows, but they end at " + std::to_string(length());
}

int64_t Documents::longest() const {
  int64_t most = 1;
  forEachDocument(ends, [&](int64_t, int64_t begin, int64_t end) {
    most = std::max(most, end - begin);
    return true;
  });
  return most;
}

Band Documents::band() const {
  int64_t reach = longest() - 1;
  return {reach, causal ? 0 : reach};
}

Positions Documents::placesOf(PositionList rows, int64_t idle,
                              std::optional<int64_t> limit) const {
  int64_t gap = longest(), last = length();
  if (limit)
    last = std::min(last, *limit);
  Positions places;
  for (const PositionRange &range : rows) {
    // How many rows of the range are before `row`.
    auto countBefore = [&](int64_t row) {
      int64_t away = row - range.begin;
      return away <= 0 ? 0
                       : std::min(range.size,
                                  (away + range.stride - 1) / range.stride);
    };
    forEachDocument(ends, [&](int64_t number, int64_t begin, int64_t end) {
      int64_t first = countBefore(begin);
      int64_t size = countBefore(std::min(end, last)) - first;
      if (size > 0)
        places.push_back({range.begin + first * range.stride + number * gap,
                          size, range.stride});
      return end <= range.last();
    });
    if (int64_t seen = countBefore(last); seen < range.size)
      places.push_back({idle, range.size - seen});
  }
  return places;
}

int64_t Documents::countPairs(int64_t begin, int64_t end) const {
  int64_t pairs = 0;
  forEachDocument(ends, [&](int64_t, int64_t first, int64_t last) {
    int64_t from = std::max(begin, first), to = std::min(end, last);
    int64_t rows = std::max<int64_t>(to - from, 0);
    // Of a causal document row p meets p - first + 1 keys.
    pairs += causal ? (from - first + 1 + to - first) * rows / 2
                    : rows * (last - first);
    return last < end;
  });
  return pairs;
}

int64_t Documents::countPairs(std::optional<int64_t> keyLimit) const {
  if (!keyLimit || *keyLimit >= length())
    return countPairs(0, length());
  int64_t pairs = 0;
  forEachDocument(ends, [&](int64_t, int64_t begin, int64_t end) {
    int64_t rows = end - begin;
    int64_t keys = std::clamp<int64_t>(*keyLimit - begin, 0, rows);
    pairs +=
        causal ? keys * (keys + 1) / 2 + (rows - keys) * keys : rows * keys;
    return true;
  });
  return pairs;
}

} // namespace ring::positions
