// SPDX-License-Identifier: Apache-2.0
//
// Gradients of attention against the double precision oracle, and the oracle's
// own gradients against finite differences of its forward pass.

#include "AttentionOracle.h"
#include "KernelTest.h"
#include "Kernels/AttentionReference.h"

namespace ring::rt::kernels::test {
namespace {

/// The kernel's gradients, the keys taken in blocks of `keyBlock`.
struct Gradients {
  std::vector<float> q, k, v;
};

std::vector<float> narrowed(const std::vector<double> &values) {
  return std::vector<float>(values.begin(), values.end());
}

Gradients run(const AttentionCase &test, const std::vector<double> &outGrad,
              bool reference) {
  const AttentionShape &shape = test.problem.shape;
  const OracleResult forward = oracle(test);
  const std::vector<float> out = narrowed(forward.out);
  const std::vector<float> lse = narrowed(forward.lse);
  const std::vector<float> grad = narrowed(outGrad);
  std::vector<float> delta(lse.size(), NAN);
  const auto dense = [&](const std::vector<float> &values) {
    return denseView(static_cast<const void *>(values.data()), ElementType::F32,
                     shape.queryHeads, shape.queries, shape.valueDim);
  };
  backwardDelta(shape, dense(out), dense(grad), delta.data());
  Gradients result{std::vector<float>(test.q.exact.size()),
                   std::vector<float>(test.k.exact.size()),
                   std::vector<float>(test.v.exact.size())};
  AttentionGradients operands;
  operands.query = test.q.view;
  operands.key = test.k.view;
  operands.value = test.v.view;
  operands.outGrad = dense(grad);
  operands.lse = lse.data();
  operands.delta = delta.data();
  operands.queryGrad = result.q.data();
  operands.keyGrad = result.k.data();
  operands.valueGrad = result.v.data();
  if (reference) {
    accumulateBackwardReference(test.problem, operands);
    return result;
  }
  for (int64_t item = 0; item < backwardWorkItems(shape); ++item) {
    auto scratch = allocateNaN(backwardScratchBytes(shape));
    accumulateBackward(test.problem, operands, {item, item + 1}, scratch.get());
  }
  return result;
}

std::vector<double> randomGrad(std::mt19937 &engine,
                               const AttentionShape &shape) {
  return TestTensor::random(engine, shape.batch, shape.queryHeads,
                            shape.queries, shape.valueDim, ElementType::F32)
      .exact;
}

void expectMatchesOracle(const AttentionCase &test,
                         const std::vector<double> &outGrad) {
  const OracleGradients expected = oracleBackward(test, outGrad);
  for (bool reference : {false, true}) {
    const Gradients actual = run(test, outGrad, reference);
    EXPECT_LE(relativeError(actual.q, expected.q), 1e-5) << reference;
    EXPECT_LE(relativeError(actual.k, expected.k), 1e-5) << reference;
    EXPECT_LE(relativeError(actual.v, expected.v), 1e-5) << reference;
  }
}

void expectMatchesOracle(std::mt19937 &engine, const AttentionCase &test) {
  expectMatchesOracle(test, randomGrad(engine, test.problem.shape));
}

class AttentionBackward : public testing::TestWithParam<int64_t> {
protected:
  ScopedTarget target{GetParam()};
  std::mt19937 engine{99};
};

TEST_P(AttentionBackward, Shapes) {
  const AttentionShape shapes[] = {
      {1, 1, 1, 1, 1, 1, 1},       {1, 2, 2, 33, 65, 16, 24},
      {2, 4, 2, 100, 300, 64, 64}, {1, 3, 1, 13, 19, 7, 5},
      {1, 1, 1, 97, 257, 40, 128},
  };
  for (const AttentionShape &shape : shapes)
    expectMatchesOracle(engine, makeCase(engine, shape));
}

TEST_P(AttentionBackward, MasksAndPositions) {
  for (int round = 0; round < 8; ++round) {
    AttentionCase test =
        makeCase(engine, {2, 4, 2, 70, 90, 16, 16},
                 round & 4 ? ElementType::BF16 : ElementType::F32, round & 2);
    test.problem.masking.causal = round & 1;
    test.problem.masking.windowLeft = round & 2 ? 25 : -1;
    test.problem.masking.keyLimit = 150;
    test.usePositions({{0, 35, 1}, {120, 35, 1}}, {{2, 90, 2}});
    if (round & 4)
      test.useMask(engine, true, false, true, ElementType::F32);
    expectMatchesOracle(engine, test);
  }
}

TEST_P(AttentionBackward, Sinks) {
  AttentionCase test = makeCase(engine, {1, 2, 1, 20, 30, 16, 16});
  test.sinks = {1.0f, -2.0f};
  expectMatchesOracle(engine, test);
}

TEST_P(AttentionBackward, HiddenBlockAddsNothing) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 20, 30, 16, 16});
  test.problem.masking.keyLimit = 0;
  const Gradients actual =
      run(test, randomGrad(engine, test.problem.shape), false);
  for (const auto *grads : {&actual.q, &actual.k, &actual.v})
    for (float value : *grads)
      EXPECT_EQ(value, 0.0f);
}

TEST_P(AttentionBackward, RowsHiddenByFiniteMasks) {
  // Padding that a mask hides by large numbers and a loss does not look at: it
  // has no part in any gradient.
  constexpr int64_t kHidden = 3, kKeys = 50, kDim = 16;
  for (float number :
       {-1e9f, -1e10f, -1e20f, -1e30f, std::numeric_limits<float>::lowest()}) {
    SCOPED_TRACE(number);
    AttentionCase test = makeCase(engine, {1, 1, 1, 20, kKeys, kDim, kDim});
    test.useMask(engine, false, false, true, ElementType::F32);
    std::fill_n(test.maskWide.begin() + kHidden * kKeys, kKeys, number);
    std::vector<double> outGrad = randomGrad(engine, test.problem.shape);
    std::fill_n(outGrad.begin() + kHidden * kDim, kDim, 0.0);
    expectMatchesOracle(test, outGrad);
  }
}

TEST(AttentionOracle, GradientsAreThoseOfFiniteDifferences) {
  std::mt19937 engine(5);
  AttentionCase test = makeCase(engine, {1, 2, 1, 4, 6, 3, 2});
  test.problem.masking.causal = true;
  test.usePositions({{2, 4, 1}}, {{0, 6, 1}});
  const std::vector<double> outGrad = randomGrad(engine, test.problem.shape);
  const OracleGradients grads = oracleBackward(test, outGrad);
  const auto loss = [&] {
    const OracleResult result = oracle(test);
    double sum = 0;
    for (size_t i = 0; i < outGrad.size(); ++i)
      sum += outGrad[i] * result.out[i];
    return sum;
  };
  const auto check = [&](std::vector<double> &values,
                         const std::vector<double> &grad) {
    constexpr double kStep = 1e-5;
    for (size_t i = 0; i < values.size(); ++i) {
      const double value = values[i];
      values[i] = value + kStep;
      const double above = loss();
      values[i] = value - kStep;
      const double below = loss();
      values[i] = value;
      EXPECT_NEAR(grad[i], (above - below) / (2 * kStep), 1e-8);
    }
  };
  check(test.q.exact, grads.q);
  check(test.k.exact, grads.k);
  check(test.v.exact, grads.v);
}

INSTANTIATE_TEST_SUITE_P(Targets, AttentionBackward,
                         testing::ValuesIn(targetsOfMachine()), targetOfTest);

} // namespace
} // namespace ring::rt::kernels::test
