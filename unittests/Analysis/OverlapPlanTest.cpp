// SPDX-License-Identifier: Apache-2.0
// Schedules of rings of any length and number: when transfers start, how many
// buffers they take, and the memory that this means.

#include "ring/Strategies/OverlapPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "ring/Analysis/ScheduleFootprint.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ring;

namespace {

/// Bytes of the tensor that the tests move: 2 * 16 * 8 values of bf16.
constexpr int64_t kBytes = 2 * 16 * 8 * 2;

class OverlapPlanTest : public ::testing::Test {
protected:
  OverlapPlanTest() { context.loadDialect<RingDialect, func::FuncDialect>(); }

  /// The body of a function. `text` may use %q, %k and %v of type !x, the state
  /// %s of type !s, and the buffer type !b.
  Block *parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(
        "!x = tensor<1x2x16x8xbf16>\n!b = !ring.buffer<1x2x16x8xbf16>\n"
        "!s = !ring.state<1x2x16x8>\n"
        "func.func @f(%q: !x, %k: !x, %v: !x, %s: !s) {\n" +
            text + "\nreturn\n}",
        &context);
    if (!module)
      return nullptr;
    return &cast<func::FuncOp>(module->getBody()->front()).front();
  }

  /// `layers` rings of `ranks` after one another, all over %k and %v.
  std::string rings(int64_t layers, int64_t ranks) {
    std::string text, state = "%s";
    auto accumulate = [&](const std::string &name, const std::string &k,
                          const std::string &v) {
      text += "%s" + name + " = ring.accumulate %q, " + k + ", " + v +
              " into " + state + " : !x, !x, !x -> !s\n";
      state = "%s" + name;
    };
    for (int64_t layer = 0; layer < layers; ++layer) {
      std::string k = "%k", v = "%v";
      accumulate(std::to_string(layer) + "_0", k, v);
      for (int64_t step = 1; step < ranks; ++step) {
        std::string name = std::to_string(layer) + "_" + std::to_string(step);
        text += "%k" + name + ", %v" + name + " = ring.shift " + k + ", " + v +
                " by 1 on <0 in " + std::to_string(ranks) + "> : !x, !x\n";
        k = "%k" + name;
        v = "%v" + name;
        accumulate(name, k, v);
      }
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(OverlapPlanTest, BuffersDoNotGrowWithTheRingOrTheLayers) {
  for (int64_t layers : {1, 2, 7})
    for (int64_t ranks : {2, 3, 4, 8, 9}) {
      Block *block = parse(rings(layers, ranks));
      ASSERT_TRUE(block);
      OverlapPlan plan = OverlapPlan::of(*block);
      EXPECT_EQ(plan.transfers.size(), size_t(layers * (ranks - 1)));
      // Two ranks have one transfer a layer; the next layer's starts while it
      // is still read, so that it takes the second pair.
      size_t pairs = layers == 1 && ranks == 2 ? 1 : 2;
      EXPECT_EQ(plan.buffers.size(), 2 * pairs)
          << layers << " layers, " << ranks << " ranks";
    }
}

TEST_F(OverlapPlanTest, EveryTransferOfARingGoesOnBehindOneBlock) {
  Block *block = parse(rings(1, 4));
  ASSERT_TRUE(block);
  OverlapPlan plan = OverlapPlan::of(*block);
  // Ops: block 0, shift, block 1, shift, block 2, shift, block 3.
  ASSERT_EQ(plan.transfers.size(), 3u);
  EXPECT_EQ(plan.transfers[0].start, 0u);
  EXPECT_EQ(plan.transfers[0].wait, 2u);
  EXPECT_EQ(plan.transfers[1].start, 2u);
  EXPECT_EQ(plan.transfers[1].wait, 4u);
  EXPECT_EQ(plan.transfers[2].start, 4u);
  EXPECT_EQ(plan.transfers[2].wait, 6u);
}

TEST_F(OverlapPlanTest, AShiftThatOnlyTravelsOnIsWaitedForWhereItIsSentOn) {
  Block *block = parse("%a = ring.shift %k by 1 on <0 in 4> : !x\n"
                       "%s1 = ring.accumulate %q, %k, %v into %s "
                       ": !x, !x, !x -> !s\n"
                       "%b = ring.shift %a by 1 on <0 in 4> : !x\n"
                       "%s2 = ring.accumulate %q, %v, %v into %s1 "
                       ": !x, !x, !x -> !s\n"
                       "%s3 = ring.accumulate %q, %b, %b into %s2 "
                       ": !x, !x, !x -> !s");
  ASSERT_TRUE(block);
  OverlapPlan plan = OverlapPlan::of(*block);
  ASSERT_EQ(plan.transfers.size(), 2u);
  EXPECT_EQ(plan.transfers[0].wait, 2u);
  EXPECT_EQ(plan.transfers[1].start, 2u);
  EXPECT_EQ(plan.transfers[1].wait, 4u);
  EXPECT_EQ(plan.buffers.size(), 2u);
}

TEST_F(OverlapPlanTest, ShiftsOfOneStepTravelAsOneAndOthersDoNot) {
  Block *block = parse("%k1 = ring.shift %k by 1 on <0 in 4> : !x\n"
                       "%v1 = ring.shift %v by -3 on <0 in 4> : !x\n"
                       "%k2 = ring.shift %k by -1 on <0 in 4> : !x\n"
                       "%v2 = ring.shift %v by -1 on <0 in 4x1> : !x\n"
                       "%s1 = ring.accumulate %q, %k1, %v1 into %s "
                       ": !x, !x, !x -> !s\n"
                       "%s2 = ring.accumulate %q, %k2, %v2 into %s1 "
                       ": !x, !x, !x -> !s");
  ASSERT_TRUE(block);
  OverlapPlan plan = OverlapPlan::of(*block);
  ASSERT_EQ(plan.transfers.size(), 3u);
  EXPECT_EQ(plan.transfers[0].ops.size(), 2u);
  EXPECT_EQ(plan.transfers[1].ops.size(), 1u);
  EXPECT_EQ(plan.transfers[2].ops.size(), 1u);
}

TEST_F(OverlapPlanTest, DeadTransfersAreNotPlanned) {
  Block *block = parse("%k1 = ring.shift %k by 1 on <0 in 4> : !x\n"
                       "%k2 = ring.shift %k1 by 1 on <0 in 4> : !x");
  ASSERT_TRUE(block);
  OverlapPlan plan = OverlapPlan::of(*block);
  EXPECT_TRUE(plan.transfers.empty());
  EXPECT_EQ(plan.dead.size(), 2u);
}

TEST_F(OverlapPlanTest, FootprintOfARing) {
  Block *block =
      parse("%a = ring.buffer : !b\n%b = ring.buffer : !b\n"
            "%t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b\n"
            "%s1 = ring.accumulate %q, %k, %k into %s : !x, !x, !x -> !s\n"
            "%k1 = ring.wait %t1 : !x\n"
            "%t2 = ring.start_shift %k1 into %b by 1 on <0 in 4> : !x into !b\n"
            "%s2 = ring.accumulate %q, %k1, %k1 into %s1 : !x, !x, !x -> !s\n"
            "%k2 = ring.wait %t2 : !x\n"
            "%s3 = ring.accumulate %q, %k2, %k2 into %s2 : !x, !x, !x -> !s");
  ASSERT_TRUE(block);
  auto footprint = ScheduleFootprint::of(*block);
  EXPECT_EQ(footprint.numStarts, 2u);
  EXPECT_EQ(footprint.numBuffers, 2u);
  EXPECT_EQ(footprint.bufferBytes, 2 * kBytes);
  EXPECT_EQ(footprint.peakBufferBytes, 2 * kBytes);
  EXPECT_EQ(footprint.peakKeyValueBytes, 3 * kBytes);
  ASSERT_EQ(footprint.bytesSent.size(), 1u);
  EXPECT_EQ(footprint.bytesSent.front().second, 2 * kBytes);
}

TEST_F(OverlapPlanTest, KeysThatAreChosenFromWhatArrivedCountTwice) {
  Block *block =
      parse("%a = ring.buffer : !b\n"
            "%t1 = ring.start_shift %v into %a by 1 on <0 in 2> : !x into !b\n"
            "%k1 = ring.wait %t1 : !x\n"
            "%c = ring.select %k1, %q where [true, false] on <0 in 2> : !x\n"
            "%s1 = ring.accumulate %q, %c, %c into %s : !x, !x, !x -> !s");
  ASSERT_TRUE(block);
  auto footprint = ScheduleFootprint::of(*block);
  // The buffer and, while it is sent, the own shard; then the buffer and the
  // choice.
  EXPECT_EQ(footprint.peakKeyValueBytes, 2 * kBytes);
}

TEST_F(OverlapPlanTest, QueriesThatTravelAreNoKeys) {
  Block *block =
      parse("%a = ring.buffer : !b\n"
            "%t1 = ring.start_shift %q into %a by 1 on <0 in 4> : !x into !b\n"
            "%q1 = ring.wait %t1 : !x\n"
            "%s1 = ring.accumulate %q1, %k, %v into %s : !x, !x, !x -> !s");
  ASSERT_TRUE(block);
  auto footprint = ScheduleFootprint::of(*block);
  EXPECT_EQ(footprint.peakBufferBytes, kBytes);
  EXPECT_EQ(footprint.peakKeyValueBytes, 2 * kBytes);
}

} // namespace
