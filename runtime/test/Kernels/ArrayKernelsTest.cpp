// SPDX-License-Identifier: Apache-2.0
//
// Conversions, row kernels and elementwise loops against plain double precision
// formulas, on every instruction set of the machine.

#include "KernelTest.h"
#include "Kernels/Convert.h"
#include "Kernels/Elementwise.h"
#include "Kernels/RowKernels.h"

#include <cstring>
#include <numeric>
#include <random>

namespace ring::rt::kernels::test {
namespace {

class ArrayKernels : public testing::TestWithParam<int64_t> {
protected:
  ScopedTarget target{GetParam()};
  std::mt19937 engine{11};

  std::vector<float> random(int64_t count, float spread = 1.0f) {
    std::normal_distribution<float> normal(0.0f, spread);
    std::vector<float> values(count);
    for (float &value : values)
      value = normal(engine);
    return values;
  }
};

TEST_P(ArrayKernels, Bf16BothWays) {
  // Random bits: every exponent, denormals, infinities and NaN among them.
  for (int64_t count : {0, 1, 7, 16, 1000}) {
    std::vector<float> values(count);
    for (float &value : values) {
      const auto bits = static_cast<uint32_t>(engine());
      std::memcpy(&value, &bits, sizeof(value));
    }
    std::vector<uint16_t> narrow(count);
    roundToBf16(values.data(), count, narrow.data());
    std::vector<float> wide(count);
    widenBf16(narrow.data(), count, wide.data());
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(narrow[i], floatToBf16(values[i]));
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(wide[i]));
        continue;
      }
      // No bf16 is nearer.
      const double error = std::fabs(double(values[i]) - wide[i]);
      for (int step : {-1, 1}) {
        const double other =
            bf16ToFloat(static_cast<uint16_t>(narrow[i] + step));
        if (std::isfinite(other) && std::isfinite(wide[i])) {
          EXPECT_LE(error, std::fabs(double(values[i]) - other));
        }
      }
    }
  }
}

TEST_P(ArrayKernels, TiesGoToEven) {
  const float ties[] = {1.00390625f, 1.01171875f, -1.00390625f, 3.3895314e38f};
  uint16_t narrow[4];
  roundToBf16(ties, 4, narrow);
  EXPECT_EQ(bf16ToFloat(narrow[0]), 1.0f);
  EXPECT_EQ(bf16ToFloat(narrow[1]), 1.015625f);
  EXPECT_EQ(bf16ToFloat(narrow[2]), -1.0f);
  EXPECT_TRUE(std::isfinite(bf16ToFloat(narrow[3])));
}

TEST_P(ArrayKernels, Softmax) {
  for (int64_t columns : {1, 5, 16, 33, 500})
    for (float spread : {1.0f, 30.0f, 1e4f}) {
      const int64_t rows = 4;
      std::vector<float> values = random(rows * columns, spread);
      values[0] = -std::numeric_limits<float>::infinity();
      std::fill_n(values.begin() + columns, columns,
                  -std::numeric_limits<float>::infinity());
      std::vector<double> expected(values.size(), 0.0);
      for (int64_t row = 0; row < rows; ++row) {
        double max = -INFINITY, sum = 0;
        for (int64_t i = 0; i < columns; ++i)
          max = std::max(max, double(values[row * columns + i]));
        if (max == -INFINITY)
          continue;
        for (int64_t i = 0; i < columns; ++i)
          sum += std::exp(values[row * columns + i] - max);
        for (int64_t i = 0; i < columns; ++i)
          expected[row * columns + i] =
              std::exp(values[row * columns + i] - max) / sum;
      }
      softmaxRows(values.data(), rows, columns, values.data());
      EXPECT_LE(relativeError(values, expected), 1e-6);
    }
}

TEST_P(ArrayKernels, Reductions) {
  for (int64_t columns : {1, 15, 16, 100}) {
    const std::vector<float> values = random(3 * columns);
    for (int64_t row = 0; row < 3; ++row) {
      const float *at = values.data() + row * columns;
      const double sum = std::accumulate(at, at + columns, 0.0);
      float result = NAN;
      reduceRows(Reduction::Sum, at, 1, columns, &result);
      EXPECT_NEAR(result, sum, 1e-5);
      reduceRows(Reduction::Mean, at, 1, columns, &result);
      EXPECT_NEAR(result, sum / columns, 1e-6);
      reduceRows(Reduction::Max, at, 1, columns, &result);
      EXPECT_EQ(result, *std::max_element(at, at + columns));
    }
  }
  float result = NAN;
  reduceRows(Reduction::Max, nullptr, 1, 0, &result);
  EXPECT_EQ(result, -INFINITY);
}

TEST_P(ArrayKernels, Norms) {
  for (int64_t columns : {1, 19, 64, 300}) {
    const int64_t rows = 3;
    std::vector<float> values = random(rows * columns);
    for (float &value : values)
      value += 5.0f; // a mean that is not 0
    const std::vector<float> weight = random(columns), bias = random(columns);
    const double epsilon = 1e-3;
    std::vector<double> rms(values.size()), layer(values.size());
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0, squares = 0, distances = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const double x = values[row * columns + i];
        sum += x;
        squares += x * x;
      }
      const double mean = sum / columns;
      for (int64_t i = 0; i < columns; ++i)
        distances += std::pow(values[row * columns + i] - mean, 2);
      for (int64_t i = 0; i < columns; ++i) {
        const double x = values[row * columns + i];
        rms[row * columns + i] =
            x / std::sqrt(squares / columns + epsilon) * weight[i];
        layer[row * columns + i] =
            (x - mean) / std::sqrt(distances / columns + epsilon) * weight[i] +
            bias[i];
      }
    }
    std::vector<float> actual(values.size());
    rmsNormRows(values.data(), weight.data(), 1e-3f, rows, columns,
                actual.data());
    EXPECT_LE(relativeError(actual, rms), 1e-6);
    layerNormRows(values.data(), weight.data(), bias.data(), 1e-3f, rows,
                  columns, actual.data());
    EXPECT_LE(relativeError(actual, layer), 5e-6);
  }
}

TEST(Elementwise, LoopsAreTheirDefinitions) {
  std::mt19937 engine(2);
  std::normal_distribution<float> normal;
  std::vector<float> a(37), b(37);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = normal(engine);
    b[i] = i % 5 ? normal(engine) : a[i];
  }
  for (int op = 0; op <= static_cast<int>(UnaryOp::Tanh); ++op) {
    std::vector<float> to(a.size());
    unaryLoop(static_cast<UnaryOp>(op), a.data(), 37, to.data());
    for (size_t i = 0; i < a.size(); ++i) {
      const float expected = applyUnary(static_cast<UnaryOp>(op), a[i]);
      EXPECT_TRUE(to[i] == expected ||
                  (std::isnan(to[i]) && std::isnan(expected)));
    }
  }
  for (int op = 0; op <= static_cast<int>(BinaryOp::GreaterEqual); ++op)
    for (int steps = 0; steps < 4; ++steps) {
      std::vector<float> to = a;
      binaryLoop(static_cast<BinaryOp>(op), {to.data(), steps & 1},
                 {b.data(), steps >> 1}, 37, to.data());
      for (size_t i = 0; i < a.size(); ++i) {
        const float expected =
            applyBinary(static_cast<BinaryOp>(op), a[steps & 1 ? i : 0],
                        b[steps >> 1 ? i : 0]);
        EXPECT_TRUE(to[i] == expected ||
                    (std::isnan(to[i]) && std::isnan(expected)));
      }
    }
}

TEST(Elementwise, Values) {
  EXPECT_FLOAT_EQ(applyUnary(UnaryOp::Gelu, 1.0f), 0.84134475f);
  EXPECT_FLOAT_EQ(applyUnary(UnaryOp::Silu, 2.0f), 1.7615942f);
  EXPECT_FLOAT_EQ(applyUnary(UnaryOp::Sigmoid, -100.0f), 3.7835e-44f);
  EXPECT_EQ(applyUnary(UnaryOp::Relu, -3.0f), 0.0f);
  EXPECT_TRUE(std::isnan(applyUnary(UnaryOp::Relu, NAN)));
  EXPECT_FLOAT_EQ(applyUnary(UnaryOp::Rsqrt, 4.0f), 0.5f);
  EXPECT_TRUE(std::isnan(applyBinary(BinaryOp::Maximum, NAN, 1.0f)));
  EXPECT_TRUE(std::isnan(applyBinary(BinaryOp::Minimum, 1.0f, NAN)));
  EXPECT_EQ(applyBinary(BinaryOp::LessEqual, 1.0f, 1.0f), 1.0f);
  EXPECT_EQ(applyBinary(BinaryOp::Subtract, 1.0f, 3.0f), -2.0f);
  EXPECT_EQ(applyBinary(BinaryOp::Pow, 2.0f, 3.0f), 8.0f);
  const float condition[] = {1.0f, 0.0f}, one = 1.0f;
  const float other[] = {5.0f, 6.0f};
  float to[2];
  selectLoop({condition}, {&one, 0}, {other}, 2, to);
  EXPECT_EQ(to[0], 1.0f);
  EXPECT_EQ(to[1], 6.0f);
}

INSTANTIATE_TEST_SUITE_P(Targets, ArrayKernels,
                         testing::ValuesIn(targetsOfMachine()), targetOfTest);

} // namespace
} // namespace ring::rt::kernels::test
