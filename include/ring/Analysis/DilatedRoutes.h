// SPDX-License-Identifier: Apache-2.0
// Dilated segments that lie differently on every rank: which rows each device
// has, which it fetches, and where they stand.

#ifndef RING_ANALYSIS_DILATEDROUTES_H
#define RING_ANALYSIS_DILATEDROUTES_H

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

/// How the rows of a sequence lie on the devices.
struct HeldRows {
  AxisAttr axis;
  /// The mesh axis of the heads, if they are split.
  std::optional<int64_t> headsAxis;
  /// Rows of a shard, and of the whole sequence.
  int64_t shard, length;
  /// Every device has all rows, and none is sent.
  bool everywhere;
};

/// Some of the packed keys of a route, which are brought and attended to before
/// the next.
struct KeyRound {
  int64_t rows;
  ArrayAttr legs;
  PlacesAttr places;
};

/// The legs that bring a device's own queries and the keys they attend to into
/// packed order, and the outputs back, with the positions of the packed rows.
///
/// Positions count within a block of rows that attend to each other, and blocks
/// are twice as far apart as they are long. So one window tells them apart:
/// blocks of up to m rows, m - 1 before and, if not causal, m - 1 after.
///
///   blocks of 3 rows:  0 1 2 . . . 6 7 8
///   6 sees 4 to 8, which are the rows 6, 7 and 8 of its own block
struct DilatedRoutes {
  /// Packed rows on every device; devices with fewer have rows that see
  /// nothing behind them.
  int64_t queryRows = 0, keyRows = 0;
  ArrayAttr queryLegs, keyLegs, outputLegs;
  /// The legs that bring something of the packed keys, such as their
  /// gradients, back to the rows that they came from. Several devices may have
  /// had a row: then what they bring is to be added up, and each of the lists
  /// has a row at most once.
  SmallVector<ArrayAttr> keyLegsBack;
  PlacesAttr queryPlaces, keyPlaces;
  WindowAttr pattern;

  /// Nothing if no device has any row. Keys from `keyLimit` on are padding; the
  /// keys of every block are packed in `order`.
  static std::optional<DilatedRoutes>
  of(ArrayRef<std::optional<HeadRows>> byShard, const HeldRows &held,
     bool causal, std::optional<int64_t> keyLimit,
     KeyOrder order = KeyOrder::Identity);

  /// The keys in rounds of at most `mostRows`, as even as can be.
  SmallVector<KeyRound> keyRounds(int64_t mostRows) const;
};

} // namespace mlir::ring

#endif // RING_ANALYSIS_DILATEDROUTES_H
