// SPDX-License-Identifier: Apache-2.0
//
// Transfers: measured points are met, and collectives take what their busiest
// link takes.

#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"

#include <gtest/gtest.h>

namespace ring::machine {
namespace {

TEST(LinkModel, MeetsTheMeasuredPackets) {
  Links links = loadMachine("t3000")->links;
  EXPECT_NEAR(hopBandwidth(links, Topology::Line, 4096), 9.95e9, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Line, 2048), 7.9e9, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096), 9.08e9, 1);
  // bfp8: pages of 1088 bytes, two in a packet.
  EXPECT_EQ(packetBytes(1088), 2176);
  EXPECT_NEAR(hopBandwidth(links, Topology::Line, packetBytes(1088)), 8.1e9,
              0.01e9);
  EXPECT_EQ(packetBytes(4096), 4096);
}

TEST(LinkModel, UsesAsManyLinksAsAsked) {
  Links links = loadMachine("wormhole-galaxy")->links;
  double all = hopBandwidth(links, Topology::Ring, 4096);
  EXPECT_NEAR(all, 4 * 8.6e9, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096, 1), all / 4, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096, 9), all, 1);
}

TEST(LinkModel, CollectivesTakeTheirBusiestLink) {
  Axis ring = layMesh(*loadMachine("wormhole-galaxy"), {8, 4}).axes[0];
  double one = 1e6 / (4 * 8.6e9);
  // Three shards come either way, and half of the opposite rank's.
  EXPECT_NEAR(allGatherSeconds(ring, 1e6), 3.5 * one + 4 * 854e-9, 1e-12);
  // Distances 1, 2, 3 in full and 4 by half: 8 pieces of an eighth.
  EXPECT_NEAR(allToAllSeconds(ring, 1e6), one + 4 * 854e-9, 1e-12);
  EXPECT_NEAR(allReduceSeconds(ring, 8e6), 2 * (3.5 * one + 4 * 854e-9), 1e-12);
  Axis line = layMesh(*loadMachine("t3000"), {2, 4}).axes[1];
  double slow = 1e6 / 9.95e9;
  EXPECT_NEAR(allGatherSeconds(line, 1e6), 3 * slow + 3 * 801e-9, 1e-12);
  // Two ranks send to two across the middle: 4 pieces of a quarter.
  EXPECT_NEAR(allToAllSeconds(line, 1e6), slow + 3 * 801e-9, 1e-12);
  Axis alone;
  EXPECT_EQ(allGatherSeconds(alone, 1e6), 0);
  EXPECT_EQ(allToAllSeconds(alone, 1e6), 0);
}

TEST(LinkModel, PartsOfAnAxis) {
  Axis ring = layMesh(*loadMachine("wormhole-galaxy"), {8, 4}).axes[0];
  Axis near = subAxis(ring, 4, 1), far = subAxis(ring, 4, 2);
  EXPECT_EQ(near.topology, Topology::Line);
  EXPECT_EQ(far.topology, Topology::Ring);
  // Four ranks two hops apart, twice over the same links.
  EXPECT_NEAR(allGatherSeconds(far, 1e6),
              2 * (1.5 * 1e6 / (4 * 8.6e9) + 2 * 854e-9), 1e-12);
  Axis hosts = layMesh(*loadMachine("blackhole-galaxy-4"), {32, 4}).axes[0];
  EXPECT_EQ(subAxis(hosts, 8, 1).perHost, 8);
  EXPECT_EQ(subAxis(hosts, 4, 8).perHost, 1);
}

TEST(LinkModel, SlowLinksBetweenHostsBind) {
  Axis axis = layMesh(*loadMachine("blackhole-galaxy-4"), {32, 4}).axes[0];
  EXPECT_GT(allGatherSeconds(axis, 1e6), 16 * 1e6 / 40.6e9);
}

TEST(LinkModel, CounterpartsShareNoLinks) {
  Axis axis;
  axis.ranks = 32;
  axis.perHost = 8;
  axis.topology = axis.insideTopology = Topology::Ring;
  axis.inside = {2, 20e9, 20e9, 20e9, 1e-6};
  axis.between = {1, 10e9, 10e9, 10e9, 5e-6};
  // From host to host past eight chips, all of which send.
  Axis ends = subAxis(axis, 4, 8);
  EXPECT_NEAR(allGatherSeconds(ends, 10e6), 1.5 * 8e-3, 2e-4);
  axis.wiring = Wiring::Counterparts;
  Axis outer = subAxis(axis, 4, 8);
  EXPECT_EQ(outer.ranks, 4);
  EXPECT_NEAR(allGatherSeconds(outer, 10e6), 1.5 * 1e-3 + 2 * 5e-6, 1e-9);
  // The chips of a host are the ring that they are without the others.
  Axis inner = subAxis(axis, 8, 1);
  EXPECT_EQ(inner.topology, Topology::Ring);
  EXPECT_NEAR(allGatherSeconds(inner, 10e6), 3.5 * 0.25e-3 + 4 * 1e-6, 1e-9);
}

} // namespace
} // namespace ring::machine
