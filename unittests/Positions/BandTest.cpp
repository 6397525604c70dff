// SPDX-License-Identifier: Apache-2.0
// Classifying and counting pairs of positions, against brute force.

#include "ring/Positions/Band.h"
#include "Expand.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace ring::positions;

namespace {

/// The definition: look at every pair.
PairCounts countByHand(const Positions &queries, const Positions &keys,
                       const Band &band, std::optional<int64_t> limit) {
  PairCounts counts;
  int64_t before = -1;
  for (int64_t query : expand(queries)) {
    int64_t met = 0;
    for (int64_t key : expand(keys))
      met += band.contains(query, key) && (!limit || key < *limit);
    counts.pairs += met;
    counts.most = std::max(counts.most, met);
    counts.sloping +=
        before >= 0 && met != before && std::abs(met - before) <= 8;
    before = met;
  }
  return counts;
}

TEST(BandTest, CausalDiagonalIsATriangle) {
  Band causal{std::nullopt, 0};
  Positions rows{{64, 32}};
  EXPECT_EQ(countPairs(rows, rows, causal), 32 * 33 / 2);
  EXPECT_EQ(classify(rows, rows, causal), Coverage::Partial);
}

TEST(BandTest, CausalOffDiagonalIsAllOrNothing) {
  Band causal{std::nullopt, 0};
  Positions early{{0, 32}}, late{{32, 32}};
  EXPECT_EQ(classify(late, early, causal), Coverage::Full);
  EXPECT_EQ(classify(early, late, causal), Coverage::Empty);
}

TEST(BandTest, PaddingIsNeverAttendedTo) {
  Positions queries{{0, 8}}, keys{{8, 8}};
  EXPECT_EQ(classify(queries, keys, Band{}, 8), Coverage::Empty);
  EXPECT_EQ(classify(queries, keys, Band{}, 12), Coverage::Partial);
  EXPECT_EQ(classify(queries, keys, Band{}, 16), Coverage::Full);
  EXPECT_EQ(countPairs(queries, keys, Band{}, 12), 8 * 4);
}

TEST(BandTest, RandomBlocksAgreeWithBruteForce) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  auto randomPositions = [&] {
    Positions positions;
    for (int64_t i = 0, ranges = 1 + upTo(2); i < ranges; ++i)
      positions.push_back({upTo(40), 1 + upTo(12), 1 + upTo(5)});
    return positions;
  };
  int empty = 0, full = 0, partial = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    Positions queries = randomPositions(), keys = randomPositions();
    Band band;
    if (upTo(2))
      band.after = upTo(25) - 5;
    if (upTo(2))
      band.before = upTo(65) - 5;
    std::optional<int64_t> limit;
    if (upTo(1))
      limit = upTo(80);
    PairCounts byHand = countByHand(queries, keys, band, limit);
    PairCounts counted = countRows(queries, keys, band, limit);
    int64_t expected = byHand.pairs;
    int64_t all = expand(queries).size() * expand(keys).size();
    ASSERT_EQ(counted.pairs, expected);
    ASSERT_EQ(counted.most, byHand.most);
    ASSERT_EQ(counted.sloping, byHand.sloping);
    switch (classify(queries, keys, band, limit)) {
    case Coverage::Empty:
      ++empty;
      ASSERT_EQ(expected, 0);
      break;
    case Coverage::Full:
      ++full;
      ASSERT_EQ(expected, all);
      break;
    case Coverage::Partial:
      ++partial;
      break;
    }
  }
  // The trial is worth something only if it met all three.
  EXPECT_GT(empty, 100);
  EXPECT_GT(full, 100);
  EXPECT_GT(partial, 100);
}

} // namespace
