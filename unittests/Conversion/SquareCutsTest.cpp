// SPDX-License-Identifier: Apache-2.0
// Blocks cut into squares: every pair that a band lets through is in exactly
// one piece, every query in some piece, and the pieces are those that the
// device's kernel wants.

#include "SplitBlocks/SquareCuts.h"
#include "gtest/gtest.h"

#include <map>
#include <string>

using namespace mlir::ring;

namespace {

llvm::SmallVector<RowPair> cut(int64_t queries, int64_t keys, int64_t firstKey,
                               const Band &band) {
  BlockPositions positions{{{0, queries}}, {{firstKey, keys}}};
  return cutSquares(positions, band);
}

bool holds(const RowPiece &piece, int64_t row) {
  return row >= piece.first && row < piece.first + piece.size;
}

void expectEveryPairOnce(int64_t queries, int64_t keys, int64_t firstKey,
                         const Band &band) {
  llvm::SmallVector<RowPair> pairs = cut(queries, keys, firstKey, band);
  for (int64_t query = 0; query < queries; ++query) {
    bool isThere = false;
    for (const RowPair &pair : pairs)
      isThere |= holds(pair.queries, query);
    ASSERT_TRUE(isThere) << "query " << query;
    for (int64_t key = 0; key < keys; ++key) {
      int64_t times = 0;
      for (const RowPair &pair : pairs)
        times += holds(pair.queries, query) && holds(pair.keys, key);
      ASSERT_LE(times, 1) << "query " << query << ", key " << key;
      if (band.contains(query, firstKey + key)) {
        ASSERT_EQ(times, 1) << "query " << query << ", key " << key;
      }
    }
  }
}

TEST(SquareCutsTest, EveryPairIsInOnePiece) {
  const Band bands[] = {{}, {{}, 0}, {20, 0}, {40, 7}, {100, 90}, {-3, 50}};
  for (int64_t queries : {5, 64, 96, 112, 160, 256})
    for (int64_t keys : {7, 32, 64, 128, 200, 256})
      for (int64_t firstKey : {-256, -64, -32, 0, 64})
        for (const Band &band : bands) {
          SCOPED_TRACE(::testing::Message()
                       << queries << " queries, " << keys << " keys from "
                       << firstKey << ", band " << band.before.value_or(-1)
                       << " " << band.after.value_or(-1));
          expectEveryPairOnce(queries, keys, firstKey, band);
        }
}

/// How many pieces of each shape there are, as text: "1 of 64 x 64, ...".
std::string shapes(llvm::ArrayRef<RowPair> pairs) {
  std::map<std::pair<int64_t, int64_t>, int64_t> counts;
  for (const RowPair &pair : pairs)
    ++counts[{pair.queries.size, pair.keys.size}];
  std::string text;
  for (auto [shape, count] : counts)
    text += std::to_string(count) + " of " + std::to_string(shape.first) +
            " x " + std::to_string(shape.second) + "; ";
  return text;
}

TEST(SquareCutsTest, JointQueriesAreSquaresAndARest) {
  EXPECT_EQ(shapes(cut(2560, 2048, 0, {})),
            "4 of 512 x 512; 1 of 2048 x 2048; ");
  EXPECT_EQ(shapes(cut(5686, 5568, 0, {})),
            "1 of 118 x 5568; 1 of 5568 x 5568; ");
  EXPECT_EQ(shapes(cut(2560, 512, 0, {})), "5 of 512 x 512; ");
  // 178 squares of one tile would be worse than the few scores of the whole.
  EXPECT_EQ(shapes(cut(5686, 32, 0, {})), "1 of 5686 x 32; ");
}

TEST(SquareCutsTest, HalosAreOneSquare) {
  // The 128 keys before 512 queries, of which 100 are reached: 128 queries
  // reach them, and 384 none.
  EXPECT_EQ(shapes(cut(512, 128, -128, {100, 0})),
            "1 of 128 x 128; 1 of 384 x 128; ");
  // The other way round.
  EXPECT_EQ(shapes(cut(512, 128, 512, {0, 100})),
            "1 of 128 x 128; 1 of 384 x 128; ");
}

TEST(SquareCutsTest, NarrowWindowsAreFollowed) {
  EXPECT_EQ(shapes(cut(1024, 1024, 0, {100, 0})), "64 of 128 x 128; ");
  EXPECT_EQ(shapes(cut(256, 256, 0, {200, 0})), "1 of 256 x 256; ");
}

} // namespace
