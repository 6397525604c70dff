// SPDX-License-Identifier: Apache-2.0
//
// Meshes of programs on machines: which chips they take, how these are wired,
// and what does not fit.

#include "ring/Machine/MeshOnMachine.h"
#include "ring/Machine/MachineFile.h"

#include <gtest/gtest.h>

namespace ring::machine {
namespace {

MeshOnMachine lay(const char *machine, const std::vector<int64_t> &shape) {
  MachineOrError found = loadMachine(machine);
  EXPECT_TRUE(found) << found.error;
  return layMesh(*found, shape);
}

/// What the words say is what the axes are.
void expect(const char *machine, const std::vector<int64_t> &shape,
            const std::vector<Topology> &topology, const std::string &chips) {
  MeshOnMachine laid = lay(machine, shape);
  SCOPED_TRACE(shapeText(shape) + " of " + machine);
  EXPECT_EQ(laid.error, "");
  EXPECT_EQ(laid.chips, chips);
  ASSERT_EQ(laid.axes.size(), shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    EXPECT_EQ(laid.axes[i].ranks, shape[i]);
    EXPECT_EQ(laid.axes[i].topology, topology[i]) << "axis " << i;
  }
}

constexpr Topology kLine = Topology::Line, kRing = Topology::Ring;

TEST(MeshOnMachine, TheMachineAsItStandsNeedsNoWords) {
  expect("wormhole-galaxy", {8, 4}, {kRing, kRing}, "");
  expect("t3000", {2, 4}, {kLine, kLine}, "");
  expect("n300", {1, 2}, {kLine, kLine}, "");
  expect("n150", {1, 1}, {kLine, kLine}, "");
  expect("cpu-mesh", {3, 5}, {kRing, kRing}, "");
  expect("wormhole-galaxy", {4, 8}, {kRing, kRing},
         "all chips turned round, a ring and a ring");
}

TEST(MeshOnMachine, ARowIsARingWhereChipsMakeOne) {
  expect("wormhole-galaxy", {8, 1}, {kRing, kLine}, "the first column, a ring");
  expect("wormhole-galaxy", {1, 4}, {kLine, kRing}, "the first row, a ring");
  expect("wormhole-galaxy", {4, 1}, {kRing, kLine}, "the first row, a ring");
  expect("wormhole-galaxy", {1, 32}, {kLine, kRing},
         "all 32 chips walked round, a ring");
  expect("wormhole-galaxy", {16, 1}, {kRing, kLine},
         "the first 8 x 2 chips walked round, a ring");
  expect("wormhole-galaxy", {6, 1}, {kRing, kLine},
         "the first 3 x 2 chips walked round, a ring");
  expect("t3000", {1, 8}, {kLine, kRing}, "all 8 chips walked round, a ring");
  expect("t3000", {1, 4}, {kLine, kRing},
         "the first 2 x 2 chips walked round, a ring");
  expect("quiet-box", {4, 1}, {kRing, kLine},
         "all 4 chips walked round, a ring");
}

TEST(MeshOnMachine, OtherRowsAreLines) {
  expect("wormhole-galaxy", {7, 1}, {kLine, kLine},
         "the first 7 chips of the first column, a line");
  expect("wormhole-galaxy", {1, 2}, {kLine, kLine},
         "the first 2 chips of the first row, a line");
  expect("wormhole-galaxy", {2, 1}, {kLine, kLine},
         "the first 2 chips of the first column, a line");
  expect("t3000", {1, 3}, {kLine, kLine},
         "the first 3 chips of the first row, a line");
  // Seven chips are neither a column, a row nor a block of 2 x 4.
  expect("t3000", {1, 7}, {kLine, kLine},
         "the first 7 chips of a walk over all, a line");
  expect("n300", {2, 1}, {kLine, kLine}, "all 2 chips, a line");
  expect("t3000", {1, 1}, {kLine, kLine}, "one chip");
}

TEST(MeshOnMachine, ABlockIsTurnedWhereThatKeepsAnAxisClosed) {
  expect("wormhole-galaxy", {2, 2}, {kLine, kLine},
         "the first 2 x 2 chips, a line and a line");
  expect("wormhole-galaxy", {4, 2}, {kRing, kLine},
         "the first 2 x 4 chips turned round, a ring and a line");
  expect("wormhole-galaxy", {8, 2}, {kRing, kLine},
         "the first 8 x 2 chips, a ring and a line");
  expect("wormhole-galaxy", {2, 1, 4}, {kLine, kLine, kRing},
         "the first 2 x 4 chips, a line and a ring");
  expect("t3000", {2, 2}, {kLine, kLine},
         "the first 2 x 2 chips, a line and a line");
}

TEST(MeshOnMachine, WhatIsMoreThanAHostIsWholeHosts) {
  // A Galaxy of four is one that stands alone.
  expect("galaxies-4", {8, 4}, {kRing, kRing},
         "the first 8 x 4 chips, a ring and a ring");
  EXPECT_EQ(lay("galaxies-4", {8, 4}).axes[0].perHost, 8);
  expect("galaxies-4", {16, 4}, {kLine, kRing},
         "the first 16 x 4 chips, a line and a ring");
  MeshOnMachine two = lay("galaxies-4", {16, 4});
  EXPECT_EQ(two.axes[0].perHost, 8);
  EXPECT_EQ(two.axes[0].insideTopology, kRing);
  EXPECT_EQ(two.axes[0].wiring, Wiring::Counterparts);
  expect("galaxies-4", {1, 8}, {kLine, kRing},
         "the first column of a host, a ring");
  expect("galaxies-4", {1, 64}, {kLine, kLine},
         "2 hosts of 32 chips, one after the other, a line");
  EXPECT_EQ(lay("galaxies-4", {1, 64}).axes[1].perHost, 32);
  MeshOnMachine all = lay("blackhole-galaxy-4", {32, 4});
  EXPECT_EQ(all.axes[0].perHost, 8);
  EXPECT_TRUE(all.axes[0].leavesHost(7));
  EXPECT_FALSE(all.axes[0].leavesHost(8));
  expect("blackhole-galaxy-32", {1, 1024}, {kLine, kRing},
         "32 hosts of 32 chips, one after the other, a ring");
}

TEST(MeshOnMachine, SaysWhatDoesNotFit) {
  EXPECT_EQ(lay("quiet-box", {1, 8}).error,
            "expects at most the 4 chips of 2x2 for machine 'quiet-box', but "
            "got 1x8");
  EXPECT_EQ(lay("n150", {1, 2}).error,
            "expects at most the one chip of 1x1 for machine 'n150', but got "
            "1x2");
  EXPECT_EQ(lay("t3000", {int64_t(1) << 40, int64_t(1) << 40}).axes.size(), 0u);
  EXPECT_EQ(lay("wormhole-galaxy", {2, 16}).error,
            "expects a part of 8x4, as it is or turned round, or chips in a "
            "row for machine 'wormhole-galaxy', but got 2x16");
  EXPECT_EQ(lay("galaxies-4", {12, 4}).error,
            "expects a part of 32x4, as it is or turned round, or chips in a "
            "row, and whole hosts of 8x4 beyond one for machine 'galaxies-4', "
            "but got 12x4");
  EXPECT_EQ(lay("galaxies-4", {1, 48}).error,
            "expects whole hosts of 32 chips where a row is longer than one "
            "for machine 'galaxies-4', but got 1x48");
}

/// A part never has better wires than the axis that it is a part of.
TEST(MeshOnMachine, APartIsNoBetterThanTheWhole) {
  MachineOrError galaxy = loadMachine("blackhole-galaxy");
  Axis whole = layMesh(*galaxy, {8, 4}).axes[0];
  Axis part = layMesh(*galaxy, {7, 4}).axes[0];
  EXPECT_GT(allGatherSeconds(part, 8e6 / 7), allGatherSeconds(whole, 1e6));
}

} // namespace
} // namespace ring::machine
