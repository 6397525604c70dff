// SPDX-License-Identifier: Apache-2.0
//
// How the positions of a sequence are dealt to ranks.

#ifndef RING_RUNTIME_OPS_SEQUENCELAYOUT_H
#define RING_RUNTIME_OPS_SEQUENCELAYOUT_H

#include "ring-runtime/Status.h"

#include <cstdint>
#include <vector>

namespace ring::rt {

/// The positions `begin, begin + stride, ...`, `size` of them.
struct PositionRange {
  int64_t begin = 0;
  int64_t size = 0;
  int64_t stride = 1;
};

/// The positions of the rows of a shard, in row order.
using Positions = std::vector<PositionRange>;

/// The positions of the rows `first` to `first + count - 1` of a shard.
Positions sliceRows(const Positions &shard, int64_t first, int64_t count);

/// A layout of the ring dialect. With c = length / ranks (half of that for
/// zigzag), rank r of P holds: contiguous, chunk r; mirrored, chunk P-1-r;
/// zigzag, chunks r and 2P-1-r of 2P; striped, r, r + P, r + 2P, ...
class SequenceLayout {
public:
  /// From the ints of an attribute: kind, length, ranks, offset.
  static Result<SequenceLayout> get(const std::vector<int64_t> &ints);

  int64_t length() const { return count; }
  int64_t ranks() const { return owners; }
  int64_t offset() const { return start; }
  int64_t shardLength() const { return count / owners; }
  /// The positions that a rank holds, in the order of its rows.
  Positions positionsOf(int64_t rank) const;
  /// The rank that holds a position, and the row it has there.
  void locate(int64_t position, int64_t &rank, int64_t &row) const;

private:
  enum class Kind { Contiguous, Mirrored, Zigzag, Striped };
  Kind kind = Kind::Contiguous;
  int64_t count = 0;
  int64_t owners = 1;
  int64_t start = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_SEQUENCELAYOUT_H
