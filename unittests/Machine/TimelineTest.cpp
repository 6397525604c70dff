// SPDX-License-Identifier: Apache-2.0
//
// Timelines: laws of overlap, links that transfers share, and the sizes that
// the planner asks for.

#include "ring/Machine/Timeline.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"

#include <gtest/gtest.h>

namespace ring::machine {
namespace {

/// Devices in a row on one axis of a machine's links.
Timeline rowOf(const Axis &axis) {
  Timeline timeline;
  timeline.mesh = {axis.ranks};
  timeline.axes = {axis};
  timeline.differs = {true};
  return timeline;
}

Axis ringOf(const char *name, int64_t ranks) {
  MachineOrError machine = loadMachine(name);
  Axis axis = layMesh(*machine, machine->shape()).axes[0];
  axis.ranks = axis.perHost = ranks;
  axis.topology = Topology::Ring;
  return axis;
}

MeshTransfer shiftOf(const Timeline &timeline, double bytes, int64_t by = 1) {
  MeshTransfer shift;
  shift.ranks = timeline.mesh[0];
  shift.parts = {{-by, bytes}};
  return shift;
}

/// A ring: every step but the last sends on while a block is computed.
Timeline ringTimeline(const Axis &axis, double bytes) {
  Timeline timeline = rowOf(axis);
  timeline.blocks.resize(1);
  for (int64_t step = 0; step < axis.ranks; ++step) {
    bool last = step + 1 == axis.ranks;
    size_t transfer = last ? 0 : timeline.start(shiftOf(timeline, bytes));
    timeline.compute(std::vector<int32_t>{0});
    if (!last)
      timeline.wait(transfer);
  }
  return timeline;
}

constexpr double kBlock = 1e-3;

TEST(Timeline, HidesWhatFitsBehindCompute) {
  Timeline timeline = ringTimeline(ringOf("blackhole-galaxy", 8), 1e6);
  TimelineTime beside = play(timeline, {kBlock});
  EXPECT_NEAR(beside.seconds, 8 * kBlock, 1e-12);
  EXPECT_EQ(beside.exposedSeconds, 0);
  TimelineTime alternates = play(timeline, {kBlock}, 0, /*alternates=*/true);
  EXPECT_NEAR(alternates.seconds, 8 * kBlock + alternates.exposedSeconds,
              1e-12);
  EXPECT_NEAR(alternates.exposedSeconds, alternates.transferSeconds, 1e-12);
  EXPECT_GT(alternates.exposedSeconds, 0);
}

TEST(Timeline, OverlapIsNeverSlowerAndNeverBelowABound) {
  for (int64_t ranks : {2, 4, 8, 16, 32})
    for (double bytes : {1e5, 1e7, 1e8}) {
      Timeline timeline = ringTimeline(ringOf("wormhole-galaxy", ranks), bytes);
      TimelineTime time = play(timeline, {kBlock});
      EXPECT_GE(time.seconds, time.computeSeconds);
      EXPECT_GE(time.seconds, time.transferSeconds);
      EXPECT_LE(time.seconds, play(timeline, {kBlock}, 0, true).seconds);
      EXPECT_NEAR(time.bytesSent, bytes * static_cast<double>(ranks - 1), 1e-3);
    }
}

/// One rank, or one host's, must give what all ranks one by one give.
TEST(Timeline, OneDeviceStandsForAll) {
  for (const char *name : {"wormhole-galaxy", "blackhole-galaxy-4"}) {
    MachineOrError machine = loadMachine(name);
    Axis axis = layMesh(*machine, machine->shape()).axes[0];
    Timeline alike = ringTimeline(axis, 1e8);
    // A part of the axis tells ranks apart; nothing is sent on it.
    Timeline oneByOne = ringTimeline(axis, 1e8);
    MeshTransfer pairs = shiftOf(oneByOne, 0);
    pairs.ranks = 1;
    oneByOne.wait(oneByOne.start(pairs));
    TimelineTime a = play(alike, {kBlock}), b = play(oneByOne, {kBlock});
    EXPECT_GT(a.exposedSeconds, 0) << name;
    EXPECT_NEAR(a.seconds, b.seconds, 1e-12) << name;
    EXPECT_NEAR(a.exposedSeconds, b.exposedSeconds, 1e-12) << name;
    EXPECT_NEAR(a.transferSeconds, b.transferSeconds, 1e-12) << name;
  }
}

TEST(Timeline, TheSlowestDeviceHoldsTheOthersUp) {
  Timeline timeline = rowOf(ringOf("blackhole-galaxy", 4));
  timeline.blocks.resize(2);
  // A contiguous causal ring: at step s, ranks below s have nothing to do.
  for (int64_t step = 0; step < 4; ++step) {
    size_t transfer =
        step < 3 ? timeline.start(shiftOf(timeline, 1e6)) : size_t(0);
    std::vector<int32_t> blocks;
    for (int64_t rank = 0; rank < 4; ++rank)
      blocks.push_back(step == 0 ? 1 : rank >= step ? 0 : kNoBlock);
    timeline.compute(blocks);
    if (step < 3)
      timeline.wait(transfer);
  }
  TimelineTime time = play(timeline, {kBlock, kBlock / 2});
  EXPECT_NEAR(time.computeSeconds, 3.5 * kBlock, 1e-12);
  EXPECT_NEAR(time.seconds, 3.5 * kBlock, 1e-6);
}

TEST(Timeline, TransfersOfALinkComeOneAfterTheOther) {
  Axis ring = ringOf("wormhole-galaxy", 8);
  double start = ring.inside.start;
  // What follows the first packet, and the first packet over one hop.
  double one = (1e6 - 4096) / hopBandwidth(ring.inside, Topology::Ring, 4096);
  double latency = ring.inside.hopLatency(Topology::Ring, 4096);
  auto secondsOf = [&](const Axis &axis, int64_t by, int64_t first) {
    Timeline timeline = rowOf(axis);
    MeshTransfer shift = shiftOf(timeline, 1e6, by);
    shift.firstReceiver = first;
    timeline.wait(timeline.start(shift));
    return play(timeline, {}).seconds;
  };
  EXPECT_NEAR(secondsOf(ring, 1, 0), start + one + latency, 1e-12);
  // Three hops: every link carries three streams, each of which has three
  // links' latency.
  EXPECT_NEAR(secondsOf(ring, -3, 0), start + 3 * (one + 3 * latency), 1e-12);
  // Six forward is two back.
  EXPECT_NEAR(secondsOf(ring, 6, 0), start + 2 * (one + 2 * latency), 1e-12);
  EXPECT_EQ(secondsOf(ring, 8, 0), 0);
  // The end of a line sends back through all of it; an open chain does not.
  Axis line = layMesh(*loadMachine("t3000"), {2, 4}).axes[1];
  double slow = (1e6 - 4096) / hopBandwidth(line.inside, Topology::Line, 4096);
  double hop = line.inside.hopLatency(Topology::Line, 4096);
  EXPECT_NEAR(secondsOf(line, 1, 0), start + slow + 3 * hop, 1e-12);
  EXPECT_NEAR(secondsOf(line, 1, 1), start + slow + hop, 1e-12);
}

TEST(Timeline, CollectivesBeginWhenAllAreThere) {
  Axis axis = ringOf("wormhole-galaxy", 8);
  Timeline timeline = rowOf(axis);
  timeline.blocks.resize(1);
  MeshTransfer trade;
  trade.carriage = Carriage::AllToAll;
  trade.ranks = 8;
  trade.parts = {{1, 1e6}};
  timeline.wait(timeline.start(trade));
  timeline.compute({0, 0, kNoBlock, 0, 0, 0, 0, 0});
  timeline.wait(timeline.start(trade));
  TimelineTime time = play(timeline, {kBlock});
  double once = axis.inside.start + allToAllSeconds(axis, 8e6);
  EXPECT_NEAR(time.seconds, kBlock + 2 * once, 1e-12);
  EXPECT_NEAR(time.bytesSent, 2 * 7e6, 1e-3);
}

TEST(Timeline, AnOpenChainSendsHalfAndTakesNoLonger) {
  Axis line = layMesh(*loadMachine("t3000"), {2, 4}).axes[1];
  auto ring = [&](bool open) {
    Timeline timeline = rowOf(line);
    for (int64_t hop = 1; hop < line.ranks; ++hop) {
      MeshTransfer shift = shiftOf(timeline, 1e6);
      shift.firstReceiver = open ? hop : 0;
      timeline.wait(timeline.start(shift));
    }
    return play(timeline, {});
  };
  TimelineTime closed = ring(false), open = ring(true);
  EXPECT_NEAR(closed.bytesSent, 3e6, 1e-3);
  // 3, 2 and 1 of 4 ranks get something.
  EXPECT_NEAR(open.bytesSent, 1.5e6, 1e-3);
  EXPECT_LT(open.seconds, closed.seconds);
}

/// Every rank meets every shard once, whichever way it comes.
TEST(Timeline, RingJointMeetsEveryShardOnce) {
  for (int64_t ranks : {2, 3, 4, 7, 8})
    for (bool closed : {true, false}) {
      if (closed && ranks == 2)
        continue;
      Timeline timeline = rowOf(ringOf("wormhole-galaxy", ranks));
      std::vector<std::vector<int64_t>> met(ranks,
                                            std::vector<int64_t>(ranks, 0));
      FusedRing ring;
      ring.ranks = ranks;
      ring.closed = closed;
      ring.shardBytes = 1e6;
      timeline.blocks.resize(1);
      addRingJoint(timeline, ring, [&](int64_t rank, int64_t owner) -> int32_t {
        ++met[rank][owner];
        return 0;
      });
      for (const std::vector<int64_t> &shards : met)
        for (int64_t times : shards)
          EXPECT_EQ(times, 1) << ranks << closed;
      TimelineTime time = play(timeline, {kBlock});
      EXPECT_NEAR(time.bytesSent, 1e6 * static_cast<double>(ranks - 1), 1e-3);
      EXPECT_NEAR(time.computeSeconds, static_cast<double>(ranks) * kBlock,
                  1e-12);
    }
}

/// A fused ring begins once; the halves of the opposite shard come either way.
TEST(Timeline, RingJointTakesItsStartAndTheLongestLane) {
  Axis axis = ringOf("blackhole-galaxy", 8);
  auto secondsOf = [&](double shard, double block) {
    Timeline timeline = rowOf(axis);
    FusedRing ring;
    ring.ranks = 8;
    ring.shardBytes = shard;
    ring.startSeconds = fusedStartSeconds(axis);
    timeline.blocks.resize(1);
    addRingJoint(timeline, ring, [](int64_t, int64_t) { return 0; });
    return play(timeline, {block}).seconds;
  };
  double start = fusedStartSeconds(axis);
  EXPECT_EQ(start, 2 * axis.inside.start);
  // All of the transfers are hidden, or all of the blocks but the last.
  EXPECT_NEAR(secondsOf(4096, kBlock), start + 8 * kBlock, 1e-9);
  double gather = allGatherSeconds(axis, 100e6);
  EXPECT_NEAR(secondsOf(100e6, 1e-9), start + gather, 1e-5);
}

TEST(Timeline, OneProcessorDoesAllTheWork) {
  MachineOrError machine = loadMachine("cpu-mesh");
  Timeline timeline;
  timeline.mesh = {2, 4};
  timeline.axes = layMesh(*machine, {2, 4}).axes;
  timeline.differs = {false, true};
  timeline.blocks.resize(1);
  MeshTransfer shift;
  shift.axis = 1;
  shift.ranks = 4;
  shift.parts = {{-1, 1e6}};
  size_t transfer = timeline.start(shift);
  timeline.compute(std::vector<int32_t>{0});
  timeline.wait(transfer);
  timeline.compute(std::vector<int32_t>{0});
  TimelineTime time = play(timeline, {0.1});
  EXPECT_NEAR(time.computeSeconds, 1.6, 1e-9);
  EXPECT_NEAR(time.seconds, 1.6 + 8 * 2e-6, 1e-9);
}

TEST(Timeline, OneProcessorReadsExchangedRowsWhereTheyLie) {
  MachineOrError machine = loadMachine("cpu-mesh");
  for (Carriage carriage : {Carriage::AllGather, Carriage::AllToAll}) {
    Timeline timeline;
    timeline.mesh = {1, 4};
    timeline.axes = layMesh(*machine, {1, 4}).axes;
    timeline.differs = {false, true};
    MeshTransfer transfer;
    transfer.carriage = carriage;
    transfer.axis = 1;
    transfer.ranks = 4;
    transfer.parts = {{1, carriage == Carriage::AllGather ? 12e6 : 3e6}};
    timeline.wait(timeline.start(transfer));
    TimelineTime copied = play(timeline, {});
    // Each rank's 12 MB at 12 GB/s, after it was handed over.
    EXPECT_NEAR(copied.seconds, 4 * (1e-3 + 2e-6), 1e-9);
    timeline.transfers[0].inPlace = true;
    TimelineTime inPlace = play(timeline, {});
    EXPECT_NEAR(inPlace.seconds, 4 * 2e-6, 1e-9);
    EXPECT_EQ(inPlace.bytesSent, copied.bytesSent);
  }
}

TEST(Timeline, AThousandChipsAreOneWhereTheyAreAlike) {
  MachineOrError machine = loadMachine("blackhole-galaxy-32");
  MeshOnMachine row = layMesh(*machine, {1, machine->chips()});
  TimelineTime time = play(ringTimeline(row.axes[1], 1e6), {kBlock});
  EXPECT_NEAR(time.computeSeconds, 1024 * kBlock, 1e-9);
}

} // namespace
} // namespace ring::machine
