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

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(softmaxLoop);

void softmaxRows(const float *from, int64_t rows, int64_t columns, float *to) {
  HWY_DYNAMIC_DISPATCH(softmaxLoop)(from, rows, columns, to);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
