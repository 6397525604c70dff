// SPDX-License-Identifier: Apache-2.0
//
// Every op that is not attention or exchange, on random shapes, against the
// reference.

#include "ProgramCheck.h"

#include "Ops/Op.h"
#include "Reference/Reference.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType f32(Shape shape) {
  return localTensor(ElementType::F32, std::move(shape));
}

/// One program of one op on inputs of the given shapes.
void checkOp(const char *op, const std::vector<ValueType> &inputs,
             ValueType output, Attributes attributes = {}, int64_t limit = 0) {
  SCOPED_TRACE(op);
  ProgramBuilder builder(op, {1});
  std::vector<int32_t> operands;
  for (size_t i = 0; i < inputs.size(); ++i)
    operands.push_back(
        builder.addInput("x" + std::to_string(i), inputs[i], limit));
  builder.addOutput("y", builder.addOne(op, operands, std::move(output),
                                        std::move(attributes)));
  expectAgrees(builder);
}

TEST(Op, EveryOpHasAReference) {
  for (const std::string &name : opTable().names()) {
    Op::Role role = opTable().find(name)->role;
    if (role == Op::Role::Buffer || role == Op::Role::Wait)
      continue;
    EXPECT_NE(reference::find(name), nullptr) << name;
  }
}

TEST(Op, ElementwiseBinaryBroadcasts) {
  Dice dice(1);
  for (const char *op :
       {"add", "subtract", "multiply", "divide", "maximum", "minimum", "eq",
        "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or"})
    for (int round = 0; round < 3; ++round) {
      Shape shape, a, b;
      for (int64_t d = 0; d < dice.between(1, 4); ++d) {
        shape.push_back(dice.between(1, 9));
        a.push_back(dice.below(3) ? shape.back() : 1);
        b.push_back(dice.below(3) && a.back() == shape.back() ? 1
                                                              : shape.back());
      }
      b.erase(b.begin(), b.begin() + (shape[0] == a[0] ? 1 : 0));
      checkOp(op, {f32(a), f32(b)}, f32(shape));
    }
}

TEST(Op, ElementwiseUnary) {
  for (const char *op :
       {"neg", "abs", "exp", "sigmoid", "silu", "gelu", "tanh", "relu", "sin",
        "cos", "erf", "floor", "ceil", "sign", "logical_not", "copy"})
    checkOp(op, {f32({3, 700})}, f32({3, 700}));
  checkOp("gelu", {f32({3, 70})}, f32({3, 70}), {{"approximate", int64_t(1)}});
  checkOp("clamp", {f32({3, 70})}, f32({3, 70}),
          {{"min", -0.5}, {"max", 0.25}});
}

TEST(Op, FunctionsOfPositiveNumbers) {
  for (const char *op : {"log", "sqrt", "rsqrt", "reciprocal"}) {
    ProgramBuilder builder(op, {1});
    int32_t x = builder.addInput("x", f32({5, 33}));
    int32_t positive = builder.addOne("abs", {x}, f32({5, 33}));
    int32_t one = builder.addFull(f32({}), 0.1);
    int32_t moved = builder.addOne("add", {positive, one}, f32({5, 33}));
    builder.addOutput("y", builder.addOne(op, {moved}, f32({5, 33})));
    builder.addOutput("p", builder.addOne("pow", {moved, x}, f32({5, 33})));
    expectAgrees(builder);
  }
}

TEST(Op, WhereAndTypecast) {
  checkOp("where",
          {localTensor(ElementType::Bool, {4, 1}), f32({4, 9}), f32({9})},
          f32({4, 9}));
  for (ElementType element :
       {ElementType::I32, ElementType::U8, ElementType::U16, ElementType::U32,
        ElementType::I64, ElementType::Bool})
    checkOp("typecast", {f32({40})}, localTensor(element, {40}));
  checkOp("typecast", {localTensor(ElementType::I32, {40})}, f32({40}), {},
          1000);
  checkOp("typecast", {f32({4, 40})}, localTensor(ElementType::BF16, {4, 40}));
  checkOp("typecast", {f32({4, 40})}, localTensor(ElementType::BFP8B, {4, 40}));
  checkOp("typecast", {f32({4, 40})}, localTensor(ElementType::BFP4B, {4, 40}));
}

TEST(Op, LargeIntegersAreExact) {
  ProgramBuilder builder("integers", {1});
  ValueType type = localTensor(ElementType::I32, {3});
  int32_t a = builder.addConstant(type, {16777217, 2147483646, -5});
  int32_t b = builder.addConstant(type, {1, 1, 1});
  builder.addOutput("y", builder.addOne("add", {a, b}, type));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<RunResult> result = run(*program, {});
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result->outputs[0][0].numbers(),
            (std::vector<double>{16777218, 2147483647, -4}));
}

TEST(Op, Creation) {
  ProgramBuilder builder("creation", {2});
  builder.addOutput("full", builder.addFull(f32({3, 4}), 2.5));
  builder.addOutput("arange", builder.addOne("arange", {}, f32({2, 5, 3}),
                                             {{"start", int64_t(4)},
                                              {"end", int64_t(-6)},
                                              {"step", int64_t(-2)},
                                              {"dim", int64_t(1)}}));
  builder.addOutput("constant", builder.addConstant(f32({2, 2}), {1, 2, 3, 4}));
  builder.addOutput("splat", builder.addConstant(f32({2, 2}), {7}));
  expectAgrees(builder);
}

TEST(Op, Slice) {
  checkOp("slice", {f32({7, 10, 5})}, f32({3, 5, 4}),
          {{"begins", std::vector<int64_t>{1, -3, 1}},
           {"ends", std::vector<int64_t>{6, 2, 5}},
           {"steps", std::vector<int64_t>{2, -1, 1}}});
}

TEST(Op, ConcatPadPermuteReshape) {
  checkOp("concat", {f32({2, 3, 4}), f32({2, 5, 4}), f32({2, 1, 4})},
          f32({2, 9, 4}), {{"dim", int64_t(-2)}});
  checkOp("pad", {f32({2, 3})}, f32({5, 4}),
          {{"padding", std::vector<int64_t>{1, 2, 0, 1}}, {"value", -1.5}});
  checkOp("permute", {f32({2, 3, 4, 5})}, f32({4, 2, 5, 3}),
          {{"permutation", std::vector<int64_t>{2, 0, 3, 1}}});
  checkOp("reshape", {f32({4, 6})}, f32({2, 3, 4}), {});
}

/// Parts of rows stay where they are until they are read; whatever reads them,
/// in whatever order, must not notice.
TEST(Op, PartsOfRows) {
  const ValueType whole = f32({2, 10, 3});
  const auto slice = [&](ProgramBuilder &builder, int32_t x, int64_t begin,
                         int64_t end) {
    return builder.addOne("slice", {x}, f32({2, end - begin, 3}),
                          {{"begins", std::vector<int64_t>{0, begin, 0}},
                           {"ends", std::vector<int64_t>{2, end, 3}},
                           {"steps", std::vector<int64_t>{1, 1, 1}}});
  };
  ProgramBuilder builder("parts", {2});
  const int32_t x = builder.addInput("x", whole);
  const int32_t y = builder.addInput("y", whole);
  const int32_t low = slice(builder, x, 0, 5), high = slice(builder, x, 5, 10);
  const int32_t most = slice(builder, x, 2, 10),
                least = slice(builder, x, 0, 2);
  const int32_t otherHigh = slice(builder, y, 5, 10);
  const auto join = [&](const char *name, std::vector<int32_t> parts,
                        const ValueType &type, int64_t dim) {
    const int32_t joined =
        builder.addOne("concat", std::move(parts), type, {{"dim", dim}});
    builder.addOutput(name, joined);
    return joined;
  };
  const int32_t same = join("same", {low, high}, whole, 1);
  join("swapped", {high, low}, whole, 1);
  join("mixed", {low, otherHigh}, whole, 1);
  join("uneven", {least, most}, whole, 1);
  join("half twice", {low, low}, whole, 1);
  join("other dimension", {low, high}, f32({4, 5, 3}), 0);
  // The part of what was joined, and a part that was read before it is joined.
  const int32_t again = slice(builder, same, 3, 10);
  builder.addOutput("again", builder.addOne("exp", {again}, f32({2, 7, 3})));
  builder.addOutput("read", builder.addOne("exp", {high}, f32({2, 5, 3})));
  join("after", {low, high}, whole, 1);
  builder.addOutput("part", high);
  expectAgrees(builder);
}

TEST(Op, BroadcastRepeatEmbedding) {
  checkOp("broadcast", {f32({1, 3, 1})}, f32({4, 3, 2}), {});
  checkOp("repeat", {f32({2, 3})}, f32({4, 9}),
          {{"repeats", std::vector<int64_t>{2, 3}}});
  checkOp("repeat_interleave", {f32({2, 3, 2})}, f32({2, 9, 2}),
          {{"repeats", int64_t(3)}, {"dim", int64_t(1)}});
  checkOp("embedding", {localTensor(ElementType::I32, {2, 5}), f32({1, 9, 6})},
          f32({2, 5, 6}), {}, 9);
}

TEST(Op, EmbeddingOutsideTheTableFails) {
  ProgramBuilder builder("embedding", {1});
  int32_t x = builder.addConstant(localTensor(ElementType::I32, {1}), {9});
  int32_t table = builder.addInput("table", f32({9, 6}));
  builder.addOutput("y", builder.addOne("embedding", {x, table}, f32({1, 6})));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<RunResult> result = run(*program, *generateInputs(*program, 1));
  ASSERT_FALSE(result);
  EXPECT_NE(result.message().find("expects indices from 0 to 8"),
            std::string::npos)
      << result.message();
}

TEST(Op, Products) {
  Dice dice(2);
  for (int round = 0; round < 8; ++round) {
    int64_t m = dice.between(1, 40), n = dice.between(1, 40),
            k = dice.between(1, 70);
    bool flipA = dice.below(2), flipB = dice.below(2);
    Shape a = flipA ? Shape{3, 1, k, m} : Shape{3, 1, m, k};
    Shape b = flipB ? Shape{2, n, k} : Shape{2, k, n};
    Attributes attributes = {{"transpose_a", int64_t(flipA)},
                             {"transpose_b", int64_t(flipB)}};
    checkOp("matmul", {f32(a), f32(b)}, f32({3, 2, m, n}), attributes);
    checkOp("linear", {f32(a), f32(b), f32({n})}, f32({3, 2, m, n}),
            attributes);
  }
  checkOp("dot_general", {f32({2, 3, 4, 5}), f32({5, 3, 7, 2})},
          f32({3, 2, 4, 7, 2}),
          {{"batch_a", std::vector<int64_t>{1}},
           {"batch_b", std::vector<int64_t>{1}},
           {"contract_a", std::vector<int64_t>{3}},
           {"contract_b", std::vector<int64_t>{0}}});
  checkOp("dot_general", {f32({6, 4}), f32({4, 6})}, f32({}),
          {{"batch_a", std::vector<int64_t>{}},
           {"batch_b", std::vector<int64_t>{}},
           {"contract_a", std::vector<int64_t>{0, 1}},
           {"contract_b", std::vector<int64_t>{1, 0}}});
}

TEST(Op, ReductionsAndNorms) {
  for (const char *op : {"sum", "max", "min", "mean"}) {
    checkOp(op, {f32({3, 4, 5, 6})}, f32({3, 1, 5, 1}),
            {{"dims", std::vector<int64_t>{1, -1}}, {"keep_dim", int64_t(1)}});
    checkOp(op, {f32({3, 4, 50})}, f32({4}),
            {{"dims", std::vector<int64_t>{0, 2}}});
    checkOp(op, {f32({3, 4})}, f32({}));
  }
  checkOp("softmax", {f32({3, 40, 5})}, f32({3, 40, 5}), {{"dim", int64_t(1)}});
  checkOp("softmax", {f32({3, 40})}, f32({3, 40}), {{"dim", int64_t(-1)}});
  checkOp("cumsum", {f32({3, 40, 5})}, f32({3, 40, 5}), {{"dim", int64_t(1)}});
  checkOp("cumsum", {f32({3, 40})}, f32({3, 40}), {{"dim", int64_t(-1)}});
  for (const char *op : {"rms_norm", "layer_norm"}) {
    checkOp(op, {f32({3, 40}), f32({40}), f32({40})}, f32({3, 40}));
    checkOp(op, {f32({3, 4, 10})}, f32({3, 4, 10}),
            {{"normalized_rank", int64_t(2)}, {"epsilon", 1e-3}});
  }
  checkOp("rotary_embedding",
          {f32({2, 3, 5, 8}), f32({1, 1, 9, 8}), f32({1, 1, 9, 8})},
          f32({2, 3, 5, 8}));
  checkOp("rotary_embedding",
          {f32({1, 3, 5, 8}), f32({1, 1, 9, 8}), f32({1, 1, 9, 8})},
          f32({1, 3, 5, 8}), {{"token_index", int64_t(4)}});
}

} // namespace
