// SPDX-License-Identifier: Apache-2.0
//
// Laws of any run, which predictions must keep too, and how fast they are made.

#include "SimCheck.h"

#include <chrono>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

/// Eight heads of 128 over a long sequence: enough work for the chips.
RingProgram longRing(int64_t ranks, int64_t tokens = 16384) {
  RingProgram ring;
  ring.compared = false;
  ring.ranks = ranks;
  ring.heads = ring.keyHeads = 8;
  ring.dim = 128;
  ring.sequence = ring.length = tokens;
  ring.element = ElementType::BF16;
  ring.overlapped = true;
  return ring;
}

TEST_F(Sim, TimeFallsWithDevicesUntilTransfersShow) {
  double before = 1e9;
  bool shows = false;
  int64_t memory = 0;
  for (int64_t ranks : {1, 2, 4, 8, 16, 32}) {
    RunResult result = predict(longRing(ranks).build(), machineOf(ranks, 8));
    const PredictedDevice &device = result.prediction->devices[0];
    EXPECT_GE(result.seconds, device.computeSeconds);
    EXPECT_GE(result.seconds, device.linkSeconds);
    double bytes = static_cast<double>(result.devices[0].bytesSent);
    EXPECT_GE(device.linkSeconds, bytes / 8e9 * 0.999);
    // All of a run is computing, waiting or exposed.
    EXPECT_NEAR(result.seconds,
                device.computeSeconds + device.exposedSeconds +
                    device.waitingSeconds,
                1e-12);
    shows |= device.exposedSeconds > 0.2 * result.seconds;
    if (!shows)
      EXPECT_LT(result.seconds, 0.7 * before) << ranks;
    before = result.seconds;
    // Values fall as 1 / P: what a ring holds is a number of shards.
    if (ranks > 2)
      EXPECT_EQ(result.devices[0].peakBytes * 2, memory) << ranks;
    memory = result.devices[0].peakBytes;
  }
  EXPECT_TRUE(shows);
}

TEST_F(Sim, OverlapIsNeverSlower) {
  for (double bandwidth : {1.0, 8.0, 100.0})
    for (const char *topology : {"ring", "line"}) {
      std::string machine = machineOf(8, bandwidth, topology);
      RingProgram ring = longRing(8);
      double overlapped = predict(ring.build(), machine).seconds;
      ring.overlapped = false;
      RunResult without = predict(ring.build(), machine);
      EXPECT_LE(overlapped, without.seconds);
      EXPECT_GT(without.prediction->devices[0].exposedSeconds, 0);
    }
}

TEST_F(Sim, TransfersTakeCoresFromTheBlocksBesideThem) {
  // The same block with nothing beside it, on all cores, and with a transfer
  // beside it, on what a column of cores leaves.
  RingProgram ring = longRing(8);
  RunResult fast = predict(ring.build(), machineOf(8, 100));
  ring.overlapped = false;
  RunResult alone = predict(ring.build(), machineOf(8, 100));
  const PredictedStep &beside = fast.prediction->steps[1];
  const PredictedStep &without = alone.prediction->steps[1];
  EXPECT_GT(beside.end - beside.begin, 1.01 * (without.end - without.begin));
  EXPECT_EQ(alone.prediction->transfers, "");
  EXPECT_NE(fast.prediction->transfers, "");

  // Transfers that are soon done are no reason to compute on fewer cores: then
  // they run in order, and a device has all cores for its blocks.
  RunResult inOrder = predict(longRing(8, 65536).build(), machineOf(8, 10000));
  EXPECT_EQ(inOrder.prediction->transfers, "in order, all cores for each");
  EXPECT_GT(inOrder.prediction->devices[0].exposedSeconds, 0);
}

TEST_F(Sim, FasterLinksAndClosedRingsAreNeverSlower) {
  double slow = predict(longRing(8).build(), machineOf(8, 2)).seconds;
  double fast = predict(longRing(8).build(), machineOf(8, 20)).seconds;
  double line = predict(longRing(8).build(), machineOf(8, 2, "line")).seconds;
  EXPECT_LT(fast, slow);
  EXPECT_GE(line, slow);
}

TEST_F(Sim, ContiguousCausalWastesWhatZigzagSaves) {
  RingProgram ring = longRing(8, 65536);
  double full = predict(ring.build(), machineOf(8, 100)).seconds;
  ring.causal = true;
  RunResult contiguous = predict(ring.build(), machineOf(8, 100));
  ring.layout = encode::LayoutKind::Zigzag;
  RunResult zigzag = predict(ring.build(), machineOf(8, 100));
  EXPECT_LT(zigzag.seconds, 0.8 * contiguous.seconds);
  EXPECT_LT(contiguous.seconds, full);
  EXPECT_GT(zigzag.prediction->utilisation, contiguous.prediction->utilisation);
  // The last rank has work at every step, the first only at its own.
  EXPECT_GT(contiguous.prediction->devices[7].computeSeconds,
            4 * contiguous.prediction->devices[0].computeSeconds);
}

TEST_F(Sim, IsTheSameEveryTime) {
  Result<Program> program = longRing(8).build().build();
  std::string machine = machineOf(8);
  Result<RunResult> first = simulate(*program, machine, true);
  Result<RunResult> second = simulate(*program, machine, true);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(describePrediction(*program, *first),
            describePrediction(*program, *second));
  std::string a = file("a.json"), b = file("b.json");
  ASSERT_TRUE(writeStatistics(a, *program, *first));
  ASSERT_TRUE(writeStatistics(b, *program, *second));
  EXPECT_EQ(contentsOf(a), contentsOf(b));
  ASSERT_TRUE(writeTrace(a, *program, *first));
  ASSERT_TRUE(writeTrace(b, *program, *second));
  EXPECT_EQ(contentsOf(a), contentsOf(b));
  EXPECT_NE(contentsOf(a).find("device 3 axis 0 forward"), std::string::npos);
}

TEST_F(Sim, LinksCarryOneTransferAtATime) {
  RunResult result = predict(longRing(8).build(), machineOf(8, 1), true);
  std::map<std::pair<int64_t, size_t>, double> until;
  size_t onLinks = 0;
  for (const TraceEvent &event : result.trace) {
    if (event.lane == 0)
      continue;
    ++onLinks;
    EXPECT_EQ(result.prediction->links[event.lane - 1].device, event.device);
    double &end = until[{event.device, event.lane}];
    EXPECT_GE(event.begin, end);
    end = event.end;
  }
  EXPECT_EQ(onLinks, 7u * 8u);
}

TEST_F(Sim, TheFusedOpGathersWhileItComputes) {
  RingProgram ring = longRing(8);
  ring.overlapped = false;
  RunResult explicitly = predict(ring.build(), machineOf(8));
  ring.composite = true;
  RunResult fused = predict(ring.build(), machineOf(8));
  EXPECT_LT(fused.seconds, explicitly.seconds);
  EXPECT_EQ(fused.devices[3].bytesSent, explicitly.devices[3].bytesSent);
  EXPECT_EQ(fused.devices[3].flops, explicitly.devices[3].flops);
  // All keys and values are there in the end: O(n), not O(n / P).
  int64_t gathered = 2 * int64_t(8) * 16384 * 128 * 2;
  EXPECT_GE(fused.devices[0].peakBytes, gathered);
  EXPECT_LT(explicitly.devices[0].peakBytes, gathered);
  EXPECT_EQ(
      fused.devices[0].ops.at("ring_joint_scaled_dot_product_attention").count,
      1);
  ASSERT_EQ(fused.prediction->steps.size(), 8u);
  EXPECT_EQ(fused.prediction->steps[7].layer, 0u);
  // On a line the ends get all shards from one side.
  RunResult line = predict(ring.build(), machineOf(8, 10, "line"));
  EXPECT_GE(line.seconds, fused.seconds);
  // A causal op skips later shards; balanced, all ranks have the same work.
  ring.causal = true;
  ring.layout = encode::LayoutKind::Zigzag;
  RunResult balanced = predict(ring.build(), machineOf(8));
  EXPECT_LT(balanced.seconds, fused.seconds);
  EXPECT_NEAR(balanced.prediction->devices[0].computeSeconds,
              balanced.prediction->devices[7].computeSeconds,
              0.1 * balanced.seconds);
}

TEST_F(Sim, WholeTensorsRunOnOneChip) {
  ProgramBuilder builder("whole", {1});
  ValueType type = wholeTensor(ElementType::BF16, {1, 8, 4096, 128});
  int32_t q = builder.addInput("q", type);
  builder.addOutput(
      "o", builder.addOne("sdpa", {q, q, q}, type, {{"causal", int64_t(1)}}));
  RunResult result = predict(builder, "n150");
  EXPECT_GT(result.seconds, 0);
  EXPECT_GT(result.prediction->utilisation, 0.2);
  EXPECT_LT(result.prediction->utilisation, 0.8);
}

TEST_F(Sim, SaysWhatDoesNotFit) {
  RingProgram ring = longRing(2, int64_t(1) << 22);
  Result<Program> program = ring.build().build();
  ASSERT_TRUE(program) << program.message();
  Result<RunResult> result = simulate(*program, machineOf(2));
  ASSERT_TRUE(result) << result.message();
  EXPECT_FALSE(result->prediction->fitsDram);
  EXPECT_NE(describePrediction(*program, *result).find("does not fit"),
            std::string::npos);
}

TEST_F(Sim, IsAHundredTimesFasterThanTheRun) {
  RingProgram ring = longRing(8, 2048);
  Result<Program> program = ring.build().build();
  ASSERT_TRUE(program) << program.message();
  auto seconds = [](auto call) {
    auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  double real = seconds([&] { EXPECT_TRUE(run(*program, *inputs)); });
  double simulated = 1e9;
  for (int i = 0; i < 5; ++i)
    simulated =
        std::min(simulated,
                 seconds([&] { EXPECT_TRUE(simulate(*program, "cpu-mesh")); }));
  EXPECT_LT(100 * simulated, real);
}

} // namespace
