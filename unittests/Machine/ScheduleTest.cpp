// SPDX-License-Identifier: Apache-2.0
//
// Abstract schedules: laws of overlap, and the sizes that the planner asks for.

#include "ring/Machine/Schedule.h"
#include "ring/Machine/MachineFile.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ring::machine {
namespace {

/// One rank's block of a ring over `ranks`, `tokens` in all, 8 heads of 128.
AttentionCall blockOf(int64_t tokens, int64_t ranks) {
  AttentionCall call;
  call.heads = 8;
  call.queries = call.keys = tokens / ranks;
  call.keyDim = call.valueDim = 128;
  call.carriesState = true;
  return call;
}

Schedule ringSchedule(const Machine &machine, const Axis &axis,
                      int64_t tokens) {
  AttentionCall call = blockOf(tokens, axis.ranks);
  double compute = attentionTime(machine, call).seconds;
  StepTransfer shift;
  shift.bytes = 2.0 * 2 * 8 * 128 * static_cast<double>(call.keys);
  Schedule schedule;
  schedule.axes = {axis};
  schedule.steps = {{{compute}, {shift}, axis.ranks - 1}, {{compute}, {}, 1}};
  return schedule;
}

Axis ringOf(const Machine &machine, int64_t ranks) {
  Axis axis = layMesh(machine, machine.shape()).axes[0];
  axis.ranks = axis.perHost = ranks;
  axis.topology = Topology::Ring;
  return axis;
}

TEST(Schedule, HidesWhatFitsBehindCompute) {
  MachineOrError machine = loadMachine("blackhole-galaxy");
  Schedule schedule = ringSchedule(*machine, ringOf(*machine, 8), 1 << 20);
  ScheduleTime time = simulate(schedule);
  EXPECT_NEAR(time.seconds, time.computeSeconds, 1e-12);
  EXPECT_EQ(time.exposedSeconds, 0);
  schedule.overlaps = false;
  ScheduleTime without = simulate(schedule);
  EXPECT_NEAR(without.seconds, time.computeSeconds + without.exposedSeconds,
              1e-9);
  EXPECT_GT(without.exposedSeconds, 0);
}

TEST(Schedule, OverlapIsNeverSlowerAndNeverBelowABound) {
  MachineOrError machine = loadMachine("wormhole-galaxy");
  double before = 1e9;
  for (int64_t ranks : {2, 4, 8, 16, 32}) {
    Schedule schedule = ringSchedule(*machine, ringOf(*machine, ranks), 32768);
    ScheduleTime time = simulate(schedule);
    EXPECT_GE(time.seconds, time.computeSeconds);
    EXPECT_GE(time.seconds, time.transferSeconds);
    EXPECT_LT(time.computeSeconds, before);
    before = time.computeSeconds;
    schedule.overlaps = false;
    EXPECT_LE(time.seconds, simulate(schedule).seconds);
    EXPECT_NEAR(time.bytesSent, 2.0 * 2 * 8 * 128 * 32768 * (ranks - 1) / ranks,
                1e-3);
  }
}

TEST(Schedule, FallsWithRanksUntilTransfersShow) {
  MachineOrError machine = loadMachine("blackhole-galaxy");
  std::vector<ScheduleTime> times;
  for (int64_t ranks = 2; ranks <= 64; ranks *= 2)
    times.push_back(
        simulate(ringSchedule(*machine, ringOf(*machine, ranks), 65536)));
  bool shows = false;
  for (size_t i = 1; i < times.size(); ++i) {
    shows |= times[i].exposedSeconds > 0;
    if (!shows)
      EXPECT_LT(times[i].seconds, times[i - 1].seconds);
  }
  EXPECT_EQ(times.front().exposedSeconds, 0);
  EXPECT_TRUE(shows);
}

TEST(Schedule, BothWaysHalveTheSteps) {
  MachineOrError machine = loadMachine("wormhole-galaxy");
  Axis axis = ringOf(*machine, 9);
  Schedule oneWay = ringSchedule(*machine, axis, 9 * 512);
  Schedule bothWays = oneWay;
  StepTransfer forward = oneWay.steps[0].transfers[0], backward = forward;
  backward.hops = -1;
  double compute = oneWay.steps[0].compute[0];
  bothWays.steps = {{{compute}, {forward, backward}, 1},
                    {{2 * compute}, {forward, backward}, 3},
                    {{2 * compute}, {}, 1}};
  ScheduleTime one = simulate(oneWay), both = simulate(bothWays);
  EXPECT_NEAR(one.bytesSent, both.bytesSent, 1e-6);
  EXPECT_NEAR(one.computeSeconds, both.computeSeconds, 1e-12);
  EXPECT_NEAR(one.transferSeconds, 2 * both.transferSeconds, 1e-12);
  EXPECT_LE(both.seconds, one.seconds);
}

/// The class of equal ranks must give what all ranks one by one give.
TEST(Schedule, OneRankStandsForAll) {
  for (const char *name : {"wormhole-galaxy", "blackhole-galaxy-4"}) {
    MachineOrError machine = loadMachine(name);
    Axis axis = layMesh(*machine, machine->shape()).axes[0];
    Schedule alike = ringSchedule(*machine, axis, axis.ranks * 512);
    Schedule oneByOne = alike;
    for (ScheduleStep &step : oneByOne.steps)
      step.compute.assign(axis.ranks, step.compute[0]);
    ScheduleTime a = simulate(alike), b = simulate(oneByOne);
    EXPECT_GT(a.exposedSeconds, 0) << name;
    EXPECT_NEAR(a.seconds, b.seconds, 1e-12) << name;
    EXPECT_NEAR(a.exposedSeconds, b.exposedSeconds, 1e-12) << name;
    EXPECT_NEAR(a.transferSeconds, b.transferSeconds, 1e-12) << name;
  }
}

TEST(Schedule, TheSlowestRankHoldsTheOthersUp) {
  MachineOrError machine = loadMachine("blackhole-galaxy");
  Schedule schedule = ringSchedule(*machine, ringOf(*machine, 4), 1 << 17);
  double block = schedule.steps[0].compute[0];
  // A contiguous causal ring: at step s, ranks below s have nothing to do.
  schedule.steps.clear();
  StepTransfer shift;
  shift.bytes = 1e6;
  for (int64_t step = 0; step < 4; ++step) {
    ScheduleStep next;
    for (int64_t rank = 0; rank < 4; ++rank)
      next.compute.push_back(step == 0 ? block / 2 : rank >= step ? block : 0);
    if (step < 3)
      next.transfers = {shift};
    schedule.steps.push_back(next);
  }
  ScheduleTime time = simulate(schedule);
  EXPECT_NEAR(time.computeSeconds, 3.5 * block, 1e-9);
  EXPECT_NEAR(time.seconds, 3.5 * block, 1e-6);
}

TEST(Schedule, CollectivesComeBeforeAndAfter) {
  MachineOrError machine = loadMachine("wormhole-galaxy");
  Axis axis = ringOf(*machine, 8);
  StepTransfer trade;
  trade.kind = StepTransfer::Kind::AllToAll;
  trade.bytes = 8e6;
  trade.data = StepTransfer::Data::Given;
  StepTransfer back = trade;
  back.data = StepTransfer::Data::Computed;
  Schedule schedule;
  schedule.axes = {axis};
  schedule.steps = {{{}, {trade}, 1}, {{1e-3}, {}, 1}, {{}, {back}, 1}};
  ScheduleTime time = simulate(schedule);
  double once = allToAllSeconds(axis, 8e6);
  EXPECT_NEAR(time.seconds, 1e-3 + 2 * once, 1e-12);
  EXPECT_NEAR(time.exposedSeconds, 2 * once, 1e-12);
  EXPECT_NEAR(time.bytesSent, 2 * 7e6, 1e-3);
}

TEST(Schedule, AnAxisOfOneSendsNothing) {
  Schedule schedule;
  schedule.axes = {Axis()};
  schedule.steps = {{{1.0}, {StepTransfer()}, 3}};
  ScheduleTime time = simulate(schedule);
  EXPECT_EQ(time.seconds, 3);
  EXPECT_EQ(time.bytesSent, 0);
}

TEST(Schedule, AnOpenChainSendsHalfAndTakesNoLonger) {
  Axis line = layMesh(*loadMachine("t3000"), {2, 4}).axes[1];
  auto ring = [&](bool open) {
    Schedule schedule;
    schedule.axes = {line};
    for (int64_t hop = 1; hop < line.ranks; ++hop) {
      StepTransfer shift;
      shift.bytes = 1e6;
      shift.reaching = open ? hop : 0;
      // Work by rank, so that every rank is run.
      schedule.steps.push_back({{1e-6, 2e-6, 3e-6, 4e-6}, {shift}, 1});
    }
    return simulate(schedule);
  };
  ScheduleTime closed = ring(false), open = ring(true);
  EXPECT_NEAR(closed.bytesSent, 3e6, 1e-3);
  // 3, 2 and 1 of 4 ranks get something.
  EXPECT_NEAR(open.bytesSent, 1.5e6, 1e-3);
  EXPECT_LT(open.seconds, closed.seconds);
}

TEST(Schedule, OneProcessorDoesAllTheWork) {
  MachineOrError machine = loadMachine("cpu-mesh");
  Schedule schedule;
  schedule.axes = layMesh(*machine, {2, 4}).axes;
  StepTransfer shift;
  shift.bytes = 1e6;
  schedule.steps = {{{0.1}, {shift}, 1}, {{0.1}, {}, 1}};
  ScheduleTime time = simulate(schedule);
  EXPECT_NEAR(time.computeSeconds, 1.6, 1e-9);
  EXPECT_NEAR(time.seconds, 1.6 + 8 * 2e-6, 1e-9);
}

TEST(Schedule, OneProcessorReadsExchangedRowsWhereTheyLie) {
  MachineOrError machine = loadMachine("cpu-mesh");
  for (StepTransfer::Kind kind :
       {StepTransfer::Kind::AllGather, StepTransfer::Kind::AllToAll}) {
    Schedule schedule;
    schedule.axes = layMesh(*machine, {1, 4}).axes;
    std::swap(schedule.axes[0], schedule.axes[1]);
    StepTransfer transfer;
    transfer.kind = kind;
    transfer.bytes = 12e6;
    schedule.steps = {{{}, {transfer}, 1}};
    ScheduleTime copied = simulate(schedule);
    // Each rank's 12 MB at 12 GB/s, after it was handed over.
    EXPECT_NEAR(copied.seconds, 4 * (1e-3 + 2e-6), 1e-9);
    schedule.steps[0].transfers[0].inPlace = true;
    ScheduleTime inPlace = simulate(schedule);
    EXPECT_NEAR(inPlace.seconds, 4 * 2e-6, 1e-9);
    EXPECT_EQ(inPlace.bytesSent, copied.bytesSent);
  }
}

TEST(Schedule, MillionsOfTokensOnAThousandChipsTakeSeconds) {
  auto begin = std::chrono::steady_clock::now();
  for (const char *name :
       {"blackhole-galaxy", "blackhole-galaxy-4", "blackhole-galaxy-32"}) {
    MachineOrError machine = loadMachine(name);
    MeshOnMachine row = layMesh(*machine, {1, machine->chips()});
    for (int64_t tokens : {int64_t(1) << 20, int64_t(10) << 20}) {
      Schedule schedule = ringSchedule(*machine, row.axes[1], tokens);
      ScheduleTime alike = simulate(schedule);
      EXPECT_GT(alike.seconds, 0);
      for (ScheduleStep &step : schedule.steps)
        step.compute.assign(machine->chips(), step.compute[0]);
      EXPECT_NEAR(simulate(schedule).seconds, alike.seconds,
                  alike.seconds * 1e-9);
    }
  }
  EXPECT_LT(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count(),
      20);
}

} // namespace
} // namespace ring::machine
