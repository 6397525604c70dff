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
#include "Kernels/FinishedRow-inl.h"
#include "Kernels/QueryPack-inl.h"

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
    scratchQuery = reinterpret_cast<float *>(call.scratch + layout.query);
    packedQuery = call.packedQuery
                      ? call.packedQuery + rows.item * itemQueryFloats(shape)
                      : scratchQuery;
    out = reinterpret_cast<float *>(call.scratch + layout.out);
  }

  /// The rows of a group: all but the last group's fill the tile.
  int64_t countOf(int64_t group) const {
    return std::min<int64_t>(kTileRows, rows.count - group * kTileRows);
  }

  /// Whether a group is a whole tile of consecutive rows of one head.
  bool isOneTile(int64_t group) const {
    const int64_t begin = group * kTileRows;
    return countOf(group) == kTileRows &&
           headRow(shape, rows, begin).head ==
               headRow(shape, rows, begin + kTileRows - 1).head;
  }

  /// The queries of a group, and its outputs.
  QueryRows queryOf(int64_t group) const {
    const int64_t row = group * kTileRows;
    if (readsQuery(group))
      return {queryRow<float>(call, rows, row), call.query.rowStride,
              kQueryChunk};
    return {packedQuery + row * packedQueryFloats(shape), kQueryChunk,
            kTileRows * kQueryChunk};
  }
  float *outOf(int64_t group) const {
    return scratch->inPlace[group] ? stateOut(group * kTileRows)
                                   : out + group * kTileRows * valueDim;
  }

  /// What to fetch while a group is computed: what the next group starts with,
  /// unless it has started, and where this one goes if this is its `last`
  /// block.
  void planFetch(int64_t group, bool last) {
    fetch.clearNext();
    if (last && call.result) {
      const int64_t bytes = elementBytes(call.result->type),
                    row = group * kTileRows;
      const void *to = bytes == sizeof(float)
                           ? static_cast<const void *>(resultRow<float>(row))
                           : resultRow<uint16_t>(row);
      fetch.add(to, countOf(group), bytes * shape.valueDim,
                bytes * call.result->rowStride);
    }
    const int64_t next = (group + 1) * kTileRows;
    if (next >= rows.count || scratch->loaded[group + 1])
      return;
    const int64_t count = countOf(group + 1);
    const int64_t bytes = elementBytes(call.query.type);
    if (call.packedQuery) {
      fetch.add(queryOf(group + 1).first, 1,
                kTileRows * packedQueryFloats(shape) * sizeof(float), 0);
    } else {
      const HeadRow at = headRow(shape, rows, next);
      fetch.add(
          call.query.rowAt(rows.batch, at.head, shape.queryHeads, at.query),
          count, bytes * shape.keyDim, bytes * call.query.rowStride);
    }
    if (call.state)
      fetch.add(stateOut(next), count, shape.valueDim * sizeof(float),
                shape.valueDim * sizeof(float));
  }

  /// Takes the queries of a group, if need be, and their state into scratch.
  void load(int64_t group) {
    scratch->loaded[group] = true;
    if (!call.packedQuery && !readsQuery(group))
      packQueryRowsOf(call, rows, group * kTileRows, countOf(group),
                      scratchQuery +
                          group * kTileRows * packedQueryFloats(shape));
    loadState(group);
  }

  /// Where all weights of a group are in its sums and a tile can write its
  /// rows of the result: what normalises them.
  bool finish(int64_t group, InverseSums &inverse) {
    if (!call.result || call.result->type != ElementType::F32 ||
        valueDim != shape.valueDim || !isOneTile(group))
      return false;
    scratch->finished[group] = true;
    invertSums(sumRows(group), inverse);
    return true;
  }

  /// Puts the rows of a group where they go in the end: into the carried state,
  /// or normalised into the result.
  void store(int64_t group) {
    if (scratch->finished[group])
      return;
    const int64_t begin = group * kTileRows, count = countOf(group);
    if (!scratch->loaded[group]) {
      if (call.state)
        return;
      loadState(group);
    }
    if (scratch->blank[group])
      std::fill_n(outOf(group), count * valueDim, 0.0f);
    const float *sums = sumRows(group);
    if (call.state)
      return storeState(group);
    InverseSums inverse;
    invertSums(sums, inverse);
    for (int64_t index = 0; index < count; ++index) {
      const float *from = outOf(group) + index * valueDim;
      if (call.result->type == ElementType::F32)
        scaleInto(from, inverse.rows[index], shape.valueDim,
                  resultRow<float>(begin + index));
      else
        scaleInto(from, inverse.rows[index], shape.valueDim,
                  resultRow<uint16_t>(begin + index));
    }
  }

  /// Stores the lse of all rows, which are complete: logarithms between two
  /// tiles would keep the second one waiting.
  void storeLse() const {
    if (!call.lse)
      return;
    for (int64_t begin = 0; begin < rows.count; begin += kMostLanes) {
      alignas(kBufferAlignment) float lse[kMostLanes];
      lseOfRows(scratch->origin + begin, scratch->sums + begin, lse);
      const int64_t count = std::min(kMostLanes, rows.count - begin);
      for (int64_t index = 0, run; index < count; index += run) {
        const HeadRow at = headRow(shape, rows, begin + index);
        run = std::min(count - index, shape.queries - at.query);
        std::copy_n(lse + index, run,
                    call.lse +
                        (rows.batch * shape.queryHeads + at.head) *
                            shape.queries +
                        at.query);
      }
    }
  }

  /// Where a row of the result begins.
  template <typename T>
  T *resultRow(int64_t row) const {
    const HeadRow at = headRow(shape, rows, row);
    const MutableTensorView &result = *call.result;
    return static_cast<T *>(result.data) + rows.batch * result.batchStride +
           at.head * result.headStride + at.query * result.rowStride;
  }

  /// Value dimensions padded to whole panels: the row length of `out`.
  const int64_t valueDim;
  ItemScratch *const scratch;
  RowFetch fetch;

private:
  /// Whether a group's queries are read where they are.
  bool readsQuery(int64_t group) const {
    return kReadsInPlace && !call.packedQuery &&
           liesInRows(shape, call.query) && isOneTile(group);
  }

  /// Adds up the lanes of the sums of a group's rows.
  const float *sumRows(int64_t group) {
    const int64_t begin = group * kTileRows;
    for (int64_t row = begin; row < begin + kTileRows; ++row)
      scratch->sums[row] = sumOfLanes(scratch->laneSums + row * kMostLanes);
    return scratch->sums + begin;
  }

  /// The output of a row in the carried state.
  float *stateOut(int64_t row) const {
    return call.state->out +
           stateRow(shape, *call.state, rows, row) * shape.valueDim;
  }

  /// Whether a whole tile of rows lies in the carried state as tiles do, so
  /// that its outputs need not move.
  bool liesInTile(int64_t group) const {
    return call.state && valueDim == shape.valueDim && isOneTile(group) &&
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
    }
    scratch->allSeen[group] = false;
    scratch->blank[group] = true;
    scratch->inPlace[group] = liesInTile(group);
    if (!call.state && !call.sinks)
      return;
    for (int64_t index = 0; index < count; ++index) {
      const int64_t row = begin + index;
      const RowStart start = startOf(row);
      if (start.isEmpty())
        continue;
      scratch->seen[row] = true;
      scratch->origin[row] = -start.max;
      scratch->laneSums[row * kMostLanes] = start.sum;
      scratch->blank[group] &= !call.state;
    }
    if (!scratch->blank[group])
      loadOut(group);
  }

  /// The carried state of a row, or its sink.
  RowStart startOf(int64_t row) const {
    if (!call.state)
      return startFrom(call.sinks[headRow(shape, rows, row).head]);
    const int64_t source = stateRow(shape, *call.state, rows, row);
    return {call.state->max[source], call.state->sum[source]};
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
  void storeState(int64_t group) {
    for (int64_t index = 0; index < countOf(group); ++index) {
      const int64_t row = group * kTileRows + index;
      if (!scratch->seen[row])
        continue;
      const int64_t target = stateRow(shape, *call.state, rows, row);
      call.state->max[target] = -scratch->origin[row];
      call.state->sum[target] = scratch->sums[row];
      if (!scratch->inPlace[group])
        std::copy_n(outOf(group) + index * valueDim, shape.valueDim,
                    call.state->out + target * shape.valueDim);
    }
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows &rows;
  float *scratchQuery;
  const float *packedQuery;
  float *out;
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_GROUPROWS_INL_H
