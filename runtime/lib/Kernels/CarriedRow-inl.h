// SPDX-License-Identifier: Apache-2.0
//
// The two ends of a row of forward attention: what it starts with and where it
// goes. In between its reference is in the log2 domain and rounded to f32; the
// part that the rounding loses is multiplied onto the sums, so that a carried
// maximum of 10^4 costs no precision.

#if defined(RING_RUNTIME_KERNELS_CARRIEDROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_CARRIEDROW_INL_H
#undef RING_RUNTIME_KERNELS_CARRIEDROW_INL_H
#else
#define RING_RUNTIME_KERNELS_CARRIEDROW_INL_H
#endif

#include "Kernels/ForwardCall.h"
#include "Kernels/Simd-inl.h"

#include "hwy/contrib/math/math-inl.h"

#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// A row before its first key of this call.
struct CarriedRow {
  bool seen = false; ///< whether it has a reference
  float max2 = 0.0f; ///< the reference, log2 domain
  float sum = 0.0f;
  float correction = 1.0f;    ///< owed to `out`
  const float *out = nullptr; ///< nullptr: zeros
};

/// 2^x for what rounding a reference loses: three terms of the series are
/// enough for f32 below 2^-7, which is half an f32's step at 2^17.
inline float exp2OfRounding(double x) {
  constexpr double kSmall = 1.0 / 128;
  const double t = x * kLn2;
  return static_cast<float>(std::fabs(x) < kSmall
                                ? 1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6)))
                                : std::exp2(x));
}

/// What row `row` of an item starts with: its carried state, or its sink.
inline CarriedRow carriedRow(const ForwardCall &call, const ItemRows &rows,
                             int64_t row) {
  const AttentionShape &shape = call.problem.shape;
  float max = -std::numeric_limits<float>::infinity(), sum = 1.0f;
  const float *out = nullptr;
  if (call.state) {
    const int64_t source = stateRow(shape, *call.state, rows, row);
    max = call.state->max[source];
    sum = call.state->sum[source];
    out = call.state->out + source * shape.valueDim;
  } else if (call.sinks) {
    max = call.sinks[headRow(shape, rows, row).head];
  }
  CarriedRow carried;
  if (max == -std::numeric_limits<float>::infinity())
    return carried;
  carried.seen = true;
  const double exact = double(max) * kLog2E;
  carried.max2 = static_cast<float>(exact);
  carried.correction = exp2OfRounding(exact - double(carried.max2));
  carried.sum = carried.correction * sum;
  carried.out = out;
  return carried;
}

HWY_INLINE void scaleInto(const float *HWY_RESTRICT from, float factor,
                          int64_t count, float *HWY_RESTRICT to) {
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

/// Puts a row that has seen a key back into the carried state.
inline void storeState(const ForwardCall &call, const ItemRows &rows,
                       int64_t row, float max2, float sum, const float *out) {
  const AttentionShape &shape = call.problem.shape;
  const int64_t target = stateRow(shape, *call.state, rows, row);
  const auto max = static_cast<float>(double(max2) * kLn2);
  const float correction = exp2OfRounding(double(max2) - double(max) * kLog2E);
  call.state->max[target] = max;
  call.state->sum[target] = correction * sum;
  scaleInto(out, correction, shape.valueDim,
            call.state->out + target * shape.valueDim);
}

/// What normalises the rows of a group, and their lse.
struct FinishedRows {
  alignas(kBufferAlignment) float inverse[kMostLanes];
  alignas(kBufferAlignment) float lse[kMostLanes];
};

/// inverse = 1 / sum and lse = ln(2^max2 * sum), for kMostLanes rows. A row
/// that saw no key has sum 0: it gives 0 and -inf.
inline void finishRows(const float *max2, const float *sum,
                       FinishedRows &finished) {
  const FloatTag d;
  // ln 2 in two parts, of which the first has few bits: a large max2 keeps the
  // digits after the point.
  const auto ln2High = hn::Set(d, 0.693115234375f);
  const auto ln2Low = hn::Set(d, static_cast<float>(kLn2 - 0.693115234375));
  const auto empty = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int64_t row = 0; row < kMostLanes; row += kLanes) {
    const auto total = hn::Load(d, sum + row);
    const auto reference = hn::Load(d, max2 + row);
    const auto seen = hn::Gt(total, hn::Zero(d));
    hn::Store(hn::IfThenElseZero(seen, hn::Div(hn::Set(d, 1.0f), total)), d,
              finished.inverse + row);
    const auto low = hn::MulAdd(reference, ln2Low, hn::Log(d, total));
    hn::Store(hn::IfThenElse(seen, hn::MulAdd(reference, ln2High, low), empty),
              d, finished.lse + row);
  }
}

/// Writes one normalised row of the result.
inline void storeResult(const ForwardCall &call, const ItemRows &rows,
                        int64_t row, float inverse, float lse,
                        const float *out) {
  const AttentionShape &shape = call.problem.shape;
  const HeadRow at = headRow(shape, rows, row);
  const MutableTensorView &result = *call.result;
  const int64_t target = rows.batch * result.batchStride +
                         at.head * result.headStride +
                         at.query * result.rowStride;
  if (result.type == ElementType::F32)
    scaleInto(out, inverse, shape.valueDim,
              static_cast<float *>(result.data) + target);
  else
    scaleInto(out, inverse, shape.valueDim,
              static_cast<uint16_t *>(result.data) + target);
  if (call.lse)
    call.lse[(rows.batch * shape.queryHeads + at.head) * shape.queries +
             at.query] = lse;
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_CARRIEDROW_INL_H
