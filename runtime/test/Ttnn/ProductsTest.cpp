// SPDX-License-Identifier: Apache-2.0
//
// Products, reductions and norms on devices. The stand-in computes as coarsely
// as tt-metal's own settings would have it, so a setting that is forgotten is
// a wrong number.

#include "TtnnTest.h"

#include <cmath>

namespace ring::rt::test {

namespace {

using Ints = std::vector<int64_t>;

TEST_F(Ttnn, ProductsBroadcastTheirBatches) {
  struct Case {
    Shape a, b, y;
    bool transposeA, transposeB;
  };
  for (ElementType element : {ElementType::F32, ElementType::BF16})
    for (const Case &one :
         {Case{{32, 64}, {64, 32}, {32, 32}, false, false},
          Case{{2, 3, 32, 64}, {64, 40}, {2, 3, 32, 40}, false, false},
          Case{{2, 3, 64, 32}, {2, 3, 40, 64}, {2, 3, 32, 40}, true, true},
          Case{{32, 64}, {3, 64, 32}, {3, 32, 32}, false, false},
          Case{{2, 1, 32, 64}, {3, 64, 8}, {2, 3, 32, 8}, false, false}}) {
      ProgramBuilder builder("matmul", {1, 2});
      int32_t a = builder.addInput("a", local(element, one.a));
      int32_t b = builder.addInput("b", local(element, one.b));
      builder.addOutput(
          "y", builder.addOne("matmul", {a, b}, local(ElementType::F32, one.y),
                              {{"transpose_a", int64_t(one.transposeA)},
                               {"transpose_b", int64_t(one.transposeB)}}));
      expectRuns(builder);
    }
}

TEST_F(Ttnn, LinearAddsItsBias) {
  ProgramBuilder builder("linear", {1, 2});
  ElementType element = ElementType::BF16;
  int32_t a = builder.addInput("a", local(element, {1, 4, 32, 64}));
  int32_t b = builder.addInput("b", local(element, {64, 96}));
  int32_t bias = builder.addInput("bias", local(element, {96}));
  builder.addOutput("y", builder.addOne("linear", {a, b, bias},
                                        local(element, {1, 4, 32, 96})));
  expectRuns(builder);
}

TEST_F(Ttnn, Reductions) {
  for (const char *op : {"sum", "mean", "max", "min"}) {
    ProgramBuilder builder("reduce", {1, 2});
    int32_t x = builder.addInput("x", local(ElementType::BF16, {2, 5, 40}));
    builder.addOutput(
        "last", builder.addOne(op, {x}, local(ElementType::F32, {2, 5, 1}),
                               {{"dims", Ints{-1}}, {"keep_dim", int64_t(1)}}));
    builder.addOutput("two",
                      builder.addOne(op, {x}, local(ElementType::F32, {5}),
                                     {{"dims", Ints{0, 2}}}));
    expectRuns(builder);
  }
}

TEST_F(Ttnn, SoftmaxOfNothingIsZero) {
  ProgramBuilder builder("softmax", {1, 2});
  ValueType type = local(ElementType::F32, {2, 4, 32});
  int32_t x = builder.addInput("x", type);
  int32_t row = builder.addInput("row", local(ElementType::F32, {4, 1}));
  int32_t lowest = builder.addFull(local(ElementType::F32, {1}), -INFINITY);
  int32_t zero = builder.addFull(local(ElementType::F32, {1}), 0);
  int32_t hidden =
      builder.addOne("gt", {row, zero}, local(ElementType::Bool, {4, 1}));
  int32_t masked = builder.addOne("where", {hidden, lowest, x}, type);
  for (int64_t dim : {-1, 1})
    builder.addOutput(
        "y" + std::to_string(dim),
        builder.addOne("softmax", {masked}, type, {{"dim", dim}}));
  expectRuns(builder);
}

TEST_F(Ttnn, Norms) {
  for (const char *op : {"rms_norm", "layer_norm"})
    for (ElementType element : {ElementType::F32, ElementType::BF16}) {
      ProgramBuilder builder("norm", {1, 2});
      ValueType type = local(element, {2, 5, 64});
      int32_t x = builder.addInput("x", type);
      int32_t weight = builder.addInput("w", local(element, {64}));
      int32_t bias = builder.addInput("b", local(element, {64}));
      builder.addOutput("plain", builder.addOne(op, {x}, type));
      builder.addOutput("full", builder.addOne(op, {x, weight, bias}, type,
                                               {{"epsilon", 1e-3}}));
      expectRuns(builder);
    }
}

} // namespace

} // namespace ring::rt::test
