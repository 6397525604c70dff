// SPDX-License-Identifier: Apache-2.0
// Rows that lie differently on every device: which of them each device works
// on, which it fetches from whom, and where they stand.

#ifndef RING_ANALYSIS_ROWROUTES_H
#define RING_ANALYSIS_ROWROUTES_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

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

/// The legs that bring a device's queries and the keys they attend to into
/// packed order, and the outputs back, with the positions of the packed rows.
struct RowRoutes {
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

  /// The keys in rounds of at most `mostRows`, as even as can be.
  SmallVector<KeyRound> keyRounds(int64_t mostRows) const;
  /// The same, dealt to the rounds in blocks of `blockRows`: every round then
  /// has about the same share of what a device computes, early keys, which more
  /// queries see, and late ones. Devices wait for each other between rounds, so
  /// that the busiest one of every round counts.
  SmallVector<KeyRound> dealtKeyRounds(int64_t mostRows,
                                       int64_t blockRows) const;

private:
  /// The packed keys of some ranges, `[begin, end)`, one behind the other.
  KeyRound roundOf(ArrayRef<std::pair<int64_t, int64_t>> ranges) const;
};

/// One device's side of the routes.
class DeviceRows {
public:
  DeviceRows(const HeldRows &held, int64_t device);

  /// Packs `size` queries, every `rate`-th row of the sequence from `row` on,
  /// behind those that are there. The first stands at `position`, the others
  /// behind it.
  void addQueries(int64_t row, int64_t size, int64_t rate, int64_t position);
  /// The same for keys.
  void addKeys(int64_t row, int64_t size, int64_t rate, int64_t position);
  /// Puts the last `count` keys into the order of `visits`.
  void reorderKeys(int64_t count, ArrayRef<int64_t> visits);

  int64_t queries() const { return queryRows; }
  int64_t keys() const { return keyRows; }

private:
  friend std::optional<RowRoutes> joinRoutes(ArrayRef<DeviceRows> devices,
                                             const HeldRows &held,
                                             WindowAttr pattern,
                                             int64_t leastQueries);

  /// Appends legs from whoever has the rows.
  void fetch(SmallVectorImpl<Attribute> &legs, int64_t row, int64_t size,
             int64_t rate, int64_t &count);

  HeldRows held;
  int64_t rank;
  SmallVector<Attribute> queryLegs, keyLegs;
  SmallVector<int64_t> queryRanges, keyRanges;
  int64_t queryRows = 0, keyRows = 0;
};

/// The routes of all devices, in their order: at least `leastQueries` packed
/// queries on each. Nothing if no device has any row.
std::optional<RowRoutes> joinRoutes(ArrayRef<DeviceRows> devices,
                                    const HeldRows &held, WindowAttr pattern,
                                    int64_t leastQueries = 0);

} // namespace mlir::ring

#endif // RING_ANALYSIS_ROWROUTES_H
