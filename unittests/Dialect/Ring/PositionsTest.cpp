// SPDX-License-Identifier: Apache-2.0
// Classifying and counting pairs of positions, against brute force.

#include "ring/Dialect/Ring/IR/Positions.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::ring;

namespace {

std::vector<int64_t> expand(const Positions &positions) {
  std::vector<int64_t> all;
  for (const PositionRange &range : positions)
    for (int64_t i = 0; i < range.size; ++i)
      all.push_back(range.begin + i * range.stride);
  return all;
}

/// The definition: look at every pair.
int64_t countByHand(const Positions &queries, const Positions &keys,
                    const Band &band, std::optional<int64_t> limit) {
  int64_t pairs = 0;
  for (int64_t query : expand(queries))
    for (int64_t key : expand(keys))
      pairs += band.contains(query, key) && (!limit || key < *limit);
  return pairs;
}

TEST(PositionsTest, CausalDiagonalIsATriangle) {
  Band causal{std::nullopt, 0};
  Positions rows{{64, 32}};
  EXPECT_EQ(countPairs(rows, rows, causal), 32 * 33 / 2);
  EXPECT_EQ(classify(rows, rows, causal), Coverage::Partial);
}

TEST(PositionsTest, CausalOffDiagonalIsAllOrNothing) {
  Band causal{std::nullopt, 0};
  Positions early{{0, 32}}, late{{32, 32}};
  EXPECT_EQ(classify(late, early, causal), Coverage::Full);
  EXPECT_EQ(classify(early, late, causal), Coverage::Empty);
}

TEST(PositionsTest, PaddingIsNeverAttendedTo) {
  Positions queries{{0, 8}}, keys{{8, 8}};
  EXPECT_EQ(classify(queries, keys, Band{}, 8), Coverage::Empty);
  EXPECT_EQ(classify(queries, keys, Band{}, 12), Coverage::Partial);
  EXPECT_EQ(classify(queries, keys, Band{}, 16), Coverage::Full);
  EXPECT_EQ(countPairs(queries, keys, Band{}, 12), 8 * 4);
}

TEST(PositionsTest, RandomBlocksAgreeWithBruteForce) {
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
      band.after = upTo(20);
    if (upTo(2))
      band.before = upTo(60);
    std::optional<int64_t> limit;
    if (upTo(1))
      limit = upTo(80);
    int64_t expected = countByHand(queries, keys, band, limit);
    int64_t all = expand(queries).size() * expand(keys).size();
    ASSERT_EQ(countPairs(queries, keys, band, limit), expected);
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
