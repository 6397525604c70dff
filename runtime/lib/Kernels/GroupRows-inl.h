// SPDX-License-Identifier: Apache-2.0
//
// The rows of an item in scratch memory, a tile's height of them at a time:
// packed queries, references, sums and unnormalised outputs, how they get there
// and where they go in the end.

#if defined(RING_RUNTIME_KERNELS_GROUPROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_GROUPROWS_INL_H
#undef RING_RUNTIME_KERNELS_GROUPROWS_INL_H
#else
#define RING_RUNTIME_KERNELS_GROUPROWS_INL_H
#endif

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/CarriedRow-inl.h"
#include "Kernels/Pack-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

class GroupRows {
public:
  GroupRows(const ForwardCall &call, const ItemRows &rows)
      : valueDim(roundUp(call.problem.shape.valueDim, kPanel)),
        scratch(reinterpret_cast<ItemScratch *>(call.scratch)), call(call),
        shape(call.problem.shape), rows(rows) {
    const ScratchLayout layout =
        scratchLayout(shape, /*unpacked=*/!call.keyValue.packed);
    query = reinterpret_cast<float *>(call.scratch + layout.query);
    out = reinterpret_cast<float *>(call.scratch + layout.out);
  }

  /// The rows of a group: all but the last group's fill the tile.
  int64_t countOf(int64_t group) const {
    return std::min<int64_t>(kTileRows, rows.count - group * kTileRows);
  }

  /// The packed queries of the group that begins with a row, and a row's
  /// output.
  const float *queryOf(int64_t row) const { return query + row * shape.keyDim; }
  float *outOf(int64_t row) const { return out + row * valueDim; }

  /// What to fetch while a group is computed: what the next group starts with,
  /// unless it has started, and where this one goes if this is its `last`
  /// block.
  void planFetch(int64_t group, bool last) {
    fetch.clear();
    if (last && call.result)
      fetch.add(resultRow(group * kTileRows), countOf(group),
                elementBytes(call.result->type) * shape.valueDim,
                elementBytes(call.result->type) * call.result->rowStride);
    const int64_t next = (group + 1) * kTileRows;
    if (next >= rows.count || scratch->loaded[group + 1])
      return;
    const int64_t count = countOf(group + 1);
    const int64_t bytes = elementBytes(call.query.type);
    const void *from = bytes == sizeof(float)
                           ? static_cast<const void *>(queryRow<float>(next))
                           : queryRow<uint16_t>(next);
    fetch.add(from, count, bytes * shape.keyDim, bytes * call.query.rowStride);
    if (call.state)
      fetch.add(call.state->out +
                    stateRow(shape, *call.state, rows, next) * shape.valueDim,
                count, shape.valueDim * sizeof(float),
                shape.valueDim * sizeof(float));
  }

  /// Takes the queries of a group and their state into scratch.
  void load(int64_t group) {
    scratch->loaded[group] = true;
    if (call.query.type == ElementType::F32)
      packQueries<float>(group);
    else
      packQueries<uint16_t>(group);
    loadState(group);
  }

  /// Puts the rows of a group where they go in the end: into the carried state,
  /// or normalised into the result.
  void store(int64_t group) {
    const int64_t begin = group * kTileRows, count = countOf(group);
    if (!scratch->loaded[group]) {
      if (call.state)
        return;
      loadState(group);
    }
    if (scratch->blank[group])
      std::fill_n(outOf(begin), count * valueDim, 0.0f);
    alignas(kBufferAlignment) float max2[kMostLanes] = {};
    alignas(kBufferAlignment) float sums[kMostLanes] = {};
    for (int64_t index = 0; index < count; ++index) {
      max2[index] = -scratch->origin[begin + index];
      sums[index] =
          sumOfLanes(scratch->laneSums + (begin + index) * kMostLanes);
    }
    if (call.state) {
      for (int64_t index = 0; index < count; ++index)
        if (scratch->seen[begin + index])
          storeState(call, rows, begin + index, max2[index], sums[index],
                     outOf(begin + index));
      return;
    }
    FinishedRows finished;
    finishRows(max2, sums, finished);
    for (int64_t index = 0; index < count; ++index)
      storeResult(call, rows, begin + index, finished.inverse[index],
                  finished.lse[index], outOf(begin + index));
  }

  /// Value dimensions padded to whole panels: the row length of `out`.
  const int64_t valueDim;
  ItemScratch *const scratch;
  RowFetch fetch;

private:
  /// Where the query of a row begins.
  template <typename T>
  const T *queryRow(int64_t row) const {
    const HeadRow at = headRow(shape, rows, row);
    return call.query.headRows<T>(rows.batch, at.head, shape.queryHeads) +
           at.query * call.query.rowStride;
  }

  const char *resultRow(int64_t row) const {
    const HeadRow at = headRow(shape, rows, row);
    const MutableTensorView &result = *call.result;
    return static_cast<const char *>(result.data) +
           elementBytes(result.type) *
               (rows.batch * result.batchStride + at.head * result.headStride +
                at.query * result.rowStride);
  }

  /// Packs the queries of a group, times scale and log2(e).
  template <typename T>
  void packQueries(int64_t group) {
    const int64_t row = group * kTileRows;
    const T *queryRows[kTileRows] = {};
    for (int64_t index = 0; index < countOf(group); ++index)
      queryRows[index] = queryRow<T>(row + index);
    const auto scale = static_cast<float>(double(call.problem.scale) * kLog2E);
    packTransposed<kTileRows>(queryRows, countOf(group), shape.keyDim, scale,
                              query + row * shape.keyDim);
  }

  /// What the rows of a group start with. Rows that only fill up the tile have
  /// nothing but scores of 0.
  void loadState(int64_t group) {
    const FloatTag d;
    const int64_t begin = group * kTileRows;
    for (int64_t row = begin; row < begin + kTileRows; ++row) {
      for (int64_t lane = 0; lane < kMostLanes; lane += kLanes)
        hn::Store(hn::Zero(d), d, scratch->laneSums + row * kMostLanes + lane);
      scratch->seen[row] = false;
      scratch->origin[row] = 0.0f;
    }
    scratch->blank[group] = true;
    if (!call.state && !call.sinks)
      return;
    CarriedRow carried[kTileRows];
    for (int64_t index = 0; index < countOf(group); ++index) {
      const int64_t row = begin + index;
      carried[index] = carriedRow(call, rows, row);
      if (!carried[index].seen)
        continue;
      scratch->seen[row] = true;
      scratch->origin[row] = -carried[index].max2;
      scratch->laneSums[row * kMostLanes] = carried[index].sum;
      if (carried[index].out)
        scratch->blank[group] = false;
    }
    if (scratch->blank[group])
      return;
    for (int64_t index = 0; index < kTileRows; ++index) {
      float *to = outOf(begin + index);
      const float *from = carried[index].out;
      if (from)
        scaleInto(from, carried[index].correction, shape.valueDim, to);
      std::fill(to + (from ? shape.valueDim : 0), to + valueDim, 0.0f);
    }
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows &rows;
  float *query;
  float *out;
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_GROUPROWS_INL_H
