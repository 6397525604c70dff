// SPDX-License-Identifier: Apache-2.0
//
// How a row of forward attention ends: normalised, with its lse.

#if defined(RING_RUNTIME_KERNELS_FINISHEDROW_INL_H) ==                         \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_FINISHEDROW_INL_H
#undef RING_RUNTIME_KERNELS_FINISHEDROW_INL_H
#else
#define RING_RUNTIME_KERNELS_FINISHEDROW_INL_H
#endif

#include "Kernels/ForwardCall.h"
#include "Kernels/Simd-inl.h"

#include "hwy/contrib/math/math-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// to = factor * from; both may be the same memory.
HWY_INLINE void scaleInto(const float *from, float factor, int64_t count,
                          float *to) {
  const FloatTag d;
  const FloatVec factors = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(hn::Mul(factors, hn::LoadU(d, from + i)), d, to + i);
  for (; i < count; ++i)
    to[i] = factor * from[i];
}

HWY_INLINE void scaleInto(const float *HWY_RESTRICT from, float factor,
                          int64_t count, uint16_t *HWY_RESTRICT to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = floatToBf16(factor * from[i]);
}

/// What normalises the rows of a group: 1 / sum, 0 for a row that saw no key.
struct InverseSums {
  alignas(kBufferAlignment) float rows[kMostLanes];
};

inline void invertSums(const float *sums, InverseSums &inverse) {
  const FloatTag d;
  for (int64_t row = 0; row < kMostLanes; row += kLanes) {
    const FloatVec sum = hn::LoadU(d, sums + row);
    hn::Store(hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(d)),
                                 hn::Div(hn::Set(d, 1.0f), sum)),
              d, inverse.rows + row);
  }
}

/// lse = ln(2^-origin * sum), for kMostLanes rows; -inf for a row that saw no
/// key, which has the sum 0.
inline void lseOfRows(const float *origins, const float *sums, float *lse) {
  const FloatTag d;
  // ln 2 in two parts, of which the first has few bits: a large reference keeps
  // the digits after the point.
  const auto ln2High = hn::Set(d, 0.693115234375f);
  const auto ln2Low = hn::Set(d, static_cast<float>(kLn2 - 0.693115234375));
  const auto empty = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int64_t row = 0; row < kMostLanes; row += kLanes) {
    const FloatVec sum = hn::Load(d, sums + row);
    const FloatVec origin = hn::Load(d, origins + row);
    // The logarithm of NaN is not defined everywhere; NaN - NaN is.
    const FloatVec one = hn::Set(d, 1.0f);
    const FloatVec number = hn::IfThenElse(hn::IsNaN(sum), one, sum);
    const FloatVec log = hn::Add(hn::Log(d, number), hn::Sub(sum, sum));
    const FloatVec low = hn::NegMulAdd(origin, ln2Low, log);
    hn::Store(hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), empty,
                             hn::NegMulAdd(origin, ln2High, low)),
              d, lse + row);
  }
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_FINISHEDROW_INL_H
