// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops on devices.

#include "TtnnTest.h"

#include <cmath>

namespace ring::rt::test {

namespace {

constexpr ElementType kReal[] = {ElementType::F32, ElementType::BF16};

TEST_F(Ttnn, UnaryOps) {
  for (ElementType element : kReal) {
    ProgramBuilder builder("unary", {1, 2});
    ValueType type = local(element, {2, 33});
    int32_t x = builder.addInput("x", type);
    int32_t positive = builder.addOne("exp", {x}, type);
    for (const char *op :
         {"neg", "abs", "exp", "sigmoid", "silu", "tanh", "relu", "sin", "cos",
          "erf", "floor", "ceil", "sign", "logical_not", "copy"})
      builder.addOutput(op, builder.addOne(op, {x}, type));
    for (const char *op : {"log", "sqrt", "rsqrt", "reciprocal"})
      builder.addOutput(op, builder.addOne(op, {positive}, type));
    builder.addOutput("clamp", builder.addOne("clamp", {x}, type,
                                              {{"min", -0.5}, {"max", 0.25}}));
    expectRuns(builder);
  }
}

/// tt-metal's bool would be a table, which is off by more than the tanh form is
/// from the exact one; so the two forms are told apart.
TEST_F(Ttnn, GeluHasTwoForms) {
  ProgramBuilder builder("gelu", {1, 2});
  ValueType type = local(ElementType::F32, {64, 64});
  int32_t x = builder.addInput("x", type);
  for (int64_t approximate : {0, 1})
    builder.addOutput(
        "y" + std::to_string(approximate),
        builder.addOne("gelu", {x}, type, {{"approximate", approximate}}));
  expectRuns(builder);
}

TEST_F(Ttnn, BinaryOpsBroadcastAndMixTypes) {
  for (ElementType element : kReal) {
    ProgramBuilder builder("binary", {2});
    ValueType type = local(ElementType::F32, {3, 1, 40});
    int32_t a = builder.addInput("a", type);
    int32_t b = builder.addInput("b", local(element, {5, 40}));
    ValueType y = local(ElementType::F32, {3, 5, 40});
    ValueType truth = local(ElementType::Bool, {3, 5, 40});
    for (const char *op : {"add", "subtract", "multiply", "maximum", "minimum"})
      builder.addOutput(op, builder.addOne(op, {a, b}, y));
    for (const char *op :
         {"eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or"})
      builder.addOutput(op, builder.addOne(op, {a, b}, truth));
    int32_t positive = builder.addOne("exp", {a}, type);
    builder.addOutput("pow", builder.addOne("pow", {positive, b}, y));
    builder.addOutput("divide", builder.addOne("divide", {b, positive}, y));
    expectRuns(builder);
  }
}

TEST_F(Ttnn, NarrowOperandsOfAWideResultAreNotRoundedBetween) {
  ProgramBuilder builder("wide", {1, 1});
  ValueType narrow = local(ElementType::BF16, {32, 32});
  int32_t a = builder.addInput("a", narrow), b = builder.addInput("b", narrow);
  builder.addOutput("y", builder.addOne("multiply", {a, b},
                                        local(ElementType::F32, {32, 32})));
  expectRuns(builder);
}

/// Positions above 2^8, which bf16 does not tell apart.
TEST_F(Ttnn, IntegersStayExact) {
  for (ElementType element :
       {ElementType::I32, ElementType::I64, ElementType::U32}) {
    ProgramBuilder builder("integers", {1, 2});
    ValueType type = local(element, {1, 600});
    auto positions = [&](int64_t start) {
      return builder.addOne("arange", {}, type,
                            {{"start", start},
                             {"end", start + 600},
                             {"step", int64_t(1)},
                             {"dim", int64_t(1)}});
    };
    int32_t a = positions(70000), b = positions(70001);
    builder.addOutput(
        "eq", builder.addOne("eq", {a, b}, local(ElementType::Bool, {1, 600})));
    builder.addOutput("sum", builder.addOne("add", {a, b}, type));
    // Between an integer and a real number, 70144 in bf16, f32 loses neither.
    int32_t border = builder.addFull(local(ElementType::BF16, {1}), 70144);
    builder.addOutput(
        "mixed",
        builder.addOne("lt", {a, border}, local(ElementType::Bool, {1, 600})));
    builder.addOutput(
        "real",
        builder.addOne("typecast", {a}, local(ElementType::F32, {1, 600})));
    expectRuns(builder);
  }
}

/// Integers of few bits are computed with in 32, and unsigned ones keep theirs.
TEST_F(Ttnn, IntegersOfEveryKind) {
  ElementType kinds[] = {ElementType::U8, ElementType::U16, ElementType::U32,
                         ElementType::I32};
  for (ElementType from : kinds)
    for (ElementType to : kinds) {
      ProgramBuilder builder("kinds", {1, 2});
      ValueType type = local(to, {1, 100});
      int32_t x = builder.addInput("x", local(from, {1, 100}), 11);
      int32_t y = builder.addInput("y", local(to, {1, 100}), 11);
      builder.addOutput("cast", builder.addOne("typecast", {x}, type));
      for (const char *op : {"add", "multiply", "maximum", "minimum"})
        builder.addOutput(op, builder.addOne(op, {x, y}, type));
      int32_t more = builder.addOne("add", {y, builder.addFull(type, 1)}, type);
      builder.addOutput("divide",
                        builder.addOne("divide", {x, more},
                                       local(ElementType::F32, {1, 100})));
      builder.addOutput(
          "truth",
          builder.addOne("typecast", {x}, local(ElementType::Bool, {1, 100})));
      builder.addOutput("not",
                        builder.addOne("logical_not", {x},
                                       local(ElementType::Bool, {1, 100})));
      expectRuns(builder);
    }
}

/// An infinity that is not chosen must not make NaN, in whatever shape the
/// condition is.
TEST_F(Ttnn, WhereLeavesInfinitiesAlone) {
  ProgramBuilder builder("where", {1, 2});
  ValueType type = local(ElementType::F32, {2, 8, 32});
  int32_t x = builder.addInput("x", type);
  int32_t row = builder.addInput("row", local(ElementType::F32, {8, 1}));
  ValueType truth = local(ElementType::Bool, {8, 1});
  int32_t zero = builder.addFull(local(ElementType::F32, {8, 1}), 0);
  int32_t chosen = builder.addOne("gt", {row, zero}, truth);
  int32_t lowest = builder.addFull(local(ElementType::F32, {1}), -INFINITY);
  builder.addOutput("y", builder.addOne("where", {chosen, x, lowest}, type));
  builder.addOutput("z", builder.addOne("where", {row, lowest, x}, type));
  expectRuns(builder);
}

} // namespace

} // namespace ring::rt::test
