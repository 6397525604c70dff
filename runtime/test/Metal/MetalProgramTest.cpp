// SPDX-License-Identifier: Apache-2.0
//
// Programs on TT-Metalium: several launches and programs in one process, what
// they take and leave, and what is refused.

#include "MetalTest.h"

#include <algorithm>

using namespace ring::rt;
using namespace ring::test;
using ring::positions::Band;
using ring::positions::LayoutKind;

namespace {

class MetalProgram : public testing::TestWithParam<MeshSize> {
protected:
  void SetUp() override {
    if (const std::string reason = whyNot(GetParam()); !reason.empty())
      GTEST_SKIP() << reason;
    machine = openMesh(GetParam());
    ASSERT_TRUE(machine);
  }

  AttentionCase ringCase() const {
    AttentionCase what;
    what.devices = GetParam().devices();
    what.length = 64 * what.devices;
    return what;
  }

  MetalMachine *machine = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Meshes, MetalProgram,
                         testing::Values(MeshSize{1, 1}, MeshSize{1, 2},
                                         MeshSize{1, 8}),
                         [](const auto &info) {
                           return "On" + info.param.name();
                         });

/// Nobody resets what devices count of each other between launches.
TEST_P(MetalProgram, IsLaunchedThreeTimes) {
  AttentionCase what = ringCase();
  what.bothDirections = false;
  EXPECT_EQ(runBoth(what, *machine, "ThreeLaunches", 3), "");
}

TEST_P(MetalProgram, LeavesNothingToTheNext) {
  AttentionCase one = ringCase(), two = ringCase();
  two.band = Band::causal();
  two.layout = LayoutKind::Zigzag;
  two.sizes.headDim = 64;
  AttentionRun first(one), second(two);
  const uint64_t before = machine->dramBytesInUse();
  ASSERT_EQ(first.runOn(onMetal(*machine)), "");
  const AttentionNumbers found = first.found();
  ASSERT_EQ(second.runOn(onMetal(*machine)), "");
  ASSERT_EQ(first.runOn(onMetal(*machine)), "");
  EXPECT_EQ(first.found().outputs, found.outputs);
  EXPECT_EQ(machine->dramBytesInUse(), before);
}

/// A mesh that was closed opens again, also after another one.
TEST_P(MetalProgram, RunsOnAMeshOpenedAgain) {
  AttentionRun run(ringCase());
  ASSERT_EQ(run.runOn(onMetal(*machine)), "");
  const AttentionNumbers found = run.found();
  AttentionRun single{AttentionCase()};
  MetalMachine *one = openMesh({1, 1});
  ASSERT_TRUE(one);
  ASSERT_EQ(single.runOn(onMetal(*one)), "");
  closeMesh();
  machine = openMesh(GetParam());
  ASSERT_TRUE(machine);
  ASSERT_EQ(run.runOn(onMetal(*machine)), "");
  EXPECT_EQ(run.found().outputs, found.outputs);
}

/// Keys and values take three shards of a device, its own and two that land,
/// however many devices there are. Sizes fill the 12 banks of a Wormhole or the
/// 8 of a Blackhole evenly.
TEST_P(MetalProgram, TakesThreeShardsOfKeysAndValues) {
  AttentionCase what = ringCase();
  what.length = 3 * 32 * what.devices;
  what.bothDirections = false;
  what.sizes.queryHeads = what.sizes.keyHeads = 8;
  what.sizes.headDim = what.sizes.valueDim = 64;
  AttentionRun run(what);
  ASSERT_EQ(run.refusal(), "");
  const DeviceProgram &program = run.program().program;
  MeshMemory &memory = run.prepare();
  const Result<MetalResult> result =
      machine->run(program, memory, run.inputs());
  ASSERT_TRUE(bool(result)) << result.message();
  EXPECT_EQ(run.judge().fault(), "");
  uint64_t others = 0;
  for (uint32_t buffer :
       {run.program().queries, run.program().outputs, run.program().logSums})
    others += memory[0][buffer].size();
  const uint64_t shard = memory[0][run.program().keys[0]].size() +
                         memory[0][run.program().values[0]].size();
  ASSERT_GT(result->dramBytes, others);
  EXPECT_LE(result->dramBytes - others, 3 * shard);
}

TEST_P(MetalProgram, IsRefusedOnAnotherNumberOfDevices) {
  AttentionCase what = ringCase();
  what.devices += 1;
  what.length = 64 * what.devices;
  AttentionRun run(what);
  ASSERT_EQ(run.refusal(), "");
  EXPECT_EQ(run.runOn(onMetal(*machine)),
            "expects a program for " + std::to_string(GetParam().rows) + " x " +
                std::to_string(GetParam().columns) +
                " devices, but got one for " + std::to_string(what.devices));
}

TEST_P(MetalProgram, IsRefusedWithPacketsThatTheFabricDoesNotCarry) {
  if (GetParam().devices() == 1)
    GTEST_SKIP() << "one device sends no packets";
  AttentionCase what = ringCase();
  what.options.limits.packetBytes = 1 << 20;
  AttentionRun run(what);
  ASSERT_EQ(run.refusal(), "");
  MetalOptions options;
  options.limits = what.options.limits;
  const Result<MetalResult> result =
      machine->run(run.program().program, run.prepare(), run.inputs(), options);
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.message().find("which the fabric carries"),
            std::string::npos)
      << result.message();
}

TEST(MetalMachine, RefusesMeshesThatAreNotThere) {
  EXPECT_FALSE(bool(MetalMachine::open(0, 4)));
  const Result<uint32_t> found = MetalMachine::devicesThere();
  const Result<std::unique_ptr<MetalMachine>> opened =
      MetalMachine::open(64, 64);
  ASSERT_FALSE(bool(opened));
  EXPECT_EQ(opened.message(),
            found
                ? "expects a mesh of 64 x 64 devices, but TT-Metalium found " +
                      std::to_string(*found)
                : found.message());
}

} // namespace
