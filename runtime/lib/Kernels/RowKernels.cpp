// SPDX-License-Identifier: Apache-2.0
//
// Kernels over the last dimension; see RowKernels.h.

#include "Kernels/RowKernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/RowKernels.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Calls function(vector, index) for the whole vectors of a row and returns
/// where the rest begins.
template <typename Function>
HWY_INLINE int64_t forEachVector(const float *row, int64_t columns,
                                 const Function &function) {
  const FloatTag d;
  int64_t i = 0;
  for (; i + kLanes <= columns; i += kLanes)
    function(hn::LoadU(d, row + i), i);
  return i;
}

/// Starts from -inf; the portable target's own reduction starts from the lowest
/// finite number.
float maxOfRow(const float *row, int64_t columns) {
  const FloatTag d;
  float result = -std::numeric_limits<float>::infinity();
  HWY_ALIGN float lanes[kLanes];
  FloatVec largest = hn::Set(d, result);
  int64_t i =
      forEachVector(row, columns, [&](FloatVec value, int64_t) HWY_ATTR {
        largest = hn::Max(largest, value);
      });
  for (; i < columns; ++i)
    result = std::max(result, row[i]);
  hn::Store(largest, d, lanes);
  for (float lane : lanes)
    result = std::max(result, lane);
  return result;
}

float sumOfRow(const float *row, int64_t columns) {
  const FloatTag d;
  FloatVec sums = hn::Zero(d);
  float rest = 0.0f;
  int64_t i = forEachVector(row, columns,
                            [&](FloatVec value, int64_t)
                                HWY_ATTR { sums = hn::Add(sums, value); });
  for (; i < columns; ++i)
    rest += row[i];
  return rest + hn::GetLane(hn::SumOfLanes(d, sums));
}

/// The sum of (value - center)^2.
float squaresOfRow(const float *row, int64_t columns, float center) {
  const FloatTag d;
  const FloatVec origin = hn::Set(d, center);
  FloatVec sums = hn::Zero(d);
  float rest = 0.0f;
  int64_t i =
      forEachVector(row, columns, [&](FloatVec value, int64_t) HWY_ATTR {
        const FloatVec distance = hn::Sub(value, origin);
        sums = hn::MulAdd(distance, distance, sums);
      });
  for (; i < columns; ++i)
    rest += (row[i] - center) * (row[i] - center);
  return rest + hn::GetLane(hn::SumOfLanes(d, sums));
}

/// to = (from - center) * factor * weight + bias.
void affineRow(const float *from, int64_t columns, float center, float factor,
               const float *weight, const float *bias, float *to) {
  for (int64_t i = 0; i < columns; ++i) {
    float value = (from[i] - center) * factor;
    value = weight ? value * weight[i] : value;
    to[i] = bias ? value + bias[i] : value;
  }
}

void softmaxRow(const float *from, int64_t columns, float *to) {
  const FloatTag d;
  constexpr float kLog2E = 1.44269504f;
  const float max = maxOfRow(from, columns);
  if (max == -std::numeric_limits<float>::infinity()) {
    std::fill_n(to, columns, 0.0f);
    return;
  }
  // The difference first, then the factor: it keeps the largest at exactly 1.
  const FloatVec reference = hn::Set(d, max);
  const FloatVec log2E = hn::Set(d, kLog2E);
  FloatVec sums = hn::Zero(d);
  float rest = 0.0f;
  int64_t i =
      forEachVector(from, columns, [&](FloatVec value, int64_t at) HWY_ATTR {
        const FloatVec weight =
            exp2(d, hn::Mul(hn::Sub(value, reference), log2E));
        hn::StoreU(weight, d, to + at);
        sums = hn::Add(sums, weight);
      });
  for (; i < columns; ++i) {
    to[i] = std::exp(from[i] - max);
    rest += to[i];
  }
  const float factor = 1.0f / (rest + hn::GetLane(hn::SumOfLanes(d, sums)));
  for (i = 0; i < columns; ++i)
    to[i] *= factor;
}

void softmaxLoop(const float *from, int64_t rows, int64_t columns, float *to) {
  for (int64_t row = 0; row < rows; ++row)
    softmaxRow(from + row * columns, columns, to + row * columns);
}

void reduceLoop(Reduction reduction, const float *from, int64_t rows,
                int64_t columns, float *to) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *values = from + row * columns;
    if (reduction == Reduction::Max)
      to[row] = maxOfRow(values, columns);
    else
      to[row] = sumOfRow(values, columns);
    if (reduction == Reduction::Mean)
      to[row] /= static_cast<float>(columns);
  }
}

void rmsNormLoop(const float *from, const float *weight, float epsilon,
                 int64_t rows, int64_t columns, float *to) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *values = from + row * columns;
    const float mean =
        squaresOfRow(values, columns, 0.0f) / static_cast<float>(columns);
    affineRow(values, columns, 0.0f, 1.0f / std::sqrt(mean + epsilon), weight,
              nullptr, to + row * columns);
  }
}

void layerNormLoop(const float *from, const float *weight, const float *bias,
                   float epsilon, int64_t rows, int64_t columns, float *to) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *values = from + row * columns;
    const auto count = static_cast<float>(columns);
    const float mean = sumOfRow(values, columns) / count;
    const float variance = squaresOfRow(values, columns, mean) / count;
    affineRow(values, columns, mean, 1.0f / std::sqrt(variance + epsilon),
              weight, bias, to + row * columns);
  }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(softmaxLoop);
HWY_EXPORT(reduceLoop);
HWY_EXPORT(rmsNormLoop);
HWY_EXPORT(layerNormLoop);

void softmaxRows(const float *from, int64_t rows, int64_t columns, float *to) {
  HWY_DYNAMIC_DISPATCH(softmaxLoop)(from, rows, columns, to);
}

void reduceRows(Reduction reduction, const float *from, int64_t rows,
                int64_t columns, float *to) {
  HWY_DYNAMIC_DISPATCH(reduceLoop)(reduction, from, rows, columns, to);
}

void rmsNormRows(const float *from, const float *weight, float epsilon,
                 int64_t rows, int64_t columns, float *to) {
  HWY_DYNAMIC_DISPATCH(rmsNormLoop)(from, weight, epsilon, rows, columns, to);
}

void layerNormRows(const float *from, const float *weight, const float *bias,
                   float epsilon, int64_t rows, int64_t columns, float *to) {
  HWY_DYNAMIC_DISPATCH(layerNormLoop)
  (from, weight, bias, epsilon, rows, columns, to);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
