// SPDX-License-Identifier: Apache-2.0
//
// Conversions and softmax against plain double precision formulas, on every
// instruction set of the machine.

#include "KernelTest.h"
#include "Kernels/Convert.h"
#include "Kernels/RowKernels.h"

#include <cstring>
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

INSTANTIATE_TEST_SUITE_P(Targets, ArrayKernels,
                         testing::ValuesIn(targetsOfMachine()), targetOfTest);

} // namespace
} // namespace ring::rt::kernels::test
