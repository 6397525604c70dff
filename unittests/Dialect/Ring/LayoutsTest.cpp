// SPDX-License-Identifier: Apache-2.0
// Where devices stand and which positions they hold.

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace mlir::ring;

namespace {

class LayoutsTest : public ::testing::Test {
protected:
  LayoutsTest() { context.loadDialect<RingDialect>(); }

  LayoutAttr layout(LayoutKind kind, int64_t length, int64_t ranks,
                    int64_t offset = 0) {
    return LayoutAttr::get(&context, kind, length, ranks, offset);
  }

  MLIRContext context;
};

TEST_F(LayoutsTest, EveryLayoutDealsEveryPositionOnce) {
  for (LayoutKind kind : {LayoutKind::Contiguous, LayoutKind::Mirrored,
                          LayoutKind::Zigzag, LayoutKind::Striped})
    for (int64_t ranks : {1, 2, 3, 8})
      for (int64_t offset : {0, 5}) {
        int64_t length = ranks * 12;
        std::vector<int> holders(length);
        LayoutAttr attr = layout(kind, length, ranks, offset);
        for (int64_t rank = 0; rank < ranks; ++rank)
          for (const PositionRange &range : attr.positionsOf(rank))
            for (int64_t i = 0; i < range.size; ++i)
              ++holders.at(range.begin + i * range.stride - offset);
        EXPECT_EQ(std::count(holders.begin(), holders.end(), 1), length)
            << stringifyLayoutKind(kind).str() << " over " << ranks;
      }
}

TEST_F(LayoutsTest, ZigzagHoldsAnEarlyAndALateChunk) {
  Positions first = layout(LayoutKind::Zigzag, 64, 4).positionsOf(0);
  EXPECT_EQ(first, (Positions{{0, 8}, {56, 8}}));
  Positions last = layout(LayoutKind::Zigzag, 64, 4).positionsOf(3);
  EXPECT_EQ(last, (Positions{{24, 8}, {32, 8}}));
}

TEST_F(LayoutsTest, ZigzagBalancesACausalTriangle) {
  LayoutAttr zigzag = layout(LayoutKind::Zigzag, 96, 4);
  Band causal{std::nullopt, 0};
  for (int64_t rank = 0; rank < 4; ++rank) {
    int64_t pairs = 0;
    for (int64_t source = 0; source < 4; ++source)
      pairs += countPairs(zigzag.positionsOf(rank), zigzag.positionsOf(source),
                          causal);
    EXPECT_EQ(pairs, 96 * 97 / 2 / 4);
  }
}

TEST_F(LayoutsTest, HalvesOfAZigzagAreItsRangesInOrder) {
  LayoutAttr zigzag = layout(LayoutKind::Zigzag, 96, 4, /*offset=*/10);
  auto [early, late] = zigzag.halves();
  for (int64_t rank = 0; rank < 4; ++rank) {
    Positions both = early.positionsOf(rank);
    llvm::append_range(both, late.positionsOf(rank));
    EXPECT_EQ(both, zigzag.positionsOf(rank));
  }
}

TEST_F(LayoutsTest, RanksAndNeighboursOnBothAxes) {
  int64_t mesh[] = {2, 4};
  AxisAttr rows = AxisAttr::get(&context, 0, mesh);
  AxisAttr columns = AxisAttr::get(&context, 1, mesh);
  EXPECT_EQ(rows.getRanks(), 2);
  EXPECT_EQ(columns.getRanks(), 4);
  EXPECT_EQ(rows.rankOf(6), 1);
  EXPECT_EQ(columns.rankOf(6), 2);
  EXPECT_EQ(rows.neighbour(6, 1), 2);
  EXPECT_EQ(columns.neighbour(6, 1), 7);
  EXPECT_EQ(columns.neighbour(7, 1), 4);
  EXPECT_EQ(columns.neighbour(4, -1), 7);
}

TEST_F(LayoutsTest, SubRingsStayAmongThemselves) {
  int64_t mesh[] = {8, 4};
  AxisAttr inner = AxisAttr::get(&context, 0, mesh, 4, std::nullopt);
  AxisAttr outer = AxisAttr::get(&context, 0, mesh, 2, 4);
  // Coordinates (5, 1) are device 21: rank 1 among 4..7, rank 1 of {1, 5}.
  EXPECT_EQ(inner.rankOf(21), 1);
  EXPECT_EQ(outer.rankOf(21), 1);
  EXPECT_EQ(inner.neighbour(21, 3), 17);
  EXPECT_EQ(outer.neighbour(21, 1), 5);
}

TEST_F(LayoutsTest, BlocksFollowTheShift) {
  LayoutAttr contiguous = layout(LayoutKind::Contiguous, 64, 4);
  int64_t mesh[] = {1, 4};
  BlockAttr block = BlockAttr::get(&context, contiguous, contiguous,
                                   /*source=*/-1, /*first_key=*/0,
                                   AxisAttr::get(&context, 1, mesh));
  EXPECT_EQ(block.queriesOn(0, 16), (Positions{{0, 16}}));
  EXPECT_EQ(block.keysOn(0, 16), (Positions{{48, 16}}));
  EXPECT_EQ(block.keysOn(3, 16), (Positions{{32, 16}}));
}

TEST_F(LayoutsTest, ABlockInARingOfRingsHasAPlaceOnEitherAxis) {
  LayoutAttr contiguous = layout(LayoutKind::Contiguous, 64, 8);
  AxisAttr inner = AxisAttr::get(&context, 1, {2, 4});
  AxisAttr outer = AxisAttr::get(&context, 0, {2, 4});
  BlockAttr block = BlockAttr::get(&context, contiguous, contiguous,
                                   /*source=*/-1, inner,
                                   /*outer_source=*/-1, outer);
  EXPECT_EQ(block.getRanks(), 8);
  EXPECT_EQ(block.getRankAxis(), AxisAttr());
  // Host 0, neighbour 0 meets host 1, neighbour 3; neighbour 1 host 1's first.
  EXPECT_EQ(block.keysOn(0, 8)[0].begin, 7 * 8);
  EXPECT_EQ(block.keysOn(1, 8)[0].begin, 4 * 8);
  EXPECT_EQ(block.keysOn(6, 8)[0].begin, 1 * 8);
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(block.rankOf(block.deviceOf(rank)), rank);

  // Two digits of one axis: a flat axis has the same ranks.
  AxisAttr low = AxisAttr::get(&context, 0, {8, 2}, 4, std::nullopt);
  AxisAttr high = AxisAttr::get(&context, 0, {8, 2}, 2, 4);
  BlockAttr digits = BlockAttr::get(&context, contiguous, contiguous,
                                    /*source=*/-1, low,
                                    /*outer_source=*/-1, high);
  EXPECT_EQ(digits.getRankAxis(), AxisAttr::get(&context, 0, {8, 2}));
  for (int64_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(digits.rankOf(2 * rank + 1), rank);
    EXPECT_EQ(digits.keysOn(2 * rank, 8)[0].begin,
              block.keysOn(rank, 8)[0].begin);
  }
}

TEST_F(LayoutsTest, BlocksSliceTheirKeys) {
  int64_t mesh[] = {1, 4};
  AxisAttr axis = AxisAttr::get(&context, 1, mesh);
  // Rank 1 of 4 holds 8..15 and 48..55 of 64; rows 6 to 9 of them are the last
  // two of the early and the first two of the late chunk.
  BlockAttr some =
      BlockAttr::get(&context, LayoutAttr(), layout(LayoutKind::Zigzag, 64, 4),
                     /*source=*/1, /*first_key=*/6, axis);
  EXPECT_EQ(some.keysOn(0, 4), (Positions{{14, 2}, {48, 2}}));
  EXPECT_EQ(some.queriesOn(0, 5), (Positions{{0, 5}}));
  // A layout over one rank: every device has all keys, whatever the source.
  BlockAttr all = BlockAttr::get(&context, LayoutAttr(),
                                 layout(LayoutKind::Contiguous, 64, 1),
                                 /*source=*/3, /*first_key=*/0, axis);
  for (int64_t device = 0; device < 4; ++device)
    EXPECT_EQ(all.keysOn(device, 64), (Positions{{0, 64}}));
}

TEST_F(LayoutsTest, AnyNumberOfTurnsRoundTheRing) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  int64_t mesh[] = {2, 4};
  AxisAttr axis = AxisAttr::get(&context, 1, mesh);
  // 2^63 - 1 is 3 modulo 4, and -2^63 is 0.
  EXPECT_EQ(axis.neighbour(5, kMost), 4);
  EXPECT_EQ(axis.neighbour(5, kLeast), 5);
  LayoutAttr contiguous = layout(LayoutKind::Contiguous, 64, 4);
  auto block = [&](int64_t source) {
    return BlockAttr::get(&context, contiguous, contiguous, source,
                          /*first_key=*/0, axis);
  };
  EXPECT_EQ(block(kMost).keysOn(5, 16), (Positions{{0, 16}}));
  EXPECT_EQ(block(kLeast).keysOn(5, 16), (Positions{{16, 16}}));
}

/// What only a builder can get wrong: the text has no way to say it.
TEST_F(LayoutsTest, BuildersAreCheckedToo) {
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  int64_t mesh[] = {8, 4};
  EXPECT_TRUE(
      failed(AxisAttr::verify(emitError, 0, mesh, std::nullopt, /*stride=*/1)));
  EXPECT_EQ(said, "expects a size with stride = 1");
  int64_t axes[] = {ShardingAttr::kReplicated, 0};
  EXPECT_TRUE(failed(ShardingAttr::verify(emitError, axes, mesh,
                                          /*sequence=*/1, LayoutAttr(),
                                          /*outer=*/std::nullopt)));
  EXPECT_EQ(said, "expects the sequence and its layout together");
  EXPECT_TRUE(failed(ShardingAttr::verify(emitError, axes, mesh,
                                          /*sequence=*/std::nullopt,
                                          LayoutAttr(), /*outer=*/1)));
  EXPECT_EQ(said, "expects a sequence with outer = 1");
}

TEST_F(LayoutsTest, WindowsThatLookOnlyBackAreCausal) {
  EXPECT_TRUE(CausalAttr::get(&context).isCausal());
  EXPECT_TRUE(WindowAttr::get(&context, 7, 0).isCausal());
  EXPECT_TRUE(WindowAttr::get(&context, 7, -3).isCausal());
  EXPECT_FALSE(WindowAttr::get(&context, 7, 1).isCausal());
}

} // namespace
