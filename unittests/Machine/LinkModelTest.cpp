// SPDX-License-Identifier: Apache-2.0
//
// Transfers: measured points are met, collectives take what their busiest link
// takes, and laws hold on random ones.

#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshLinks.h"
#include "ring/Machine/MeshOnMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ring::machine {
namespace {

TEST(LinkModel, MeetsTheMeasuredPackets) {
  Links links = loadMachine("t3000")->links;
  // The router binds, or the wire.
  EXPECT_NEAR(hopBandwidth(links, Topology::Line, 2048), 7.91e9, 0.01e9);
  EXPECT_NEAR(hopBandwidth(links, Topology::Line, 4096), 9.95e9, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096), 9.25e9, 0.01e9);
  Links blackhole = loadMachine("p150")->links;
  EXPECT_NEAR(hopBandwidth(blackhole, Topology::Line, 15232, 1), 41.8e9, 1);
  // bfp8: pages of 1088 bytes, two in a packet.
  EXPECT_EQ(packetBytes(1088), 2176);
  EXPECT_EQ(packetBytes(4096), 4096);
}

TEST(LinkModel, UsesAsManyLinksAsAsked) {
  Links links = loadMachine("wormhole-galaxy")->links;
  double all = hopBandwidth(links, Topology::Ring, 4096);
  EXPECT_NEAR(all, 4 * 4096 / 469e-9, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096, 1), all / 4, 1);
  EXPECT_NEAR(hopBandwidth(links, Topology::Ring, 4096, 9), all, 1);
}

TEST(LinkModel, CollectivesTakeTheirBusiestLink) {
  Axis ring = layMesh(*loadMachine("wormhole-galaxy"), {8, 4}).axes[0];
  double one = 1e6 / (4 * 4096 / 469e-9);
  // A packet goes to the router at 30 B/ns and over the wire at 9.95 B/ns.
  double hop = 854e-9 + 4096 / 30e9 + 4096 / 9.95e9;
  // Three shards come either way, and half of the opposite rank's.
  EXPECT_NEAR(allGatherSeconds(ring, 1e6), 3.5 * one + 4 * hop, 1e-12);
  // Distances 1, 2, 3 in full and 4 by half: 8 pieces of an eighth.
  EXPECT_NEAR(allToAllSeconds(ring, 1e6), one + 4 * hop, 1e-12);
  EXPECT_NEAR(allReduceSeconds(ring, 8e6), 2 * (3.5 * one + 4 * hop), 1e-12);
  Axis line = layMesh(*loadMachine("t3000"), {2, 4}).axes[1];
  double slow = 1e6 / 9.95e9;
  hop = 801e-9 + 4096 / 30e9 + 4096 / 9.95e9;
  EXPECT_NEAR(allGatherSeconds(line, 1e6), 3 * slow + 3 * hop, 1e-12);
  // Two ranks send to two across the middle: 4 pieces of a quarter.
  EXPECT_NEAR(allToAllSeconds(line, 1e6), slow + 3 * hop, 1e-12);
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
  double one = 1e6 / (4 * 4096 / 469e-9);
  double hop = 854e-9 + 4096 / 30e9 + 4096 / 9.95e9;
  EXPECT_NEAR(allGatherSeconds(far, 1e6), 2 * (1.5 * one + 2 * hop), 1e-12);
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
  axis.inside = {2, {0, 20e9}, {0, 20e9}, 1e-6};
  axis.between = {1, {0, 10e9}, {0, 10e9}, 5e-6};
  // From host to host past eight chips, all of which send.
  Axis ends = subAxis(axis, 4, 8);
  EXPECT_NEAR(allGatherSeconds(ends, 10e6), 1.5 * 8e-3, 2e-4);
  axis.wiring = Wiring::Counterparts;
  Axis outer = subAxis(axis, 4, 8);
  EXPECT_EQ(outer.ranks, 4);
  // A packet is 0.4 us on a link between hosts, 0.2 on one inside.
  EXPECT_NEAR(allGatherSeconds(outer, 10e6), 1.5 * 1e-3 + 2 * 5.4096e-6, 1e-9);
  // The chips of a host are the ring that they are without the others.
  Axis inner = subAxis(axis, 8, 1);
  EXPECT_EQ(inner.topology, Topology::Ring);
  EXPECT_NEAR(allGatherSeconds(inner, 10e6), 3.5 * 0.25e-3 + 4 * 1.2048e-6,
              1e-9);
}

/// Laws that any links keep, on random transfers: whoever breaks one predicts
/// what cannot be.
class LinkLaws : public ::testing::TestWithParam<const char *> {
protected:
  int64_t between(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  Axis axisOf(int64_t ranks, Topology topology) {
    Axis axis;
    axis.ranks = axis.perHost = ranks;
    axis.topology = topology;
    axis.inside = loadMachine(GetParam())->links;
    return axis;
  }
  Topology anyTopology() {
    return between(0, 1) == 0 ? Topology::Line : Topology::Ring;
  }
  template <typename Check>
  void onTransfers(Check check) {
    for (int i = 0; i < 200; ++i) {
      TransferOptions options;
      options.packet = static_cast<double>(between(16, 15232));
      options.links = between(0, 4);
      check(axisOf(between(2, 32), anyTopology()),
            static_cast<double>(between(1 << 16, 1 << 30)), options);
    }
  }
  /// Seconds of every collective.
  static std::vector<double> all(const Axis &axis, double bytes,
                                 const TransferOptions &options) {
    return {allGatherSeconds(axis, bytes, options),
            allToAllSeconds(axis, bytes, options),
            allReduceSeconds(axis, bytes, options)};
  }
  static void expectNotFaster(const std::vector<double> &less,
                              const std::vector<double> &more,
                              const char *law) {
    for (size_t i = 0; i < less.size(); ++i)
      EXPECT_LE(less[i], more[i] * (1 + 1e-9)) << law << " " << i;
  }

  std::mt19937 random{20260801};
};

TEST_P(LinkLaws, MoreToCarryIsNotFaster) {
  onTransfers([&](const Axis &axis, double bytes, TransferOptions options) {
    expectNotFaster(all(axis, bytes, options), all(axis, 1.5 * bytes, options),
                    "more bytes");
    Axis longer = axis;
    longer.ranks = ++longer.perHost;
    expectNotFaster({allGatherSeconds(axis, bytes, options)},
                    {allGatherSeconds(longer, bytes, options)}, "more ranks");
  });
}

TEST_P(LinkLaws, BetterLinksAreNotSlower) {
  onTransfers([&](const Axis &axis, double bytes, TransferOptions options) {
    Axis better = axis;
    ++better.inside.count;
    options.links = 0;
    expectNotFaster(all(better, bytes, options), all(axis, bytes, options),
                    "links");
    better = axis;
    better.inside.scaleBandwidth(1.5);
    expectNotFaster(all(better, bytes, options), all(axis, bytes, options),
                    "bandwidth");
    better = axis;
    better.inside.latency /= 2;
    expectNotFaster(all(better, bytes, options), all(axis, bytes, options),
                    "latency");
  });
}

/// A packet of more bytes is longer on its way, so that the law is of streams.
TEST_P(LinkLaws, LargerPacketsCarryNoLess) {
  onTransfers([&](const Axis &axis, double, const TransferOptions &options) {
    for (Topology topology : {Topology::Line, Topology::Ring}) {
      double before = hopBandwidth(axis.inside, topology, options.packet);
      double after = hopBandwidth(axis.inside, topology, 1.3 * options.packet);
      EXPECT_LE(before, after * (1 + 1e-9));
      // Nothing is faster than the wire.
      EXPECT_LE(after, axis.inside.on(topology).bandwidth *
                           static_cast<double>(axis.inside.count) * (1 + 1e-9));
    }
  });
}

TEST_P(LinkLaws, ClosingALineDoesNotSlowItDown) {
  onTransfers([&](const Axis &axis, double bytes,
                  const TransferOptions &options) {
    if (axis.ranks < 3)
      return;
    expectNotFaster(
        {allGatherSeconds(axisOf(axis.ranks, Topology::Ring), bytes, options)},
        {allGatherSeconds(axisOf(axis.ranks, Topology::Line), bytes, options)},
        "a ring");
  });
}

TEST_P(LinkLaws, FartherIsNotFaster) {
  onTransfers(
      [&](const Axis &axis, double bytes, const TransferOptions &options) {
        MeshLinks links({axis.ranks}, {axis});
        double before = 0;
        for (int64_t far = 1; far <= axis.ranks / 2; ++far) {
          double longest = 0;
          for (const LinkUse &use : links.direct(0, far, bytes, options))
            longest = std::max(longest, use.seconds);
          EXPECT_LE(before, longest);
          before = longest;
        }
        EXPECT_GE(before, axis.inside.latency);
      });
}

INSTANTIATE_TEST_SUITE_P(Machines, LinkLaws,
                         ::testing::Values("n300", "t3000", "wormhole-galaxy",
                                           "quiet-box", "blackhole-galaxy"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace ring::machine
