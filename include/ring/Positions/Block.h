// SPDX-License-Identifier: Apache-2.0
// Which queries meet which keys on a device, by the layouts of both.

#ifndef RING_POSITIONS_BLOCK_H
#define RING_POSITIONS_BLOCK_H

#include "ring/Positions/MeshAxis.h"
#include "ring/Positions/SequenceLayout.h"

namespace ring::positions {

/// #ring.block: where the rows of one block of queries x keys sit in the whole
/// sequence.
struct Block {
  std::optional<SequenceLayout> queries; ///< none: from 0 on
  SequenceLayout keys;                   ///< over one rank: all, everywhere
  int64_t source = 0;
  int64_t firstKey = 0; ///< the first row of the source's shard that is there
  MeshAxis axis;
  /// The outer ring of a ring of rings, and how far the source is along it.
  std::optional<MeshAxis> outer;
  int64_t outerSource = 0;

  /// The ranks of the layouts, those of the outer ring counting for whole inner
  /// ones, a device's among them, and some device of a rank.
  int64_t ranks() const;
  int64_t rankOf(int64_t device) const;
  int64_t deviceOf(int64_t rank) const;
  /// The positions of the `count` queries, and of the `count` keys, that are
  /// there on a device.
  Positions queriesOn(int64_t device, int64_t count) const;
  Positions keysOn(int64_t device, int64_t count) const;
};

} // namespace ring::positions

#endif // RING_POSITIONS_BLOCK_H
