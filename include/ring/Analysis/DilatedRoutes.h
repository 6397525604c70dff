// SPDX-License-Identifier: Apache-2.0
// Dilated segments that lie differently on every rank: which rows each device
// has, which it fetches, and where they stand.

#ifndef RING_ANALYSIS_DILATEDROUTES_H
#define RING_ANALYSIS_DILATEDROUTES_H

#include "ring/Analysis/RowRoutes.h"
#include "ring/Dialect/Ring/IR/Dilation.h"

namespace mlir::ring {

/// What a head does on one device: a pair, and the residue it keeps.
struct HeadRows {
  DilatedPair pair;
  int64_t phase;

  bool operator==(const HeadRows &other) const;
};

/// Some heads in a row that do the same, by the device's place on the axis of
/// the heads. A head with several residues has an entry for each.
struct RoutedHeads {
  int64_t first, count;
  /// First the entry, then the place; nothing where that device has no such
  /// entry.
  SmallVector<SmallVector<std::optional<HeadRows>>> entries;
};

/// The heads of a device that use one of the pairs with these numbers, where
/// `shards` devices share the heads.
SmallVector<RoutedHeads> findRoutedHeads(DilatedAttr dilated,
                                         ArrayRef<int64_t> pairs,
                                         int64_t length, int64_t heads,
                                         int64_t shards);

/// The routes of what a head keeps, by the device's place on the axis of the
/// heads. Nothing if no device has any row. Keys from `keyLimit` on are
/// padding; the keys of every block are packed in `order`.
///
/// Positions count within a block of rows that attend to each other, and blocks
/// are twice as far apart as they are long. So one window tells them apart:
/// blocks of up to m rows, m - 1 before and, if not causal, m - 1 after.
///
///   blocks of 3 rows:  0 1 2 . . . 6 7 8
///   6 sees 4 to 8, which are the rows 6, 7 and 8 of its own block
std::optional<RowRoutes>
dilatedRoutes(ArrayRef<std::optional<HeadRows>> byShard, const HeldRows &held,
              bool causal, std::optional<int64_t> keyLimit,
              KeyOrder order = KeyOrder::Identity);

} // namespace mlir::ring

#endif // RING_ANALYSIS_DILATEDROUTES_H
