// SPDX-License-Identifier: Apache-2.0
// Layouts in both directions: rank to positions, and position to rank.

#include "ring/Positions/SequenceLayout.h"

namespace ring::positions {

std::optional<std::string> SequenceLayout::misfit() const {
  if (length <= 0 || length > kMostPositions || ranks <= 0 || offset < 0 ||
      offset > kMostPositions)
    return "expects a positive length over positive ranks at an offset that is "
           "not negative, none above " +
           std::to_string(kMostPositions) + ", but got " +
           std::to_string(length) + " over " + std::to_string(ranks) + " at " +
           std::to_string(offset);
  bool halved = kind == LayoutKind::Zigzag;
  if (length % ranks != 0 || (halved && shardLength() % 2 != 0))
    return std::string("expects ") +
           (halved ? "twice the ranks" : "the ranks") + " to divide " +
           std::to_string(length) + ", but got " + std::to_string(ranks);
  return std::nullopt;
}

Positions SequenceLayout::positionsOf(int64_t rank) const {
  int64_t shard = shardLength();
  switch (kind) {
  case LayoutKind::Contiguous:
    return {{offset + rank * shard, shard}};
  case LayoutKind::Mirrored:
    return {{offset + (ranks - 1 - rank) * shard, shard}};
  case LayoutKind::Zigzag: {
    int64_t chunk = shard / 2;
    return {{offset + rank * chunk, chunk},
            {offset + (2 * ranks - 1 - rank) * chunk, chunk}};
  }
  case LayoutKind::Striped:
    return {{offset + rank, shard, ranks}};
  }
  return {};
}

ShardRow SequenceLayout::locate(int64_t position) const {
  position -= offset;
  int64_t shard = shardLength();
  switch (kind) {
  case LayoutKind::Contiguous:
    return {position / shard, position % shard};
  case LayoutKind::Mirrored:
    return {ranks - 1 - position / shard, position % shard};
  case LayoutKind::Zigzag: {
    int64_t chunkRows = shard / 2, chunk = position / chunkRows;
    if (chunk < ranks)
      return {chunk, position % chunkRows};
    return {2 * ranks - 1 - chunk, position % chunkRows + chunkRows};
  }
  case LayoutKind::Striped:
    return {position % ranks, position / ranks};
  }
  return {};
}

} // namespace ring::positions
