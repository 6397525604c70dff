// SPDX-License-Identifier: Apache-2.0
// How the positions of a sequence are dealt to ranks.

#ifndef RING_POSITIONS_SEQUENCELAYOUT_H
#define RING_POSITIONS_SEQUENCELAYOUT_H

#include "ring/Positions/Positions.h"

#include <optional>
#include <string>

namespace ring::positions {

/// The numbering is that of the ring dialect and of program files.
enum class LayoutKind : int64_t { Contiguous, Mirrored, Zigzag, Striped };

/// A rank, and a row of its shard.
struct ShardRow {
  int64_t rank;
  int64_t row;
};

/// #ring.layout. With c = length / ranks (half of that for zigzag), rank r of P
/// holds: contiguous, chunk r; mirrored, chunk P-1-r; zigzag, chunks r and
/// 2P-1-r of 2P; striped, r, r + P, r + 2P, ...
struct SequenceLayout {
  LayoutKind kind = LayoutKind::Contiguous;
  int64_t length = 1;
  int64_t ranks = 1;
  int64_t offset = 0;

  /// Why there is no such layout; nothing if there is.
  std::optional<std::string> misfit() const;

  int64_t shardLength() const { return length / ranks; }
  /// The positions that a rank holds, in the order of its rows.
  Positions positionsOf(int64_t rank) const;
  /// Who holds a position, and where.
  ShardRow locate(int64_t position) const;
};

} // namespace ring::positions

#endif // RING_POSITIONS_SEQUENCELAYOUT_H
