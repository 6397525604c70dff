// SPDX-License-Identifier: Apache-2.0
//
// The fused rings as instructions: against the reference, and against the whole
// attention that they stand for.

#include "ProgramCheck.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType local(ElementType element, Shape shape) {
  return localTensor(element, std::move(shape));
}

TEST(FusedRing, JointAgrees) {
  for (ElementType element :
       {ElementType::F32, ElementType::BF16, ElementType::BFP8B})
    for (int64_t ranks : {1, 2, 3, 4})
      for (int variant = 0; variant < 4; ++variant) {
        ProgramBuilder builder("joint", {1, ranks});
        int32_t q = builder.addInput("q", local(element, {1, 4, 32, 16}));
        int32_t k = builder.addInput("k", local(element, {1, 2, 32, 16}));
        int32_t v = builder.addInput("v", local(element, {1, 2, 32, 24}));
        Attributes attributes = {{"axis", int64_t(1)},
                                 {"length", 32 * ranks - 7}};
        std::vector<int32_t> operands = {q, k, v};
        std::vector<ValueType> results = {local(element, {1, 4, 32, 24})};
        if (variant == 1) {
          attributes["causal"] = attributes["balanced"] = int64_t(1);
          attributes["length"] = 32 * ranks;
        } else if (variant == 2) {
          attributes["causal"] = int64_t(1);
          operands.insert(
              operands.end(),
              {kAbsent, kAbsent, kAbsent,
               builder.addInput("s", local(element, {1, 4, 1, 1}))});
        } else if (variant == 3) {
          operands.push_back(
              builder.addInput("jq", local(element, {1, 4, 5, 16})));
          operands.push_back(
              builder.addInput("jk", local(element, {1, 2, 5, 16})));
          operands.push_back(
              builder.addInput("jv", local(element, {1, 2, 5, 24})));
          results.push_back(local(element, {1, 4, 5, 24}));
        }
        auto out =
            builder.add("ring_joint_sdpa", operands, results, attributes);
        for (size_t i = 0; i < out.size(); ++i)
          builder.addOutput("out" + std::to_string(i), out[i]);
        expectAgrees(builder);
      }
}

/// Fewer queries than keys: every one sees every key.
TEST(FusedRing, CrossAgrees) {
  ProgramBuilder builder("cross", {1, 2});
  int32_t q = builder.addInput("q", local(ElementType::BF16, {1, 4, 32, 16}));
  int32_t k = builder.addInput("k", local(ElementType::BF16, {1, 2, 96, 16}));
  builder.addOutput("out",
                    builder.addOne("ring_joint_sdpa", {q, k, k},
                                   local(ElementType::BF16, {1, 4, 32, 16}),
                                   {{"axis", int64_t(1)},
                                    {"length", int64_t(180)},
                                    {"cross", int64_t(1)}}));
  expectAgrees(builder);
}

TEST(FusedRing, DistributedIsAPieceOfTheWhole) {
  for (int64_t ranks : {1, 2, 4}) {
    ProgramBuilder builder("distributed", {1, ranks});
    Shape shape = {2, 4, 64, 16};
    ValueType whole = wholeTensor(ElementType::F32, shape);
    std::vector<int32_t> wholes, locals;
    Attributes everywhere = {{"axes", std::vector<int64_t>{-1, -1, -1, -1}}};
    for (const char *name : {"q", "k", "v"}) {
      wholes.push_back(builder.addInput(name, whole));
      locals.push_back(builder.addOne("ring.shard", {wholes.back()},
                                      local(ElementType::F32, shape),
                                      everywhere));
    }
    int32_t part =
        builder.addOne("ring_distributed_sdpa", locals,
                       local(ElementType::F32, {2, 4, 64 / ranks, 16}),
                       {{"axis", int64_t(1)}});
    Attributes zigzag;
    encode::sharding(zigzag, {-1, -1, 1, -1}, 2,
                     {encode::LayoutKind::Zigzag, 64, ranks, 0});
    builder.addOutput("ring",
                      builder.addOne("ring.unshard", {part}, whole, zigzag));
    Attributes causal;
    encode::band(causal, -1, 0);
    builder.addOutput("whole",
                      builder.addOne("ring.attention", wholes, whole, causal));
    expectAgrees(builder);
    Result<Program> program = builder.build();
    ASSERT_TRUE(program) << program.message();
    Result<std::vector<PortTensors>> inputs = generateInputs(*program, 2);
    ASSERT_TRUE(inputs);
    Result<RunResult> result = run(*program, *inputs);
    ASSERT_TRUE(result) << result.message();
    EXPECT_EQ(
        judge(flat(result->outputs[0]), flat(result->outputs[1]), 1e-6).fault,
        "");
  }
}

TEST(FusedRing, RefusesWhatDevicesRefuse) {
  auto refusalOf = [](Attributes attributes, bool joint, int64_t rows = 31) {
    ProgramBuilder builder("bad", {1, 2});
    ValueType type = local(ElementType::BF16, {1, 2, rows, 16});
    std::vector<int32_t> operands(3, builder.addInput("x", type));
    std::vector<ValueType> results = {type};
    if (joint) {
      operands.resize(6, builder.addInput("j", type));
      results.push_back(type);
    }
    attributes["axis"] = int64_t(1);
    builder.add("ring_joint_sdpa", operands, results, attributes);
    return refusal(builder);
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusalOf({{"length", int64_t(63)}}, false),
                  "expects a length from 1 to 62"));
  EXPECT_TRUE(
      has(refusalOf({{"length", int64_t(62)}, {"causal", int64_t(1)}}, true),
          "without 'causal'"));
  EXPECT_TRUE(
      has(refusalOf({{"length", int64_t(62)}, {"balanced", int64_t(1)}}, false),
          "an even number of rows"));
  EXPECT_TRUE(
      has(refusalOf({{"length", int64_t(62)}, {"cross", int64_t(1)}}, false),
          "with fewer queries than keys"));
  EXPECT_TRUE(has(refusalOf({{"length", int64_t(63)},
                             {"causal", int64_t(1)},
                             {"balanced", int64_t(1)}},
                            false, /*rows=*/32),
                  "expects a length of all 64 rows with 'balanced'"));
}

} // namespace
