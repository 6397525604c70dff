// SPDX-License-Identifier: Apache-2.0
//
// Values of bfp8_b and bfp4_b: what they take, that moving them keeps their
// bits, and that attention over packed keys and values is what it should be.

#include "Data/BlockTensor.h"
#include "ProgramCheck.h"
#include "RingPrograms.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

constexpr ElementType kFormats[] = {ElementType::BFP8B, ElementType::BFP4B};

int64_t tileBytes(ElementType element) {
  return element == ElementType::BFP8B ? 1088 : 576;
}

Result<RunResult> runSeeded(const ProgramBuilder &builder) {
  Result<Program> program = builder.build();
  if (!program)
    return program.status();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 3);
  if (!inputs)
    return inputs.status();
  return run(*program, *inputs);
}

TEST(BlockFormat, TakesWhatTilesTake) {
  for (ElementType element : kFormats) {
    int64_t tile = tileBytes(element);
    auto bytes = [&](Shape shape) {
      return heldBytes(localTensor(element, std::move(shape)));
    };
    EXPECT_EQ(bytes({1, 2, 64, 32}), 4 * tile);
    EXPECT_EQ(bytes({3, 40, 20}), 3 * 2 * tile);
    EXPECT_EQ(bytes({5, 33}), 2 * tile);
    EXPECT_EQ(bytes({7}), tile);
    EXPECT_EQ(bytes({}), tile);
    Result<Tensor> tensor = Tensor::zeros(element, {3, 40, 20});
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->bytes(), 6 * tile);
  }
}

TEST(BlockFormat, NumbersComeBack) {
  // Multiples of 1/64 below 2 are whole mantissas where the largest is 1.
  std::vector<double> numbers(2 * 35 * 18);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i % 16 == 0 ? 1 : static_cast<double>(i % 64) / 64 - 0.5;
  Result<Tensor> tensor =
      Tensor::fromNumbers(ElementType::BFP8B, {2, 35, 18}, numbers);
  ASSERT_TRUE(tensor);
  std::vector<double> once = tensor->numbers();
  EXPECT_LE(compare(once, numbers).maxError, 1.0 / 128);
  Result<Tensor> again =
      Tensor::fromNumbers(ElementType::BFP8B, {2, 35, 18}, once);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->numbers(), once);
}

TEST(BlockFormat, RingSendsAndHoldsPackedBytes) {
  for (ElementType element : kFormats)
    for (bool overlapped : {false, true}) {
      RingProgram ring;
      ring.ranks = 4;
      ring.heads = 4;
      ring.keyHeads = 2;
      ring.sequence = ring.length = 512;
      ring.dim = 64;
      ring.overlapped = overlapped;
      ring.element = element;
      Result<RunResult> result = runSeeded(ring.build());
      ASSERT_TRUE(result) << result.message();
      // K and V: 2 heads, 128 rows, 64 numbers; sent on three times.
      int64_t shard = 2 * (128 / 32) * (64 / 32) * tileBytes(element);
      for (const DeviceStatistics &device : result->devices)
        EXPECT_EQ(device.bytesSent, 3 * 2 * shard);
      double perElement = element == ElementType::BFP8B ? 1.0625 : 0.5625;
      EXPECT_EQ(shard, perElement * 2 * 128 * 64);
    }
}

TEST(BlockFormat, RingAgreesWithTheReference) {
  for (ElementType element : kFormats)
    for (auto [sequence, length] : {std::pair{512, 512}, {200, 256}})
      for (bool causal : {false, true}) {
        RingProgram ring;
        ring.ranks = 4;
        ring.heads = 4;
        ring.keyHeads = 2;
        ring.sequence = sequence;
        ring.length = length;
        ring.dim = 40;
        ring.causal = causal;
        ring.element = element;
        expectAgrees(ring.build());
      }
}

TEST(BlockFormat, KeysAndValuesInBfp8KeepTheCorrelation) {
  // The reference does not round between instructions, so this measures what
  // storing keys and values in bfp8_b costs.
  ProgramBuilder builder("pcc", {1});
  Shape shape = {1, 4, 512, 64};
  ValueType wide = localTensor(ElementType::F32, shape);
  int32_t q = builder.addInput("q", wide);
  std::vector<int32_t> kv;
  for (const char *name : {"k", "v"})
    kv.push_back(builder.addOne("typecast", {builder.addInput(name, wide)},
                                localTensor(ElementType::BFP8B, shape)));
  builder.addOutput("out", builder.addOne("sdpa", {q, kv[0], kv[1]}, wide));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs =
      generateInputs(*program, 5, Distribution::Outliers);
  ASSERT_TRUE(inputs);
  Result<RunResult> result = run(*program, *inputs);
  ASSERT_TRUE(result) << result.message();
  Result<PortNumbers> reference = runReference(*program, *inputs);
  ASSERT_TRUE(reference);
  // Blocks with an outlier are coarser than the judgement expects of them.
  Comparison metrics = compare(flat(result->outputs[0]), flat((*reference)[0]));
  EXPECT_GE(metrics.pcc, 0.994);
  EXPECT_LT(metrics.pcc, 1 - 1e-7) << "nothing was rounded";
}

/// Moving whole rows keeps every bit, so the reference, which never rounds,
/// must agree exactly.
TEST(BlockFormat, MovingRowsIsExact) {
  for (ElementType element : kFormats) {
    Shape shape = {2, 4, 44, 48};
    auto local = [&](Shape of) { return localTensor(element, std::move(of)); };
    auto expectExact = [&](const char *op, const std::vector<int32_t> &operands,
                           const ValueType &type, const Attributes &attributes,
                           ProgramBuilder &builder) {
      SCOPED_TRACE(op);
      builder.addOutput(op, builder.addOne(op, operands, type, attributes));
      expectAgrees(builder);
    };
    Attributes axis = {{"axis", int64_t(0)}};
    auto with = [&](Attributes more) {
      more.insert(axis.begin(), axis.end());
      return more;
    };
    using Ints = std::vector<int64_t>;
    auto build = [&](int32_t &x) {
      ProgramBuilder builder("moves", {4});
      x = builder.addInput("x", local(shape));
      return builder;
    };
    int32_t x = 0;
    ProgramBuilder slice = build(x);
    expectExact("slice", {x}, local({2, 4, 13, 48}),
                {{"begins", Ints{0, 0, 5, 0}},
                 {"ends", Ints{2, 4, 44, 48}},
                 {"steps", Ints{1, 1, 3, 1}}},
                slice);
    ProgramBuilder concat = build(x);
    expectExact("concat", {x, x}, local({2, 4, 88, 48}), {{"dim", int64_t(2)}},
                concat);
    ProgramBuilder permute = build(x);
    expectExact("permute", {x}, local({4, 44, 2, 48}),
                {{"permutation", Ints{1, 2, 0, 3}}}, permute);
    ProgramBuilder reshape = build(x);
    expectExact("reshape", {x}, local({2, 176, 48}), {}, reshape);
    ProgramBuilder shift = build(x);
    expectExact("ring.shift", {x}, local(shape), with({{"by", int64_t(1)}}),
                shift);
    ProgramBuilder gather = build(x);
    expectExact("all_gather", {x}, local({2, 4, 176, 48}),
                with({{"dim", int64_t(2)}}), gather);
    ProgramBuilder trade = build(x);
    expectExact("ring.all_to_all", {x}, local({2, 1, 176, 48}),
                with({{"split", int64_t(1)}, {"concat", int64_t(2)}}), trade);
    ProgramBuilder partition = build(x);
    expectExact("mesh_partition", {x}, local({2, 4, 11, 48}),
                with({{"dim", int64_t(2)}}), partition);
  }
}

/// Peers are unpacked before they are reduced, and the sum is packed: half a
/// unit of the format where the largest of a block is the reference's largest.
TEST(BlockFormat, ReducesUnpackedPeers) {
  for (ElementType element : kFormats) {
    ProgramBuilder builder("reduce", {4});
    ValueType type = localTensor(element, {2, 44, 48});
    int32_t x = builder.addInput("x", type);
    Attributes sum = {{"axis", int64_t(0)}, {"reduce", std::string("sum")}};
    builder.addOutput("all", builder.addOne("all_reduce", {x}, type, sum));
    sum["dim"] = int64_t(1);
    builder.addOutput("piece",
                      builder.addOne("reduce_scatter", {x},
                                     localTensor(element, {2, 11, 48}), sum));
    expectAgrees(builder);
  }
}

TEST(BlockFormat, ScratchCountsWhatIsUnpacked) {
  ProgramBuilder builder("scratch", {1});
  ValueType type = localTensor(ElementType::BFP8B, {64, 64});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("exp", {x}, type));
  Result<RunResult> result = runSeeded(builder);
  ASSERT_TRUE(result) << result.message();
  const DeviceStatistics &device = result->devices[0];
  EXPECT_EQ(device.peakBytes, 2 * 4 * 1088);
  // The operand as bf16 and the result as f32.
  EXPECT_EQ(device.scratchBytes, 64 * 64 * (2 + 4));
}

} // namespace
