// SPDX-License-Identifier: Apache-2.0
//
// The attention ops against the reference: shapes, masks, caches, gradients.

#include "ProgramCheck.h"

#include <cmath>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType f32(Shape shape) {
  return localTensor(ElementType::F32, std::move(shape));
}

ValueType i32(Shape shape) {
  return localTensor(ElementType::I32, std::move(shape));
}

struct Inputs {
  int32_t q, k, v;
};

Inputs addInputs(ProgramBuilder &builder, const Shape &q, const Shape &k,
                 int64_t valueDim, ElementType element = ElementType::F32) {
  Shape v = k;
  v[3] = valueDim;
  return {builder.addInput("q", localTensor(element, q)),
          builder.addInput("k", localTensor(element, k)),
          builder.addInput("v", localTensor(element, v))};
}

TEST(AttentionOp, Sdpa) {
  Dice dice(3);
  for (int round = 0; round < 12; ++round) {
    int64_t group = dice.between(1, 3), kv = dice.between(1, 3);
    int64_t heads = group * kv, s = dice.between(1, 150);
    int64_t dim = dice.between(1, 40), width = dice.between(1, 40);
    ElementType element = round % 3 ? ElementType::F32 : ElementType::BF16;
    ProgramBuilder builder("sdpa", {1});
    Inputs in =
        addInputs(builder, {2, heads, s, dim}, {2, kv, s, dim}, width, element);
    int32_t mask = kAbsent, sink = kAbsent;
    Attributes attributes;
    if (dice.below(2))
      attributes["causal"] = int64_t(1);
    else
      mask = builder.addInput("mask", f32({1, heads, 1, s}));
    if (dice.below(2))
      attributes["window"] = dice.between(1, s);
    if (dice.below(2))
      sink = builder.addInput("sink", f32({1, heads, 1, 1}));
    attributes["sink_scaled"] = dice.below(2);
    attributes["scale"] = 0.3;
    builder.addOutput("out",
                      builder.addOne("sdpa", {in.q, in.k, in.v, mask, sink},
                                     localTensor(element, {2, heads, s, width}),
                                     attributes));
    expectAgrees(builder);
  }
}

TEST(AttentionOp, TheReferenceHidesNoNaN) {
  // Not 0, as a row that attends to nothing is: otherwise a check would call
  // a kernel wrong that is right, and right one that loses it.
  ProgramBuilder builder("nan", {1});
  Inputs in = addInputs(builder, {1, 1, 2, 4}, {1, 1, 2, 4}, 4);
  builder.addOutput("out",
                    builder.addOne("sdpa", {in.q, in.k, in.v, kAbsent, kAbsent},
                                   f32({1, 1, 2, 4})));
  std::vector<uint8_t> file = builder.serialize();
  Result<Program> program = Program::load(file.data(), file.size());
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  std::vector<double> query(8, 1.0);
  query[1] = std::nan("");
  (*inputs)[0][0] = *Tensor::fromNumbers(ElementType::F32, {1, 1, 2, 4}, query);
  Result<PortNumbers> reference = runReference(*program, *inputs);
  ASSERT_TRUE(reference) << reference.message();
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(std::isnan((*reference)[0][0][i]), i < 4) << i;
}

TEST(AttentionOp, ForwardAndBackward) {
  for (const char *type : {"none", "causal", "arbitrary"}) {
    SCOPED_TRACE(type);
    ProgramBuilder builder("fw", {1});
    Inputs in = addInputs(builder, {2, 4, 37, 16}, {2, 2, 37, 16}, 24);
    int32_t grad = builder.addInput("grad", f32({2, 4, 37, 24}));
    int32_t mask = kAbsent;
    if (std::string(type) == "arbitrary") {
      // Row 5 keeps nothing.
      std::vector<double> keep(37 * 37);
      Dice dice(4);
      for (size_t i = 0; i < keep.size(); ++i)
        keep[i] = i / 37 == 5 ? 0 : static_cast<double>(dice.below(2));
      mask = builder.addConstant(f32({1, 1, 37, 37}), keep);
    }
    Attributes attributes = {{"mask_type", std::string(type)}};
    auto fw =
        builder.add("sdpa_fw", {in.q, in.k, in.v, mask},
                    {f32({2, 4, 37, 24}), f32({2, 4, 37, 32})}, attributes);
    auto bw = builder.add(
        "sdpa_bw", {grad, fw[0], in.q, in.k, in.v, fw[1], mask},
        {f32({2, 4, 37, 16}), f32({2, 2, 37, 16}), f32({2, 2, 37, 24})},
        attributes);
    builder.addOutput("out", fw[0]);
    builder.addOutput("lse", fw[1]);
    builder.addOutput("dq", bw[0]);
    builder.addOutput("dk", bw[1]);
    builder.addOutput("dv", bw[2]);
    expectAgrees(builder);
  }
}

TEST(AttentionOp, DecodeOverACache) {
  for (bool paged : {false, true}) {
    SCOPED_TRACE(paged);
    ProgramBuilder builder("decode", {1});
    int32_t q = builder.addInput("q", f32({1, 3, 8, 16}));
    Shape cache = paged ? Shape{12, 2, 8, 16} : Shape{3, 2, 32, 16};
    int32_t k = builder.addInput("k", f32(cache));
    int32_t v = builder.addInput("v", f32(cache));
    int32_t table = builder.addInput("table", i32({3, 4}), 12);
    int32_t position = builder.addConstant(i32({3}), {0, 17, 31});
    int32_t mask = builder.addInput("mask", f32({3, 1, 8, 32}));
    int32_t sink = builder.addInput("sink", f32({1, 8, 1, 1}));
    std::vector<int32_t> operands = {q, k, v};
    if (paged)
      operands.push_back(table);
    operands.insert(operands.end(), {mask, position, sink});
    const char *op = paged ? "paged_sdpa_decode" : "sdpa_decode";
    builder.addOutput("out", builder.addOne(op, operands, f32({1, 3, 8, 16})));
    builder.addOutput("window", builder.addOne(op, operands, f32({1, 3, 8, 16}),
                                               {{"window", int64_t(5)}}));
    expectAgrees(builder);
  }
}

TEST(AttentionOp, ChunkOverPages) {
  ProgramBuilder builder("chunk", {1});
  int32_t q = builder.addInput("q", f32({2, 4, 16, 8}));
  int32_t k = builder.addInput("k", f32({9, 2, 8, 8}));
  int32_t v = builder.addInput("v", f32({9, 2, 8, 8}));
  int32_t table = builder.addInput("table", i32({2, 6}), 9);
  int32_t start = builder.addConstant(i32({1}), {24});
  builder.addOutput("out",
                    builder.addOne("chunked_sdpa", {q, k, v, table, start},
                                   f32({2, 4, 16, 8})));
  Attributes causal;
  encode::band(causal, -1, 0);
  auto ring = builder.addOptional(
      "ring.attention",
      {q, k, v, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, table, start},
      {f32({2, 4, 16, 8}), f32({}), f32({2, 4, 16, 1})}, {true, false, true},
      causal);
  builder.addOutput("ring", ring[0]);
  builder.addOutput("lse", ring[2]);
  expectAgrees(builder);
}

TEST(AttentionOp, RingAttentionJointLength) {
  for (int64_t length : {1, 5, 9}) {
    ProgramBuilder joint("joint", {1});
    Inputs in = addInputs(joint, {1, 4, 50, 16}, {1, 2, 50, 16}, 16);
    int32_t jq = joint.addInput("jq", f32({1, 4, 9, 16}));
    int32_t jk = joint.addInput("jk", f32({1, 2, 9, 16}));
    int32_t jv = joint.addInput("jv", f32({1, 2, 9, 16}));
    std::vector<int32_t> out =
        joint.add("ring.attention", {in.q, in.k, in.v, jq, jk, jv},
                  {f32({1, 4, 50, 16}), f32({1, 4, 9, 16}), f32({1, 4, 59, 1})},
                  {{"joint_length", length}, {"length", int64_t(40)}});
    for (size_t i = 0; i < out.size(); ++i)
      joint.addOutput("out" + std::to_string(i), out[i]);
    expectAgrees(joint);
  }
}

TEST(AttentionOp, RingAttentionJointMaskSinkLength) {
  ProgramBuilder joint("joint", {1});
  Inputs in = addInputs(joint, {1, 4, 50, 16}, {1, 4, 50, 16}, 16);
  int32_t jq = joint.addInput("jq", f32({1, 4, 9, 16}));
  int32_t jk = joint.addInput("jk", f32({1, 4, 9, 16}));
  int32_t jv = joint.addInput("jv", f32({1, 4, 9, 16}));
  auto out =
      joint.add("ring.attention", {in.q, in.k, in.v, jq, jk, jv},
                {f32({1, 4, 50, 16}), f32({1, 4, 9, 16}), f32({1, 4, 59, 1})},
                {{"length", int64_t(41)}});
  for (size_t i : {0, 1, 2})
    joint.addOutput("out" + std::to_string(i), out[i]);
  expectAgrees(joint);

  ProgramBuilder masked("masked", {1});
  in = addInputs(masked, {2, 4, 30, 16}, {2, 1, 30, 16}, 20);
  int32_t mask = masked.addInput("mask", f32({2, 1, 30, 30}));
  int32_t sink = masked.addInput("sink", f32({1, 4, 1, 1}));
  Attributes window;
  encode::band(window, 7, 2);
  masked.addOutput("out", masked.addOne("ring.attention",
                                        {in.q, in.k, in.v, kAbsent, kAbsent,
                                         kAbsent, mask, sink},
                                        f32({2, 4, 30, 20}), window));
  expectAgrees(masked);
}

TEST(AttentionOp, RingAttentionBesideItsQueries) {
  // Keys 9 to 3 before the query, and 2 to 6 behind it: neither side reaches 0.
  for (auto [reach, shift] : {std::pair{int64_t(6), int64_t(3)}, {4, -6}}) {
    ProgramBuilder builder("aside", {1});
    Inputs in = addInputs(builder, {1, 4, 40, 16}, {1, 2, 40, 16}, 16);
    Attributes window;
    encode::band(window, reach, 0);
    window["key_shift"] = shift;
    builder.addOutput("out",
                      builder.addOne("ring.attention", {in.q, in.k, in.v},
                                     f32({1, 4, 40, 16}), window));
    expectAgrees(builder);
    window["length"] = int64_t(30);
    ProgramBuilder both("both", {1});
    in = addInputs(both, {1, 4, 40, 16}, {1, 2, 40, 16}, 16);
    both.addOutput("out", both.addOne("ring.attention", {in.q, in.k, in.v},
                                      f32({1, 4, 40, 16}), window));
    EXPECT_NE(refusal(both).find("without 'length'"), std::string::npos);
  }
}

TEST(AttentionOp, WorkOfGradients) {
  // Three products over the dim of the keys, two over that of the values.
  ProgramBuilder builder("work", {1});
  Inputs in = addInputs(builder, {1, 2, 32, 64}, {1, 2, 32, 64}, 32);
  int32_t grad = builder.addInput("grad", f32({1, 2, 32, 32}));
  Attributes causal = {{"mask_type", std::string("causal")}};
  auto fw = builder.add("sdpa_fw", {in.q, in.k, in.v},
                        {f32({1, 2, 32, 32}), f32({1, 2, 32, 32})}, causal);
  auto bw = builder.add(
      "sdpa_bw", {grad, fw[0], in.q, in.k, in.v, fw[1]},
      {f32({1, 2, 32, 64}), f32({1, 2, 32, 64}), f32({1, 2, 32, 32})}, causal);
  builder.addOutput("dq", bw[0]);
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  ASSERT_TRUE(inputs);
  Result<RunResult> result = run(*program, *inputs);
  ASSERT_TRUE(result) << result.message();
  const double pairs = 32 * 33;
  auto &ops = result->devices[0].ops;
  EXPECT_EQ(ops["sdpa_fw"].flops, pairs * 2 * (64 + 32));
  EXPECT_EQ(ops["sdpa_bw"].flops, pairs * 2 * (3 * 64 + 2 * 32));
}

TEST(AttentionOp, Dilated) {
  struct Pattern {
    std::vector<int64_t> segments, rates;
    int64_t segmentation, phase, mix, norm, shorter, causal;
  };
  for (const Pattern &pattern :
       {Pattern{{4, 8, 16}, {1, 2, 4}, 0, 0, 0, 0, 0, 0},
        Pattern{{4, 8, 16}, {1, 2, 4}, 0, 0, 0, 0, 0, 1},
        Pattern{{4, 8, 16}, {1, 2, 4}, 0, 1, 1, 1, 0, 1},
        Pattern{{4, 8, 16}, {1, 2, 4}, 0, 2, 1, 1, 0, 0},
        Pattern{{8, 16}, {3, 5}, 0, 3, 1, 1, 0, 1},
        Pattern{{8, 16}, {3, 5}, 0, 1, 2, 1, 0, 0},
        Pattern{{4, 12}, {1, 2}, 1, 3, 1, 1, 0, 1},
        Pattern{{4, 8}, {1, 2}, 2, 0, 2, 1, 0, 0},
        Pattern{{8, 64}, {1, 2}, 0, 0, 0, 0, 1, 0},
        Pattern{{8, 64}, {1, 2}, 0, 0, 0, 0, 2, 0}}) {
    ProgramBuilder builder("dilated", {1});
    Inputs in = addInputs(builder, {2, 5, 16, 4}, {2, 5, 16, 4}, 6);
    auto out = builder.addOptional(
        "ring.attention", {in.q, in.k, in.v},
        {f32({2, 5, 16, 6}), f32({}), f32({2, 5, 16, 1})}, {true, false, true},
        {{"segments", pattern.segments},
         {"rates", pattern.rates},
         {"segmentation", pattern.segmentation},
         {"phase", pattern.phase},
         {"mix", pattern.mix},
         {"norm", pattern.norm},
         {"shorter", pattern.shorter},
         {"causal", pattern.causal}});
    builder.addOutput("out", out[0]);
    builder.addOutput("lse", out[2]);
    expectAgrees(builder);
  }
}

TEST(AttentionOp, DilatedVariants) {
  using Ints = std::vector<int64_t>;
  // Prefixes of chunks, the last groups larger, residue 0, and padding.
  for (const Attributes &pattern : {Attributes{{"segments", Ints{4, 8}},
                                               {"rates", Ints{1, 2}},
                                               {"segmentation", int64_t(2)},
                                               {"chunks", int64_t(2)},
                                               {"phase", int64_t(4)},
                                               {"mix", int64_t(2)},
                                               {"norm", int64_t(1)}},
                                    Attributes{{"segments", Ints{3, 4}},
                                               {"rates", Ints{1, 3}},
                                               {"segmentation", int64_t(2)},
                                               {"chunks", int64_t(4)},
                                               {"phase", int64_t(1)},
                                               {"mix", int64_t(1)},
                                               {"norm", int64_t(1)},
                                               {"length", int64_t(11)},
                                               {"causal", int64_t(1)}},
                                    Attributes{{"segments", Ints{4, 8, 16}},
                                               {"rates", Ints{1, 2, 4}},
                                               {"extra", int64_t(1)},
                                               {"length", int64_t(9)}},
                                    Attributes{{"segments", Ints{8}},
                                               {"rates", Ints{3}},
                                               {"phase", int64_t(3)},
                                               {"length", int64_t(13)},
                                               {"causal", int64_t(1)}}}) {
    ProgramBuilder builder("dilated", {1});
    Inputs in = addInputs(builder, {2, 5, 16, 4}, {2, 5, 16, 4}, 6);
    auto out =
        builder.addOptional("ring.attention", {in.q, in.k, in.v},
                            {f32({2, 5, 16, 6}), f32({}), f32({2, 5, 16, 1})},
                            {true, false, true}, pattern);
    builder.addOutput("out", out[0]);
    builder.addOutput("lse", out[2]);
    expectAgrees(builder);
  }
}

TEST(AttentionOp, ListedPlaces) {
  using Ints = std::vector<int64_t>;
  // Blocks of up to 3 rows, 6 apart; rows at 1000 and 2000 see nothing.
  ProgramBuilder builder("places", {2});
  Inputs in = addInputs(builder, {1, 2, 5, 4}, {1, 2, 6, 4}, 4);
  auto out = builder.add(
      "ring.partial", {in.q, in.k, in.v},
      {f32({1, 2, 5, 4}), f32({1, 2, 5, 1})},
      {{"before", int64_t(2)},
       {"after", int64_t(2)},
       {"axis", int64_t(0)},
       {"query_places", Ints{2, 1, 2, 1, 6, 3, 1, 2, 12, 3, 1, 1000, 2, 1}},
       {"key_places", Ints{2, 0, 3, 1, 6, 3, 1, 2, 12, 2, 1, 2000, 4, 1}}});
  builder.addOutput("out", out[0]);
  builder.addOutput("lse", out[1]);
  expectAgrees(builder);
}

TEST(AttentionOp, DilatedAgainstKnownNumbers) {
  // Eight rows, two heads, two dims; numbers in [-1, 1) from a hash of their
  // place in a [row, head, dim] tensor, and the result in that order, computed
  // outside of this project's code.
  const std::vector<double> expected = {
      0.077613494,  0.172019951, 0.000000000,  0.000000000,  0.067021516,
      0.173179569,  0.118556704, -0.285153835, -0.049136778, 0.168680953,
      0.000000000,  0.000000000, 0.024885140,  0.157247751,  0.089530534,
      -0.289691321, 0.241911890, 0.167813466,  0.000000000,  0.000000000,
      0.202266100,  0.120606593, 0.071853233,  -0.284404399, 0.229398551,
      0.169109384,  0.000000000, 0.000000000,  0.208902381,  0.079667642,
      0.093409794,  -0.294386933};
  auto number = [](uint32_t index, uint32_t seed) {
    uint32_t u = index * 2654435761u + seed * 40503u + 12345u;
    u = (u ^ (u >> 15)) * 2246822519u;
    u ^= u >> 13;
    return static_cast<double>(u >> 8) / 8388608.0 - 1;
  };
  auto place = [](int64_t row, int64_t head, int64_t d) {
    return (head * 8 + row) * 2 + d;
  };
  ProgramBuilder builder("known", {1});
  ValueType type = f32({1, 2, 8, 2});
  Inputs in = addInputs(builder, type.shape, type.shape, 2);
  builder.addOutput("out",
                    builder.addOne("ring.attention", {in.q, in.k, in.v}, type,
                                   {{"segments", std::vector<int64_t>{4, 8}},
                                    {"rates", std::vector<int64_t>{1, 2}}}));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  std::vector<PortTensors> inputs;
  std::vector<double> sorted(32), numbers(32);
  for (uint32_t seed : {4u, 5u, 6u}) {
    for (int64_t i = 0; i < 32; ++i) {
      int64_t at = place(i / 4, i / 2 % 2, i % 2);
      numbers[at] = number(static_cast<uint32_t>(i), seed);
      sorted[at] = expected[i];
    }
    inputs.push_back({*Tensor::fromNumbers(type.element, type.shape, numbers)});
  }
  Result<RunResult> result = run(*program, inputs);
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(judge(flat(result->outputs[0]), sorted, 1e-6).fault, "");
}

TEST(AttentionOp, BlockFormats) {
  ProgramBuilder builder("bfp", {1});
  Inputs in = addInputs(builder, {1, 2, 64, 32}, {1, 2, 64, 32}, 32,
                        ElementType::BFP8B);
  builder.addOutput(
      "out", builder.addOne("sdpa", {in.q, in.k, in.v},
                            localTensor(ElementType::BFP8B, {1, 2, 64, 32})));
  expectAgrees(builder);
}

} // namespace
