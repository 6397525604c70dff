// SPDX-License-Identifier: Apache-2.0
//
// Whole programs in the simulator: everything that a chip does takes time, what
// goes between hosts and chips is told apart, and what has no time is named.

#include "SimCheck.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType local(Shape shape) {
  return localTensor(ElementType::BF16, std::move(shape));
}
ValueType whole(Shape shape) {
  return wholeTensor(ElementType::BF16, std::move(shape));
}

Attributes rowsOver(int64_t axis) {
  return {{"axes", std::vector<int64_t>{axis, -1}}};
}

constexpr double kLaunch = 2900e-9; // of 1 GHz
constexpr double kDram = 267e9;     // bytes a second
constexpr double kBytes = 2.0 * 512 * 512;

TEST_F(Sim, EveryOpIsLaunched) {
  ProgramBuilder builder("tiny", {2});
  int32_t x = builder.addInput("x", local({32, 32}));
  for (int i = 0; i < 10; ++i)
    x = builder.addOne("neg", {x}, local({32, 32}));
  builder.addOutput("y", x);
  RunResult result = predict(builder, machineOf(2));
  EXPECT_GE(result.seconds, 10 * kLaunch);
  EXPECT_LT(result.seconds, 11 * kLaunch);
}

TEST_F(Sim, SumsOfReductionsTakeTime) {
  auto secondsOf = [&](const char *op) {
    ProgramBuilder builder("sums", {4});
    int32_t x = builder.addInput("x", local({512, 512}));
    Attributes attributes = {{"axis", int64_t(0)},
                             {"reduce", std::string("sum")}};
    builder.addOutput(
        "y", builder.addOne(op, {x}, local({512, 512}), std::move(attributes)));
    RunResult result = predict(builder, machineOf(4));
    EXPECT_GT(result.prediction->devices[0].linkSeconds, 0);
    return result.prediction->devices[0].computeSeconds;
  };
  // Each of four ranks adds up four quarters.
  EXPECT_NEAR(secondsOf("all_reduce"), kLaunch + 5 * kBytes / 4 / kDram,
              0.2 * kLaunch);
}

TEST_F(Sim, RowsThatChangePlacesOnTheirDeviceAreCopied) {
  ProgramBuilder builder("route", {2});
  int32_t x = builder.addInput("x", local({512, 512}));
  Attributes own = {{"axis", int64_t(0)}, {"dim", int64_t(0)}};
  // The halves of the rows, the other way round.
  encode::parts(own, {{0, 256, 256, 1}, {0, 0, 256, 1}});
  builder.addOutput("y", builder.addOne("ring.gather", {x}, local({512, 512}),
                                        std::move(own)));
  RunResult result = predict(builder, machineOf(2));
  EXPECT_NEAR(result.seconds, kLaunch + 2 * kBytes / kDram, 1e-12);
}

/// Shards are put together, multiplied as a whole and dealt again.
ProgramBuilder roundTrip(bool computes) {
  ProgramBuilder builder("trip", {4});
  int32_t x = builder.addInput("x", local({128, 512}));
  int32_t all =
      builder.addOne("ring.unshard", {x}, whole({512, 512}), rowsOver(0));
  if (computes) {
    all = builder.addOne("matmul", {all, all}, whole({512, 512}));
    all = builder.addOne("ring.shard", {all}, local({128, 512}), rowsOver(0));
  }
  builder.addOutput("y", all);
  return builder;
}

TEST_F(Sim, ChipsGatherWhatTheyComputeAsAWhole) {
  RunResult result = predict(roundTrip(true), machineOf(4));
  const PredictedDevice &device = result.prediction->devices[0];
  // Three shards arrive, half of them from either side.
  EXPECT_GE(device.linkSeconds, 1.5 * kBytes / 4 / 10e9);
  EXPECT_GE(device.computeSeconds, 2 * kLaunch);
  EXPECT_EQ(result.prediction->host.bytesIn, 0);
  EXPECT_EQ(result.prediction->host.bytesOut, 0);
}

TEST_F(Sim, ResultsGoToTheHostWithoutAGather) {
  RunResult result = predict(roundTrip(false), machineOf(4));
  EXPECT_EQ(result.seconds, 0);
  EXPECT_EQ(result.prediction->host.bytesOut, kBytes);
  EXPECT_NEAR(result.prediction->host.seconds, kBytes / 10e9, 1e-12);
  EXPECT_TRUE(result.prediction->host.bandwidthAssumed);
}

/// A weight that the host turns before it sends it.
TEST_F(Sim, NamesWhatHasNoTime) {
  ProgramBuilder builder("prepared", {4});
  int32_t w = builder.addInput("w", whole({256, 512}));
  int32_t turned =
      builder.addOne("permute", {w}, whole({512, 256}),
                     {{"permutation", std::vector<int64_t>{1, 0}}});
  int32_t shard =
      builder.addOne("ring.shard", {turned}, local({128, 256}), rowsOver(0));
  builder.addOutput("y", builder.addOne("neg", {shard}, local({128, 256})));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  RunResult result = predict(builder, machineOf(4));
  EXPECT_EQ(result.prediction->host.bytesIn, 2.0 * 512 * 256);
  std::map<std::string, int64_t> expected = {{"permute", 1}};
  EXPECT_EQ(result.prediction->untimed, expected);
  std::string text = describePrediction(*program, result);
  std::string end = "  untimed: 1 of 3 ops (33.3 %): permute\n";
  ASSERT_GE(text.size(), end.size());
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

TEST_F(Sim, PagesAreTimedByWhatIsComputed) {
  constexpr int64_t kRows = 64, kPages = 64, kQueries = 1024;
  constexpr int64_t kKeys = kRows * kPages;
  ProgramBuilder paged("paged", {1});
  int32_t q = paged.addInput("q", local({1, 8, kQueries, 128}));
  int32_t k = paged.addInput("k", local({kPages, 8, kRows, 128}));
  ValueType table = localTensor(ElementType::I32, {1, kPages});
  ValueType start = localTensor(ElementType::I32, {1});
  int32_t pages = paged.addInput("table", table, kPages);
  int32_t at = paged.addInput("start", start, 1);
  paged.addOutput("y", paged.addOne("chunked_sdpa", {q, k, k, pages, at},
                                    local({1, 8, kQueries, 128})));
  RunResult result = predict(paged, machineOf(1));

  // Every query sees the keys before the chunk and its share of the chunk.
  double pairs = double(kQueries) * double(kKeys - kQueries) +
                 double(kQueries) * double(kQueries + 1) / 2;
  EXPECT_EQ(result.devices[0].flops, 2 * 8 * 256 * pairs);
  // HiFi2: 64 cores of 2048 operations a cycle.
  EXPECT_GE(result.seconds, result.devices[0].flops / (64 * 2048 * 1e9));
}

} // namespace
