// SPDX-License-Identifier: Apache-2.0
// Where the heads and rows of a dilated attention lie under its plan, as the
// attention and its gradients both have to know.

#ifndef RING_LIB_STRATEGIES_DILATEDPLACES_H
#define RING_LIB_STRATEGIES_DILATEDPLACES_H

#include "ShardedSequence.h"
#include "ring/Analysis/DilatedGroups.h"
#include "ring/Analysis/DilatedRoutes.h"

#include <vector>

namespace mlir::ring {

/// What a device has: heads of queries and of keys, and rows.
struct LocalShape {
  int64_t heads, kvHeads, rows;
};

/// A group whose rows are packed alike on every device.
struct PlacedGroup {
  DilatedGroup group;
  RankPlacement placement;

  bool isLocal() const { return placement.ranks == 1; }
  /// Spans whose rows attend each for themselves.
  int64_t spans() const {
    return placement.local.joined ? 1 : placement.local.count;
  }
  /// Packed rows of a head on this device.
  int64_t keptRows() const {
    return placement.local.count *
           placement.local.rowsOf(group.queries.front().phase);
  }
};

/// Some heads whose rows lie differently on every device, with their key heads.
struct RoutedRun {
  /// The pair, or the first of several.
  int64_t layer;
  int64_t first, count, firstKey, keyCount;
  RowRoutes routes;
};

/// All heads of a device are in one of the two, or keep no rows.
struct DilatedPlaces {
  std::vector<PlacedGroup> packed;
  std::vector<RoutedRun> routed;

  static DilatedPlaces of(ShardedSequence &sequence, const LocalShape &local);
};

/// The sub-ring of `ranks` neighbours on the axis of the sequence.
AxisAttr neighboursOn(AxisAttr whole, int64_t ranks);

/// Whether the group trades rows for heads: where it must, or where that moves
/// less and the choice is free.
bool tradesHeads(ShardedSequence &sequence, const PlacedGroup &group);

/// Lets the sequence visit the packed keys of a group in the pattern's order.
void setVisitsOf(ShardedSequence &sequence, const PlacedGroup &group);

/// Some heads in a row that are packed in a row, with the same phases each.
struct HeadRun {
  int64_t first, count;
  /// Where in the packed heads each phase starts.
  SmallVector<std::pair<int64_t, int64_t>> phases;
};

/// The runs of packed heads; a head that is packed several times with one phase
/// is in several of them.
SmallVector<HeadRun> findRuns(ArrayRef<PackedHead> heads);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_DILATEDPLACES_H
