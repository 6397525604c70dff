// SPDX-License-Identifier: Apache-2.0
// How the positions of a sequence are dealt to ranks.

#ifndef RING_POSITIONS_SEQUENCELAYOUT_H
#define RING_POSITIONS_SEQUENCELAYOUT_H

#include "ring/Positions/Positions.h"

#include <optional>
#include <string>

namespace ring::positions {

/// The numbering is that of the ring dialect and of program files.
enum class LayoutKind : int64_t {
  Contiguous,
  Mirrored,
  Zigzag,
  Striped,
  BlockCyclic
};

/// A rank, and a row of its shard.
struct ShardRow {
  int64_t rank;
  int64_t row;
};

/// #ring.layout. The sequence is cut into chunks, which are dealt round by
/// round, one to each rank. Layouts differ in the size of a chunk and in
/// whether a round goes from the first rank to the last or back:
///
///   contiguous    one round of n / P rows, forth
///   mirrored      one round of n / P rows, back
///   zigzag        two rounds of n / 2P rows, forth and back
///   striped       n / P rounds of one row, forth
///   block-cyclic  n / (P block) rounds of `block` rows, forth
struct SequenceLayout {
  LayoutKind kind = LayoutKind::Contiguous;
  int64_t length = 1;
  int64_t ranks = 1;
  int64_t offset = 0;
  int64_t block = 0; ///< rows of a chunk of a block-cyclic layout, else 0

  /// Why there is no such layout; nothing if there is.
  std::optional<std::string> misfit() const;

  int64_t shardLength() const { return length / ranks; }
  int64_t chunkRows() const;
  /// The positions that a rank holds, in the order of its rows.
  Positions positionsOf(int64_t rank) const;
  /// Who holds a position, and where.
  ShardRow locate(int64_t position) const;

private:
  /// The rank that gets chunk `chunk` of a round, and the chunk that a rank
  /// gets: going back, both count from the other end.
  int64_t dealt(int64_t round, int64_t rankOrChunk) const;
};

} // namespace ring::positions

#endif // RING_POSITIONS_SEQUENCELAYOUT_H
