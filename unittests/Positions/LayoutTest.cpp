// SPDX-License-Identifier: Apache-2.0
// Layouts both ways, rows by their number, and coordinates of devices.

#include "ring/Positions/MeshAxis.h"
#include "ring/Positions/SequenceLayout.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace ring::positions;

namespace {

TEST(LayoutTest, WhoHoldsAPositionFindsItThere) {
  const std::pair<LayoutKind, int64_t> kinds[] = {
      {LayoutKind::Contiguous, 0},  {LayoutKind::Mirrored, 0},
      {LayoutKind::Zigzag, 0},      {LayoutKind::Striped, 0},
      {LayoutKind::BlockCyclic, 1}, {LayoutKind::BlockCyclic, 2},
      {LayoutKind::BlockCyclic, 6}};
  for (auto [kind, block] : kinds)
    for (int64_t ranks : {1, 3, 4}) {
      SequenceLayout layout{kind, 6 * ranks, ranks, 5, block};
      ASSERT_FALSE(layout.misfit());
      std::vector<bool> seen(layout.length);
      for (int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> rows(layout.shardLength());
        Positions positions = layout.positionsOf(rank);
        expandPositions(positions, 0, layout.shardLength(), rows.data());
        for (int64_t row = 0; row < layout.shardLength(); ++row) {
          ShardRow found = layout.locate(rows[row]);
          EXPECT_EQ(found.rank, rank);
          EXPECT_EQ(found.row, row);
          seen[rows[row] - layout.offset] = true;
        }
      }
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(),
                              [](bool position) { return position; }));
    }
}

TEST(LayoutTest, WhatDoesNotDivideIsRefused) {
  EXPECT_EQ(SequenceLayout({LayoutKind::Zigzag, 12, 4}).misfit(),
            "expects twice the ranks to divide 12, but got 4");
  EXPECT_EQ(SequenceLayout({LayoutKind::Striped, 10, 4}).misfit(),
            "expects the ranks to divide 10, but got 4");
  EXPECT_EQ(SequenceLayout({LayoutKind::BlockCyclic, 96, 4, 0, 16}).misfit(),
            "expects 4 ranks to share the 96 positions in whole blocks, but "
            "got blocks of 16");
  EXPECT_EQ(SequenceLayout({LayoutKind::Striped, 8, 4, 0, 2}).misfit(),
            "expects a block of 1 to 8 rows in a block-cyclic layout, and none "
            "in others, but got 2");
}

TEST(LayoutTest, RelativesOfBlockCyclic) {
  // Blocks of a shard are contiguous, blocks of one row are striped.
  for (int64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(
        SequenceLayout({LayoutKind::BlockCyclic, 24, 4, 3, 6})
            .positionsOf(rank),
        SequenceLayout({LayoutKind::Contiguous, 24, 4, 3}).positionsOf(rank));
    EXPECT_EQ(
        SequenceLayout({LayoutKind::BlockCyclic, 24, 4, 3, 1})
            .positionsOf(rank),
        SequenceLayout({LayoutKind::Striped, 24, 4, 3}).positionsOf(rank));
  }
  const Positions second = {{2, 2}, {10, 2}, {18, 2}};
  EXPECT_EQ(
      SequenceLayout({LayoutKind::BlockCyclic, 24, 4, 0, 2}).positionsOf(1),
      second);
}

TEST(LayoutTest, StrideOfRows) {
  EXPECT_EQ(strideOfRows({}, 3, 9), 1);
  const PositionRange ranges[] = {{0, 4, 3}, {100, 2, -1}, {50, 5, 2}};
  const PositionList list{ranges, 3};
  EXPECT_EQ(strideOfRows(list, 0, 4), 3);
  EXPECT_EQ(strideOfRows(list, 2, 5), 0) << "two ranges";
  EXPECT_EQ(strideOfRows(list, 4, 6), 0) << "positions fall";
  EXPECT_EQ(strideOfRows(list, 6, 20), 2) << "the last range goes on";
}

TEST(LayoutTest, SubRingsShareAnAxis) {
  const std::vector<int64_t> mesh = {8, 4};
  MeshAxis far(mesh, /*index=*/0, /*size=*/2, /*stride=*/4);
  for (int64_t device = 0; device < 32; ++device) {
    std::vector<int64_t> at = coordinatesOf(mesh, device);
    EXPECT_EQ(at[0] * 4 + at[1], device);
    EXPECT_EQ(far.rankOf(device), at[0] / 4);
    EXPECT_EQ(far.neighbour(device, 1), (device + 16) % 32);
    EXPECT_EQ(far.neighbour(device, -1), far.neighbour(device, 1));
    EXPECT_EQ(far.member(device, far.rankOf(device)), device);
  }
  EXPECT_EQ(MeshAxis::all(mesh).ranks(), 32);
  EXPECT_EQ(MeshAxis::misfitOf(mesh, 0, 3, 1),
            "expects size * stride to divide the 8 devices of axis 0, but got "
            "3 * 1");
}

} // namespace
