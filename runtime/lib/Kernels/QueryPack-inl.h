// SPDX-License-Identifier: Apache-2.0
//
// The packed form of a tile's queries.

#if defined(RING_RUNTIME_KERNELS_QUERYPACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_QUERYPACK_INL_H
#undef RING_RUNTIME_KERNELS_QUERYPACK_INL_H
#else
#define RING_RUNTIME_KERNELS_QUERYPACK_INL_H
#endif

#include "Kernels/ForwardCall.h"
#include "Kernels/MicroKernel-inl.h"
#include "Kernels/Pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

static_assert(kQueryChunk == kUnrolledSteps);

/// Packs a query of `dim` elements as a row of a tile: a copy, its chunks as
/// far apart as a tile has rows.
template <typename T>
HWY_INLINE void packQueryRow(const T *from, int64_t dim,
                             float *HWY_RESTRICT to) {
  const hn::CappedTag<float, kQueryChunk> d;
  constexpr int64_t kPart = hn::MaxLanes(hn::CappedTag<float, kQueryChunk>());
  for (; dim >= kQueryChunk; dim -= kQueryChunk, from += kQueryChunk) {
#pragma GCC unroll 8
    for (int64_t part = 0; part < kQueryChunk; part += kPart)
      hn::Store(loadFloats(d, from + part), d, to + part);
    to += kTileRows * kQueryChunk;
  }
  for (int64_t element = 0; element < dim; ++element)
    to[element] = widen(from[element]);
}

/// Where the query of a row of an item begins.
template <typename T>
HWY_INLINE const T *queryRow(const ForwardCall &call, const ItemRows &rows,
                             int64_t row) {
  const AttentionShape &shape = call.problem.shape;
  const HeadRow at = headRow(shape, rows, row);
  return call.query.headRows<T>(rows.batch, at.head, shape.queryHeads) +
         at.query * call.query.rowStride;
}

/// Packs `count` <= kTileRows queries of an item from `row` on. Rows that only
/// fill up the tile are 0.
template <typename T>
void packQueryRows(const ForwardCall &call, const ItemRows &rows, int64_t row,
                   int64_t count, float *to) {
  const int64_t dim = call.problem.shape.keyDim;
  if (count < kTileRows)
    std::fill_n(to, kTileRows * packedQueryFloats(call.problem.shape), 0.0f);
  for (int64_t index = 0; index < count; ++index)
    packQueryRow(queryRow<T>(call, rows, row + index), dim,
                 to + index * kQueryChunk);
}

/// `packQueryRows` for the element type at hand.
inline void packQueryRowsOf(const ForwardCall &call, const ItemRows &rows,
                            int64_t row, int64_t count, float *to) {
  if (call.query.type == ElementType::F32)
    packQueryRows<float>(call, rows, row, count, to);
  else
    packQueryRows<uint16_t>(call, rows, row, count, to);
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_QUERYPACK_INL_H
