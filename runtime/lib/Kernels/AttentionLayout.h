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

/// Keys of a block: half as many where heads are wide, so that K and V of a
/// block, 256 KiB at 64 as at 128 dimensions, stay in the L2 cache while all
/// rows of an item pass over them.
inline int64_t blockKeys(const AttentionShape &shape) {
  return shape.keyDim + shape.valueDim <= 160 ? kMostBlockKeys
                                              : kMostBlockKeys / 2;
}

constexpr int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr int64_t divideUp(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// The packed form of one K/V head: K as [key panel][keyDim][panel], then V as
/// [value panel][padded keys][panel], in floats.
struct PackedHeadLayout {
  int64_t paddedKeys;
  int64_t keyFloats;
  int64_t headFloats;
};

inline PackedHeadLayout packedHeadLayout(const AttentionShape &shape) {
  PackedHeadLayout layout;
  layout.paddedKeys = roundUp(shape.keys, kWidestPanel);
  layout.keyFloats = layout.paddedKeys * shape.keyDim;
  layout.headFloats = layout.keyFloats +
                      layout.paddedKeys * roundUp(shape.valueDim, kWidestPanel);
  return layout;
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

/// Keys that one item of packing work covers.
constexpr int64_t kPackKeys = kMostBlockKeys;

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ATTENTIONLAYOUT_H
