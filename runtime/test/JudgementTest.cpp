// SPDX-License-Identifier: Apache-2.0
//
// The judgement: its bounds hold for what is right in every type, and break for
// what is wrong by little more.

#include "ProgramCheck.h"

#include "Data/Unit.h"

#include <algorithm>
#include <cmath>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

constexpr double kInfinity = INFINITY;

std::vector<double> normalNumbers(int64_t count, uint64_t stream = 0) {
  return generate(ElementType::F32, {count}, 1, stream, Distribution::Normal, 0)
      ->numbers();
}

/// Numbers that no type holds.
std::vector<double> thirds(std::vector<double> numbers) {
  for (double &number : numbers)
    number /= 3;
  return numbers;
}

/// Numbers as a type holds them, in rows of 40.
std::vector<double> stored(ElementType element,
                           const std::vector<double> &numbers) {
  Shape shape = {static_cast<int64_t>(numbers.size()) / 40, 40};
  return Tensor::fromNumbers(element, shape, numbers)->numbers();
}

TEST(Judgement, Metrics) {
  Comparison same = compare({1, 2, 3}, {1, 2, 3});
  EXPECT_DOUBLE_EQ(same.pcc, 1);
  EXPECT_EQ(same.maxError, 0);
  Comparison off = compare({1, 2, 4}, {1, 2, 3});
  EXPECT_EQ(off.maxError, 1);
  EXPECT_DOUBLE_EQ(off.relativeError, 1.0 / 3);
  EXPECT_DOUBLE_EQ(off.rmse, std::sqrt(1.0 / 3));
  EXPECT_LT(compare({3, 2, 1}, {1, 2, 3}).pcc, -0.99);
  EXPECT_EQ(compare({2, 2, 2}, {2, 2, 2}).pcc, 0) << "constants correlate not";
  EXPECT_FALSE(compare({NAN, 1}, {0, 1}).finite);
  EXPECT_FALSE(compare({INFINITY, 1}, {-INFINITY, 1}).finite);
  EXPECT_TRUE(compare({-INFINITY, 1}, {-INFINITY, 1}).finite);
  EXPECT_EQ(compare({NAN, 1, NAN, -INFINITY}, {NAN, 1, 2, -INFINITY}).nan, 1);
}

class JudgementOf : public testing::TestWithParam<ElementType> {
protected:
  Precision precision{GetParam(), 40, true, 0};
  std::vector<double> reference = thirds(normalNumbers(40000));
  std::vector<double> found = stored(GetParam(), reference);
};

TEST_P(JudgementOf, StoringIsRight) {
  Judgement judged = judge(found, reference, precision);
  EXPECT_EQ(judged.fault, "");
  // The bound is no wider than what storing does.
  EXPECT_GT(judged.worst, GetParam() == ElementType::F32 ? 0 : 0.9);
}

TEST_P(JudgementOf, AStageIsRight) {
  // Two sums of numbers that were stored before, and stored again.
  std::vector<double> other = normalNumbers(40000, 1);
  std::vector<double> storedOther = stored(GetParam(), other);
  for (size_t i = 0; i < reference.size(); ++i) {
    reference[i] += other[i];
    found[i] += storedOther[i];
  }
  precision.noise = rootMeanSquareUnit(GetParam());
  EXPECT_EQ(judge(stored(GetParam(), found), reference, precision).fault, "");
}

TEST_P(JudgementOf, OneNumberIsWrong) {
  found[777] += GetParam() == ElementType::BFP4B ? 1 : 0.1;
  std::string fault = judge(found, reference, precision).fault;
  EXPECT_NE(fault.find("1 of 40000 numbers are beyond their bound, the first "
                       "is number 777: expects "),
            std::string::npos)
      << fault;
}

TEST_P(JudgementOf, ALittleEverywhereIsWrong) {
  // Any one number may be so far off after a stage, but not all of them.
  precision.noise = rootMeanSquareUnit(GetParam());
  bool wide = GetParam() == ElementType::F32;
  double off = wide ? 1.05e-5 / 3 : 5 * precision.noise / 3;
  for (size_t i = 0; i < found.size(); ++i)
    found[i] = reference[i] + (i % 2 ? off : -off);
  std::string fault = judge(found, reference, precision).fault;
  EXPECT_EQ(fault.rfind("expects a root mean square error of at most ", 0), 0u)
      << fault;
}

TEST_P(JudgementOf, ConstantsAndNanAreWrong) {
  std::vector<double> zeros(reference.size(), 0);
  EXPECT_NE(judge(zeros, reference, precision).fault, "");
  EXPECT_EQ(judge(zeros, zeros, precision).fault, "");
  std::vector<double> nothing(reference.size(), NAN);
  EXPECT_EQ(judge(nothing, nothing, precision).fault, "nothing but NaN");
  EXPECT_NE(judge(nothing, reference, precision).fault, "");
  found[3] = kInfinity;
  EXPECT_NE(judge(found, reference, precision).fault, "");
  reference[3] = -kInfinity;
  EXPECT_NE(judge(found, reference, precision).fault, "");
  found[3] = -kInfinity;
  EXPECT_EQ(judge(found, reference, precision).fault, "");
  found.pop_back();
  EXPECT_EQ(judge(found, reference, precision).fault,
            "expects 40000 numbers, but got 39999");
}

TEST_P(JudgementOf, WhatWasMovedIsEqual) {
  precision.computed = false;
  EXPECT_EQ(judge(found, found, precision).fault, "");
  std::vector<double> swapped = found;
  swapped[5] = std::nextafter(swapped[5], kInfinity);
  EXPECT_NE(judge(swapped, found, precision).fault, "");
}

INSTANTIATE_TEST_SUITE_P(Types, JudgementOf,
                         testing::Values(ElementType::F32, ElementType::BF16,
                                         ElementType::BFP8B,
                                         ElementType::BFP4B),
                         [](const auto &info) { return nameOf(info.param); });

/// x + x, with the sum stored in `between`, and moved about before it goes out.
Program twoSums(ElementType outside, ElementType between) {
  ProgramBuilder builder("sums", {2});
  Shape shape = {4, 32};
  int32_t x = builder.addInput("x", localTensor(outside, shape));
  int32_t sum = builder.addOne("add", {x, x}, localTensor(between, shape));
  int32_t moved = builder.addOne("permute", {x}, localTensor(outside, {32, 4}),
                                 {{"permutation", std::vector<int64_t>{1, 0}}});
  builder.addOutput(
      "sum", builder.addOne("add", {sum, x}, localTensor(outside, shape)));
  builder.addOutput("moved", moved);
  Result<Program> program = builder.build();
  EXPECT_TRUE(program) << program.message();
  return *program;
}

TEST(Judgement, RoundingsCountByWhatTheProgramMeans) {
  Program narrow = twoSums(ElementType::BF16, ElementType::BF16);
  std::vector<Precision> precisions = precisionOf(narrow, narrow);
  EXPECT_DOUBLE_EQ(precisions[0].noise, rootMeanSquareUnit(ElementType::BF16))
      << "the last rounding is the result's own";
  EXPECT_TRUE(precisions[0].computed);
  EXPECT_FALSE(precisions[1].computed);
  EXPECT_EQ(precisions[1].noise, 0);
  EXPECT_EQ(precisions[1].rowLength, 4);

  // Whoever meant f32 gets f32, and a compiler that stores bf16 is wrong.
  Program wide = twoSums(ElementType::F32, ElementType::F32);
  Program narrowed = twoSums(ElementType::F32, ElementType::BF16);
  EXPECT_LT(precisionOf(narrowed, wide)[0].noise, 1e-7);
  Result<std::vector<PortTensors>> inputs = generateInputs(wide, 3);
  Result<PortNumbers> reference = runReference(wide, *inputs);
  Result<RunResult> right = run(wide, *inputs), wrong = run(narrowed, *inputs);
  ASSERT_TRUE(reference && right && wrong);
  EXPECT_TRUE(judge(wide, *right, wide, *reference).passed);
  OutputJudgements judged = judge(narrowed, *wrong, wide, *reference);
  EXPECT_FALSE(judged.passed) << judged.text;
  EXPECT_NE(judged.text.find("WRONG, "), std::string::npos) << judged.text;
  EXPECT_TRUE(judge(narrowed, *wrong, wide, *reference, 0.01).passed);
}

TEST(Judgement, SaysWhereNanIsRight) {
  Program program = twoSums(ElementType::F32, ElementType::F32);
  Result<std::vector<PortTensors>> inputs = generateInputs(program, 3);
  ASSERT_TRUE(inputs);
  Tensor &input = (*inputs)[0][0];
  std::vector<double> numbers = input.numbers();
  numbers[1] = NAN;
  input = *Tensor::fromNumbers(ElementType::F32, input.shape(), numbers);
  Result<PortNumbers> reference = runReference(program, *inputs);
  Result<RunResult> result = run(program, *inputs);
  ASSERT_TRUE(reference && result);
  OutputJudgements judged = judge(program, *result, program, *reference);
  EXPECT_TRUE(judged.passed);
  EXPECT_NE(judged.text.find("ok; 1 of 256 numbers are NaN, as they are in the "
                             "reference\n"),
            std::string::npos)
      << judged.text;
}

TEST(RowSample, IsTheSameEveryTime) {
  EXPECT_TRUE(RowSample().isAll());
  RowSample sample(64);
  std::vector<int64_t> rows = sample.rowsOf({1, 4, 1024, 32});
  ASSERT_EQ(rows.size(), 64u);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 4095);
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_LT(rows[i - 1], rows[i]);
  EXPECT_EQ(rows, RowSample(64).rowsOf({4096, 7}));
  // Spread over all: none of 16 parts is left out.
  for (size_t part = 0; part < 16; ++part)
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](int64_t row) {
      return row / 256 == static_cast<int64_t>(part);
    })) << part;
  EXPECT_EQ(RowSample(3).rowsOf({2, 5}), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(RowSample(1).rowsOf({9, 5}), (std::vector<int64_t>{0}));
  EXPECT_EQ(RowSample(8).rowsOf({9, 5}).size(), 8u);
  EXPECT_EQ(RowSample(8).rowsOf({}), (std::vector<int64_t>{0}));
}

/// What the reference says of a sample are the rows that it says of all,
/// whether it computes them alone or not.
void expectSampled(const ProgramBuilder &builder, double share) {
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 2);
  Result<PortNumbers> all = runReference(*program, *inputs);
  RowSample sample(5);
  Result<PortNumbers> some = runReference(*program, *inputs, {}, sample);
  ASSERT_TRUE(all && some) << all.message() << some.message();
  for (size_t i = 0; i < all->size(); ++i) {
    const Shape &shape = program->values()[program->outputs()[i].value].shape;
    for (size_t shard = 0; shard < (*all)[i].size(); ++shard)
      EXPECT_EQ((*some)[i][shard], sample.numbersOf((*all)[i][shard], shape));
  }
  EXPECT_NEAR(sampledShare(*program, sample), share, 1e-9);
  Result<RunResult> result = run(*program, *inputs);
  ASSERT_TRUE(result) << result.message();
  OutputJudgements judged =
      judge(*program, *result, *program, *some, 0, sample);
  EXPECT_TRUE(judged.passed) << judged.text;
  EXPECT_NE(judged.text.find(", 5 of 48 rows: "), std::string::npos)
      << judged.text;
}

TEST(RowSample, SparesTheReferenceRows) {
  ValueType query = wholeTensor(ElementType::F32, {2, 2, 12, 8});
  ValueType key = wholeTensor(ElementType::F32, {2, 1, 20, 8});
  for (bool negated : {false, true}) {
    ProgramBuilder builder("rows", {1});
    int32_t q = builder.addInput("q", query), k = builder.addInput("k", key);
    int32_t v = builder.addInput("v", key);
    int32_t out = builder.addOne("sdpa", {q, k, v}, query);
    // Somebody else reads it, so that all of it is needed.
    if (negated)
      out = builder.addOne("neg", {out}, query);
    builder.addOutput("out", out);
    expectSampled(builder, negated ? 1 : 5.0 / 48);
  }
}

} // namespace
