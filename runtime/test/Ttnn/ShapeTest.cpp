// SPDX-License-Identifier: Apache-2.0
//
// Ops that move numbers, on devices.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

using Ints = std::vector<int64_t>;

TEST_F(Ttnn, ShapeOps) {
  ProgramBuilder builder("shape", {1, 2});
  ElementType element = ElementType::BF16;
  int32_t x = builder.addInput("x", local(element, {2, 6, 40}));
  builder.addOutput("slice",
                    builder.addOne("slice", {x}, local(element, {1, 3, 13}),
                                   {{"begins", Ints{1, 0, 1}},
                                    {"ends", Ints{2, 6, 40}},
                                    {"steps", Ints{1, 2, 3}}}));
  builder.addOutput("concat", builder.addOne("concat", {x, x, x},
                                             local(element, {2, 6, 120}),
                                             {{"dim", int64_t(-1)}}));
  builder.addOutput("permute",
                    builder.addOne("permute", {x}, local(element, {40, 2, 6}),
                                   {{"permutation", Ints{2, 0, 1}}}));
  builder.addOutput(
      "reshape", builder.addOne("reshape", {x}, local(element, {12, 4, 10})));
  builder.addOutput("repeat",
                    builder.addOne("repeat", {x}, local(element, {4, 6, 120}),
                                   {{"repeats", Ints{2, 1, 3}}}));
  builder.addOutput(
      "interleave",
      builder.addOne("repeat_interleave", {x}, local(element, {2, 18, 40}),
                     {{"repeats", int64_t(3)}, {"dim", int64_t(1)}}));
  int32_t row = builder.addInput("row", local(element, {6, 1}));
  builder.addOutput("broadcast", builder.addOne("broadcast", {row},
                                                local(element, {2, 6, 40})));
  builder.addOutput("full", builder.addFull(local(element, {3, 3}), 1.5));
  expectRuns(builder);
}

/// Behind it goes in tiles, in front by rows; block formats know tiles alone.
TEST_F(Ttnn, PadsOnBothSides) {
  for (ElementType element :
       {ElementType::F32, ElementType::BF16, ElementType::BFP8B}) {
    ProgramBuilder builder("pad", {1, 1});
    int32_t x = builder.addInput("x", local(element, {1, 32, 32}));
    builder.addOutput(
        "behind",
        builder.addOne("pad", {x}, local(element, {1, 64, 32}),
                       {{"padding", Ints{0, 0, 0, 32, 0, 0}}, {"value", 2.0}}));
    builder.addOutput(
        "before",
        builder.addOne("pad", {x}, local(element, {2, 64, 32}),
                       {{"padding", Ints{1, 0, 32, 0, 0, 0}}, {"value", 0.0}}));
    expectRuns(builder);
  }
}

TEST_F(Ttnn, EmbeddingTakesAnyShapeOfIndices) {
  for (ElementType index :
       {ElementType::I32, ElementType::U32, ElementType::I64})
    for (const Shape &shape : {Shape{7}, Shape{2, 3}, Shape{2, 1, 3}}) {
      ProgramBuilder builder("embedding", {1, 2});
      Shape out = shape;
      out.push_back(48);
      int32_t i = builder.addInput("i", local(index, shape), 11);
      int32_t table =
          builder.addInput("t", local(ElementType::BF16, {1, 1, 11, 48}));
      builder.addOutput("y", builder.addOne("embedding", {i, table},
                                            local(ElementType::BF16, out)));
      expectRuns(builder);
    }
}

TEST_F(Ttnn, ConstantsAreOnEveryDevice) {
  ProgramBuilder builder("constant", {2, 2});
  std::vector<double> numbers(96);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i) / 4;
  ValueType type = local(ElementType::F32, {3, 32});
  int32_t c = builder.addConstant(type, numbers);
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {c, x}, type));
  expectRuns(builder);
}

} // namespace

} // namespace ring::rt::test
