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
#include "Kernels/Pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// Where the query of a row of an item begins.
template <typename T>
HWY_INLINE const T *queryRow(const ForwardCall &call, const ItemRows &rows,
                             int64_t row) {
  const AttentionShape &shape = call.problem.shape;
  const HeadRow at = headRow(shape, rows, row);
  return call.query.headRows<T>(rows.batch, at.head, shape.queryHeads) +
         at.query * call.query.rowStride;
}

/// Packs `count` <= kTileRows queries of an item from `row` on, times scale and
/// log2(e), into [keyDim][kTileRows].
template <typename T>
void packQueryRows(const ForwardCall &call, const ItemRows &rows, int64_t row,
                   int64_t count, float *to) {
  const T *queryRows[kTileRows] = {};
  for (int64_t index = 0; index < count; ++index)
    queryRows[index] = queryRow<T>(call, rows, row + index);
  const auto scale = static_cast<float>(double(call.problem.scale) * kLog2E);
  packTransposed<kTileRows>(queryRows, count, call.problem.shape.keyDim, scale,
                            to);
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
