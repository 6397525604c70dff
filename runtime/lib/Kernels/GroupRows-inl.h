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

  /// The packed queries of a group, and its outputs.
  const float *queryOf(int64_t group) const {
    return query + group * kTileRows * shape.keyDim;
  }
  float *outOf(int64_t group) const {
    return scratch->inPlace[group] ? stateOut(group * kTileRows)
                                   : out + group * kTileRows * valueDim;
  }

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
      fetch.add(stateOut(next), count, shape.valueDim * sizeof(float),
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

  /// Has the next rescaling of the tile's rows pay what loading them owes.
  void settle(int64_t group, int64_t tileRows) {
    float *owed = scratch->owed + group * kTileRows;
    for (int64_t index = 0; index < tileRows; ++index) {
      scratch->rescale[index] *= owed[index];
      owed[index] = 1.0f;
    }
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
      std::fill_n(outOf(group), count * valueDim, 0.0f);
    alignas(kBufferAlignment) float max2[kMostLanes] = {};
    alignas(kBufferAlignment) float sums[kMostLanes] = {};
    for (int64_t index = 0; index < count; ++index) {
      max2[index] = -scratch->origin[begin + index];
      sums[index] =
          sumOfLanes(scratch->laneSums + (begin + index) * kMostLanes);
    }
    if (call.state)
      return storeState(group, max2, sums);
    FinishedRows finished;
    finishRows(max2, sums, finished);
    for (int64_t index = 0; index < count; ++index)
      storeResult(call, rows, begin + index, finished.inverse[index],
                  finished.lse[index], outOf(group) + index * valueDim);
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

  /// The output of a row in the carried state.
  float *stateOut(int64_t row) const {
    return call.state->out +
           stateRow(shape, *call.state, rows, row) * shape.valueDim;
  }

  /// Whether a whole tile of rows lies in the carried state as tiles do, so
  /// that its outputs need not move.
  bool liesInTile(int64_t group) const {
    const int64_t begin = group * kTileRows;
    return call.state && countOf(group) == kTileRows &&
           valueDim == shape.valueDim &&
           headRow(shape, rows, begin).head ==
               headRow(shape, rows, begin + kTileRows - 1).head &&
           reinterpret_cast<uintptr_t>(call.state->out) % kBufferAlignment == 0;
  }

  /// What the rows of a group start with: their carried state, or their sink.
  /// Rows that only fill up the tile have nothing but scores of 0.
  void loadState(int64_t group) {
    const FloatTag d;
    const int64_t begin = group * kTileRows, count = countOf(group);
    for (int64_t row = begin; row < begin + kTileRows; ++row) {
      for (int64_t lane = 0; lane < kMostLanes; lane += kLanes)
        hn::Store(hn::Zero(d), d, scratch->laneSums + row * kMostLanes + lane);
      scratch->seen[row] = false;
      scratch->origin[row] = 0.0f;
      scratch->owed[row] = 1.0f;
    }
    scratch->blank[group] = true;
    scratch->inPlace[group] = liesInTile(group);
    if (!call.state && !call.sinks)
      return;
    alignas(kBufferAlignment) float max[kMostLanes] = {};
    for (int64_t index = 0; index < count; ++index) {
      const int64_t row = begin + index;
      const int64_t source =
          call.state ? stateRow(shape, *call.state, rows, row) : 0;
      const float reference = call.state
                                  ? call.state->max[source]
                                  : call.sinks[headRow(shape, rows, row).head];
      if (reference == -std::numeric_limits<float>::infinity())
        continue;
      max[index] = reference;
      scratch->seen[row] = true;
      scratch->laneSums[row * kMostLanes] =
          call.state ? call.state->sum[source] : 1.0f;
      scratch->blank[group] &= !call.state;
    }
    Rebased base;
    toBaseTwo(max, base);
    for (int64_t index = 0; index < count; ++index) {
      scratch->origin[begin + index] = -base.reference[index];
      scratch->owed[begin + index] = base.correction[index];
    }
    if (!scratch->blank[group])
      loadOut(group);
  }

  /// The outputs that the rows of a group start with.
  void loadOut(int64_t group) {
    const bool inPlace = scratch->inPlace[group];
    for (int64_t index = 0; index < kTileRows; ++index) {
      const int64_t row = group * kTileRows + index;
      float *to = outOf(group) + index * valueDim;
      if (!scratch->seen[row]) {
        std::fill_n(to, valueDim, 0.0f);
      } else if (!inPlace) {
        std::copy_n(stateOut(row), shape.valueDim, to);
        std::fill(to + shape.valueDim, to + valueDim, 0.0f);
      }
    }
  }

  /// Puts rows that have seen a key back into the carried state.
  void storeState(int64_t group, const float *max2, const float *sums) {
    Rebased base;
    toBaseE(max2, base);
    const float *from = outOf(group);
    for (int64_t index = 0; index < countOf(group); ++index) {
      const int64_t row = group * kTileRows + index;
      if (!scratch->seen[row])
        continue;
      const int64_t target = stateRow(shape, *call.state, rows, row);
      const float correction = base.correction[index];
      call.state->max[target] = base.reference[index];
      call.state->sum[target] = correction * sums[index];
      scaleInto(from + index * valueDim, correction, shape.valueDim,
                call.state->out + target * shape.valueDim);
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
