// SPDX-License-Identifier: Apache-2.0
//
// The simulator: what it counts is what the CPU backend really moves, computes
// and holds, and what it predicts keeps the laws that every run keeps.

#include "Ops/Op.h"
#include "SimCheck.h"
#include "ring-runtime/ring_runtime.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

void expectSameCounts(const DeviceStatistics &found,
                      const DeviceStatistics &expected) {
  EXPECT_EQ(found.bytesSent, expected.bytesSent);
  EXPECT_EQ(found.bytesReceived, expected.bytesReceived);
  EXPECT_EQ(found.flops, expected.flops);
  EXPECT_EQ(found.peakBytes, expected.peakBytes);
  EXPECT_EQ(found.peakKeyValueBytes, expected.peakKeyValueBytes);
  EXPECT_EQ(found.scratchBytes, expected.scratchBytes);
  ASSERT_EQ(found.ops.size(), expected.ops.size());
  for (const auto &[name, op] : expected.ops) {
    ASSERT_TRUE(found.ops.count(name)) << name;
    EXPECT_EQ(found.ops.at(name).count, op.count) << name;
    EXPECT_EQ(found.ops.at(name).flops, op.flops) << name;
    EXPECT_EQ(found.ops.at(name).bytes, op.bytes) << name;
  }
}

/// Runs on the CPU backend and simulates its mesh; all counts must be equal.
void expectCountsLikeCpu(const ProgramBuilder &builder) {
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  ASSERT_TRUE(inputs) << inputs.message();
  RunOptions options;
  options.threads = 2;
  Result<RunResult> real = run(*program, *inputs, options);
  ASSERT_TRUE(real) << real.message();
  Result<RunResult> simulated = simulate(*program, "cpu-mesh");
  ASSERT_TRUE(simulated) << simulated.message();
  ASSERT_EQ(simulated->devices.size(), real->devices.size());
  for (size_t i = 0; i < real->devices.size(); ++i)
    expectSameCounts(simulated->devices[i], real->devices[i]);
  EXPECT_EQ(simulated->host.peakBytes, real->host.peakBytes);
}

TEST_F(Sim, EveryExchangeSaysWhatArrives) {
  for (const std::string &name : opTable().names()) {
    const Op *op = opTable().find(name);
    if (op->exchanges() && !op->signature.crossesPlacement)
      EXPECT_TRUE(op->exchange.arrivals) << name;
  }
}

TEST_F(Sim, CountsWhatTheCpuBackendMoves) {
  using encode::LayoutKind;
  for (bool carried : {false, true})
    for (bool overlapped : {false, true})
      for (bool causal : {false, true}) {
        RingProgram ring;
        ring.carried = carried;
        ring.overlapped = overlapped;
        ring.causal = causal;
        ring.layout = causal ? LayoutKind::Zigzag : LayoutKind::Contiguous;
        expectCountsLikeCpu(ring.build());
      }
  RingProgram contiguous;
  contiguous.causal = true;
  expectCountsLikeCpu(contiguous.build());
  // Padding, an odd ring, a shard that is padding alone, and one device.
  RingProgram padded;
  padded.ranks = 5;
  padded.sequence = 150;
  padded.length = 200;
  padded.element = ElementType::BF16;
  expectCountsLikeCpu(padded.build());
  RingProgram alone;
  alone.ranks = 1;
  expectCountsLikeCpu(alone.build());
}

TEST_F(Sim, CountsEveryKindOfExchange) {
  ProgramBuilder builder("exchanges", {4, 2});
  auto f32 = [](Shape shape) {
    return localTensor(ElementType::F32, std::move(shape));
  };
  int32_t x = builder.addInput("x", f32({2, 8, 3}));
  auto with = [&](Attributes more) {
    more["axis"] = int64_t(0);
    return more;
  };
  std::vector<int32_t> results = {
      builder.addOne("ring.shift", {x}, f32({2, 8, 3}),
                     with({{"by", int64_t(-3)}})),
      builder.addOne("ring.all_gather", {x}, f32({2, 32, 3}),
                     with({{"dim", int64_t(1)}})),
      builder.addOne("ring.all_to_all", {x}, f32({8, 2, 3}),
                     with({{"split", int64_t(1)}, {"concat", int64_t(0)}})),
      builder.addOne("all_gather", {x}, f32({2, 32, 3}),
                     with({{"dim", int64_t(1)}})),
      builder.addOne("all_reduce", {x}, f32({2, 8, 3}),
                     with({{"reduce", std::string("sum")}})),
      builder.addOne(
          "reduce_scatter", {x}, f32({2, 2, 3}),
          with({{"dim", int64_t(1)}, {"reduce", std::string("sum")}})),
      builder.addOne("collective_permute", {x}, f32({2, 8, 3}),
                     {{"pairs", std::vector<int64_t>{0, 3, 3, 5}}}),
      builder.addOne("point_to_point", {x}, f32({2, 8, 3}),
                     {{"sender", std::vector<int64_t>{1, 0}},
                      {"receiver", std::vector<int64_t>{3, 1}}}),
      builder.addOne("all_to_all", {x}, f32({8, 2, 3}),
                     {{"split", int64_t(1)},
                      {"concat", int64_t(0)},
                      {"groups", std::vector<int64_t>{0, 2, 4, 6, 1, 3, 5, 7}},
                      {"group_size", int64_t(4)}})};
  Attributes parts = with({{"dim", int64_t(1)}});
  encode::parts(parts, {{-1, 6, 2, 1}, {0, 0, 8, 1}, {2, 1, 3, 3}});
  results.push_back(builder.addOne("ring.gather", {x}, f32({2, 13, 3}), parts));
  for (int32_t value : results)
    builder.addOutput("y", value);
  expectCountsLikeCpu(builder);
  // On links everything takes time: 4 x 2 is a T3000 turned round.
  RunResult linked = predict(builder, "t3000");
  EXPECT_GT(linked.seconds, 10 * 801e-9);
  EXPECT_GT(linked.prediction->devices[0].linkSeconds, 0);
}

TEST_F(Sim, CountsCompositesOnAProcessorAsWhatTheyAreMadeOf) {
  RingProgram ring;
  ring.composite = true;
  expectCountsLikeCpu(ring.build());
}

/// A product of whole tensors, with or without work on the devices beside it.
ProgramBuilder wholeProduct(bool beside) {
  ProgramBuilder builder("whole", {4});
  auto whole = [](int64_t rows, int64_t columns) {
    return wholeTensor(ElementType::BF16, {rows, columns});
  };
  int32_t x = builder.addInput("x", whole(512, 1024));
  int32_t w = builder.addInput("w", whole(1024, 512));
  builder.addOutput("y", builder.addOne("matmul", {x, w}, whole(512, 512)));
  if (beside) {
    auto local = localTensor(ElementType::BF16, {32, 32});
    int32_t own = builder.addInput("own", local);
    builder.addOutput("z", builder.addOne("neg", {own}, local));
  }
  return builder;
}

TEST_F(Sim, ChargesEveryChipForWholeTensors) {
  std::string machine = machineOf(4);
  RunResult alone = predict(wholeProduct(false), machine);
  RunResult beside = predict(wholeProduct(true), machine);
  double flops = 2.0 * 512 * 1024 * 512;
  EXPECT_GE(beside.seconds, alone.seconds);
  for (const PredictedDevice &device : beside.prediction->devices)
    EXPECT_GE(device.computeSeconds, alone.seconds);
  // It is nobody's share, and told apart.
  EXPECT_EQ(beside.host.flops, flops);
  EXPECT_LT(beside.devices[0].flops, flops);
  EXPECT_EQ(beside.devices[0].ops.count("matmul"), 0u);
  EXPECT_EQ(describeWholeWork(beside),
            ", and 0.537 GFLOP on whole tensors, which every chip would do");
  EXPECT_EQ(describeWholeWork(RunResult()), "");
  for (auto [more, text] : {std::pair(999.9994e9, "999.999 GFLOP"),
                            std::pair(999.9996e9, "1.000 TFLOP"),
                            std::pair(9.007200865e15, "9.007 PFLOP"),
                            std::pair(2e22, "20000.000 EFLOP")}) {
    RunResult large;
    large.host.flops = more;
    EXPECT_EQ(describeWholeWork(large),
              ", and " + std::string(text) +
                  " on whole tensors, which every chip would do");
  }
}

TEST_F(Sim, RefusesWhatItCannotDo) {
  Result<Program> program = RingProgram().build().build();
  ASSERT_TRUE(program) << program.message();
  RunOptions options;
  options.backend = "sim";
  Result<RunResult> result = run(*program, {}, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.message().substr(0, 53),
            "expects a machine to simulate: one of blackhole-galax");
  options.machine = "t4000";
  result = run(*program, {}, options);
  ASSERT_FALSE(result);
  EXPECT_NE(result.message().find("but got 't4000'"), std::string::npos);
  options.machine = "n300";
  result = run(*program, {}, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.message(), "expects at most the 2 chips of 1x2 for machine "
                              "'n300', but got 4");
  options.machine = "quiet-box";
  options.deviceMemory = 1000;
  result = run(*program, {}, options);
  ASSERT_FALSE(result);
  EXPECT_NE(result.status().shortage(), nullptr) << result.message();
  options.deviceMemory = 0;
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  result = run(*program, *inputs, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.message(), "expects no inputs for a simulation, but got 3");
  options.backend = "cpu";
  result = run(*program, *inputs, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.message(),
            "expects the backend sim with a machine, but got 'cpu'");
}

TEST_F(Sim, IsReachedFromC) {
  std::vector<uint8_t> bytes = RingProgram().build().serialize();
  ring_session *session = ring_create();
  ring_load(session, bytes.data(), bytes.size());
  ring_set_backend(session, "sim");
  ring_set_machine(session, "quiet-box");
  ring_run(session);
  EXPECT_STREQ(ring_error(session), "");
  EXPECT_GT(ring_seconds(session), 0);
  ring_destroy(session);
}

TEST_F(Sim, CompositesMustNameWhatIsThere) {
  auto refusalOf = [](size_t first, std::vector<int32_t> inputs) {
    ProgramBuilder builder("c", {1});
    ValueType type = localTensor(ElementType::F32, {4});
    int32_t x = builder.addInput("x", type);
    int32_t y = builder.addOne("add", {x, x}, type);
    builder.addOutput("y", y);
    builder.addComposite("op", first, std::move(inputs), {y},
                         {{"a", int64_t(1)}});
    return refusal(builder);
  };
  EXPECT_EQ(refusalOf(0, {0}), "");
  EXPECT_EQ(refusalOf(0, {7}),
            "composite 'op' names value %7, which is not defined");
  EXPECT_EQ(refusalOf(1, {0}),
            "expects composite 'op' to stand for instructions from 0 to 1, but "
            "got 0 from 1");
}

} // namespace
