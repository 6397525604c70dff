// SPDX-License-Identifier: Apache-2.0
//
// What devices cannot do is refused by name before one is opened.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

using Ints = std::vector<int64_t>;

constexpr ElementType kF32 = ElementType::F32, kBf16 = ElementType::BF16;

TEST_F(Ttnn, RefusesOpsWithoutACall) {
  ProgramBuilder builder("merge", {1, 2});
  ValueType out = local(kF32, {1, 2, 32, 32}), lse = local(kF32, {1, 2, 32, 1});
  int32_t a = builder.addInput("a", out), b = builder.addInput("b", lse);
  auto merged =
      builder.add("ring.merge", {a, b, a, b}, {out, lse}, {}, "layer 3");
  builder.addOutput("y", merged[0]);
  expectRefused(builder, "instruction 0 'ring.merge' at layer 3: 'ring.merge' "
                         "has no call in tt-metal; compile with target=ttnn");
}

TEST_F(Ttnn, RefusesMeshesOfThreeAxes) {
  ProgramBuilder builder("three", {2, 2, 2});
  ValueType type = local(kF32, {2});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("neg", {x}, type));
  expectRefused(builder, "a mesh of one or two axes on devices, but got 2x2x2");
}

TEST_F(Ttnn, RefusesLimitsAndTraces) {
  ProgramBuilder builder("limits", {1, 1});
  ValueType type = local(kF32, {2});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("neg", {x}, type));
  Result<Program> program = builder.build();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  for (bool trace : {false, true}) {
    RunOptions options = onDevices();
    options.trace = trace;
    options.deviceMemory = trace ? 0 : 1000;
    Result<RunResult> result = run(*program, *inputs, options);
    ASSERT_FALSE(result);
    EXPECT_NE(result.message().find("neither a memory limit nor a trace"),
              std::string::npos);
  }
}

TEST_F(Ttnn, RefusesSteps) {
  struct Case {
    const char *op;
    Shape from, to;
    Attributes attributes;
    const char *part;
  };
  for (const Case &one :
       {Case{"slice",
             {8},
             {3},
             {{"begins", Ints{7}}, {"ends", Ints{1}}, {"steps", Ints{-2}}},
             "positive steps on devices, but got -2"},
        Case{"layer_norm",
             {4, 8},
             {4, 8},
             {{"normalized_rank", int64_t(2)}},
             "over the last dimension on devices, but got one over 2"},
        Case{"all_reduce",
             {8},
             {8},
             {{"axis", int64_t(1)}, {"reduce", std::string("max")}},
             "by sum or mean on devices, but got 'max'"},
        Case{"all_gather",
             {8},
             {16},
             {{"axis", int64_t(1)},
              {"axis_size", int64_t(2)},
              {"axis_stride", int64_t(1)},
              {"dim", int64_t(0)}},
             "a whole mesh axis on devices, but got 2 ranks of 4"},
        Case{"collective_permute",
             {8},
             {8},
             {{"pairs", Ints{0, 5}}},
             "in one row or column of the mesh on devices, but got 0,0 and "
             "1,1"},
        Case{"point_to_point",
             {8},
             {8},
             {{"sender", Ints{0, 0}}, {"receiver", Ints{1, 3}}},
             "in one row or column of the mesh on devices, but got 0,0 and "
             "1,3"},
        Case{
            "all_to_all",
            {8, 2},
            {4, 4},
            {{"split", int64_t(0)},
             {"concat", int64_t(1)},
             {"groups", Ints{0, 5, 1, 4, 2, 7, 3, 6}},
             {"group_size", int64_t(2)}},
            "the lines of a mesh axis on devices, in order, but got others"}}) {
    ProgramBuilder builder(one.op, {2, 4});
    int32_t x = builder.addInput("x", local(kF32, one.from));
    builder.addOutput(
        "y", builder.addOne(one.op, {x}, local(kF32, one.to), one.attributes));
    expectRefused(builder, one.part);
  }
}

TEST_F(Ttnn, RefusesTablesOfF32) {
  ProgramBuilder builder("table", {1, 1});
  int32_t i = builder.addInput("i", local(ElementType::I32, {2}), 4);
  int32_t table = builder.addInput("t", local(kF32, {4, 32}));
  builder.addOutput(
      "y", builder.addOne("embedding", {i, table}, local(kF32, {2, 32})));
  expectRefused(builder, "a table of bf16 on devices");
}

TEST_F(Ttnn, RefusesAttentions) {
  struct Case {
    ElementType element;
    int64_t queries, keys, dim;
    bool causal, mask;
    const char *part;
  };
  for (const Case &one :
       {Case{kF32, 32, 32, 32, false, false, "operand 0 is f32"},
        Case{kBf16, 32, 32, 48, false, false,
             "whole tiles of 32 columns on devices, but got 48 and 48"},
        Case{kBf16, 32, 32, 32, true, true, "a mask without causality"}}) {
    ProgramBuilder builder("sdpa", {1, 2});
    auto input = [&](const char *name, int64_t rows) {
      return builder.addInput(name, local(one.element, {1, 2, rows, one.dim}));
    };
    std::vector<int32_t> operands = {
        input("q", one.queries), input("k", one.keys), input("v", one.keys)};
    if (one.mask)
      operands.push_back(
          builder.addInput("m", local(kBf16, {1, 1, one.queries, one.keys})));
    builder.addOutput(
        "y", builder.addOne("sdpa", operands,
                            local(one.element, {1, 2, one.queries, one.dim}),
                            {{"causal", int64_t(one.causal)}}));
    expectRefused(builder, one.part);
  }
}

TEST_F(Ttnn, RefusesWholeAttentions) {
  struct Case {
    int64_t before, after, keys, jointHeads;
    Attributes attributes;
    const char *part;
  };
  for (const Case &one :
       {Case{-1, 0, 64, 0, {}, "as many queries as keys for a causal"},
        Case{3, 3, 32, 0, {}, "full, causal or a causal window"},
        Case{-1, -1, 32, 0, {{"length", int64_t(20)}}, "without lengths"},
        Case{-1, -1, 32, 1, {}, "as many key heads as heads beside joint"}}) {
    ProgramBuilder builder("whole", {1, 2});
    int64_t keyHeads = one.jointHeads > 0 ? one.jointHeads : 2;
    std::vector<int32_t> operands = {
        builder.addInput("q", local(kBf16, {1, 2, 32, 32})),
        builder.addInput("k", local(kBf16, {1, keyHeads, one.keys, 32})),
        builder.addInput("v", local(kBf16, {1, keyHeads, one.keys, 32}))};
    std::vector<ValueType> results = {local(kBf16, {1, 2, 32, 32})};
    if (one.jointHeads > 0) {
      operands.push_back(builder.addInput("jq", local(kBf16, {1, 2, 32, 32})));
      for (const char *name : {"jk", "jv"})
        operands.push_back(
            builder.addInput(name, local(kBf16, {1, keyHeads, 32, 32})));
      results.push_back(results[0]);
    }
    Attributes attributes = one.attributes;
    if (one.jointHeads == 0)
      encode::band(attributes, one.before, one.after);
    auto out = builder.add("ring.attention", operands, results, attributes);
    builder.addOutput("y", out[0]);
    expectRefused(builder, one.part);
  }
}

} // namespace

} // namespace ring::rt::test
