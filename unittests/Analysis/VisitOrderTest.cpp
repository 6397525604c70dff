// SPDX-License-Identifier: Apache-2.0
// Orders of visits: every number once, and neighbours one step apart.

#include "ring/Analysis/VisitOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir::ring;

TEST(VisitOrder, SmallSquares) {
  using Numbers = llvm::SmallVector<int64_t>;
  EXPECT_EQ(visitOrder(KeyOrder::Identity, 3), (Numbers{0, 1, 2}));
  EXPECT_EQ(visitOrder(KeyOrder::Hilbert, 4), (Numbers{0, 2, 3, 1}));
  EXPECT_EQ(visitOrder(KeyOrder::Hilbert, 3), (Numbers{0, 2, 1}));
  EXPECT_EQ(visitOrder(KeyOrder::Snake, 4), (Numbers{0, 1, 3, 2}));
  EXPECT_EQ(visitOrder(KeyOrder::Hilbert, 1), (Numbers{0}));
}

TEST(VisitOrder, EveryNumberOnce) {
  for (KeyOrder order : {KeyOrder::Hilbert, KeyOrder::Snake})
    for (int64_t count : {1, 2, 5, 15, 16, 17, 60, 512}) {
      llvm::SmallVector<int64_t> visits = visitOrder(order, count);
      llvm::sort(visits);
      EXPECT_EQ(visits, visitOrder(KeyOrder::Identity, count));
    }
}

TEST(VisitOrder, NeighboursAreOneStepApart) {
  constexpr int64_t kSide = 16;
  for (KeyOrder order : {KeyOrder::Hilbert, KeyOrder::Snake}) {
    llvm::SmallVector<int64_t> visits = visitOrder(order, kSide * kSide);
    for (size_t i = 1; i < visits.size(); ++i) {
      int64_t rows = visits[i] / kSide - visits[i - 1] / kSide;
      int64_t columns = visits[i] % kSide - visits[i - 1] % kSide;
      EXPECT_EQ(std::abs(rows) + std::abs(columns), 1);
    }
  }
}

TEST(VisitOrder, ChunksAreVisitedEachForItself) {
  Positions visited = visitPositions({{8, 8, 1}}, {0, 2, 3, 1});
  llvm::SmallVector<int64_t> positions;
  for (const PositionRange &range : visited)
    for (int64_t i = 0; i < range.size; ++i)
      positions.push_back(range.begin + i * range.stride);
  EXPECT_EQ(positions,
            (llvm::SmallVector<int64_t>{8, 10, 11, 9, 12, 14, 15, 13}));
}
