// SPDX-License-Identifier: Apache-2.0
//
// Block sizes and buffer layouts of the attention kernels: plain arithmetic
// that the sizing functions and the vector code must agree on.

#ifndef RING_RUNTIME_KERNELS_ATTENTIONLAYOUT_H
#define RING_RUNTIME_KERNELS_ATTENTIONLAYOUT_H

#include "Kernels/Attention.h"

#include <algorithm>

namespace ring::rt::kernels {

/// The extremes of all instruction sets. Buffers are padded to these, so that
/// their sizes do not depend on the machine.
constexpr int64_t kWidestPanel = 32;
constexpr int64_t kNarrowestPanel = 8;
constexpr int64_t kTallestTile = 12;
constexpr int64_t kMostLanes = 16;

/// Query rows of a work item: a multiple of every tile height. More rows use a
/// K/V block more often once it is in the L2 cache; fewer make more items.
constexpr int64_t kItemRows = 192;

/// Keys that are scored and weighted at a time, at most. The weights, 12 x 512
/// floats, stay in the L1 cache.
constexpr int64_t kMostBlockKeys = 512;

/// Keys of a block, `most` on the instruction set at hand: half as many where
/// heads are wide, so that K and V of a block are as large at 64 as at 128
/// dimensions.
inline int64_t blockKeys(const AttentionShape &shape,
                         int64_t most = kMostBlockKeys) {
  return shape.keyDim + shape.valueDim <= 160 ? most : most / 2;
}

constexpr int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr int64_t divideUp(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Keys that are packed together: what a thread does before others can use it.
/// All blocks are whole units.
constexpr int64_t kPackUnit = 64;

/// The packed form of a block, in floats: K of all heads, each as [key
/// panel][keyDim][panel], then V of all heads, each as [value panel][padded
/// keys][panel]; behind them a mark for every unit of every head (PackedUnits).
/// Nothing comes before K and V, and no more of the system's pages are touched
/// than K and the marks fill where values are read in place.
struct PackedLayout {
  int64_t heads; ///< of all batches
  int64_t units; ///< of one head
  int64_t paddedKeys;
  int64_t keyFloats; ///< of one head
  int64_t valueFloats;

  int64_t keyAt(int64_t head) const { return head * keyFloats; }
  int64_t valueAt(int64_t head) const {
    return heads * keyFloats + head * valueFloats;
  }
  int64_t end() const { return valueAt(heads); }
};

inline PackedLayout packedLayout(const AttentionShape &shape) {
  PackedLayout layout;
  layout.heads = shape.batch * shape.keyValueHeads;
  layout.units = divideUp(shape.keys, kPackUnit);
  layout.paddedKeys = roundUp(shape.keys, kWidestPanel);
  layout.keyFloats = layout.paddedKeys * shape.keyDim;
  layout.valueFloats =
      layout.paddedKeys * roundUp(shape.valueDim, kWidestPanel);
  return layout;
}

/// Floats between two rows of which many would share few sets of the caches.
constexpr int64_t kFarRows = 4 * kWidestPanel;

/// Whether queries lie in rows that kernels can read.
inline bool liesInRows(const AttentionShape &shape, const TensorView &query) {
  return query.type == ElementType::F32 &&
         (query.rowStride <= kFarRows || query.rowStride == shape.keyDim);
}

/// Whether values lie in panels that kernels can read: in rows that start at
/// cache lines.
inline bool liesInPanels(const AttentionShape &shape, const TensorView &value) {
  constexpr int64_t kLineFloats = kBufferAlignment / sizeof(float);
  return value.type == ElementType::F32 && !value.heads &&
         shape.valueDim % kWidestPanel == 0 && value.rowStride <= kFarRows &&
         value.rowStride % kLineFloats == 0 &&
         value.headStride % kLineFloats == 0 &&
         value.batchStride % kLineFloats == 0 &&
         reinterpret_cast<uintptr_t>(value.data) % kBufferAlignment == 0;
}

/// How query rows are cut into items. With few queries the rows of all query
/// heads that share a K/V head are stacked, so that a decode step of 8 query
/// heads is one tile of 8 rows and reads K and V once.
struct ItemLayout {
  int64_t headsPerUnit; ///< query heads stacked in one unit
  int64_t rowsPerUnit;
  int64_t itemsPerUnit;
  int64_t units;
};

inline ItemLayout itemLayout(const AttentionShape &shape) {
  ItemLayout layout;
  const bool stack = shape.queries < kItemRows;
  layout.headsPerUnit =
      stack ? shape.queryHeads / std::max<int64_t>(1, shape.keyValueHeads) : 1;
  layout.rowsPerUnit = layout.headsPerUnit * shape.queries;
  layout.itemsPerUnit = divideUp(layout.rowsPerUnit, kItemRows);
  layout.units = shape.batch * shape.queryHeads /
                 std::max<int64_t>(1, layout.headsPerUnit);
  return layout;
}

/// Elements of a query that stay together when it is packed: as many as the
/// inner loop multiplies before it turns round.
constexpr int64_t kQueryChunk = 8;

/// A packed query and those of an item, in floats: tile after tile, each as
/// [chunk][row of the tile][element of the chunk].
inline int64_t packedQueryFloats(const AttentionShape &shape) {
  return roundUp(shape.keyDim, kQueryChunk);
}
inline int64_t itemQueryFloats(const AttentionShape &shape) {
  return kItemRows * packedQueryFloats(shape);
}

/// Keys that one item of packing work covers.
constexpr int64_t kPackKeys = 8 * kPackUnit;

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ATTENTIONLAYOUT_H
