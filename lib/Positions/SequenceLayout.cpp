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
  bool cyclic = kind == LayoutKind::BlockCyclic;
  if (cyclic != (block != 0) || block < 0 || block > length)
    return "expects a block of 1 to " + std::to_string(length) +
           " rows in a block-cyclic layout, and none in others, but got " +
           std::to_string(block);
  if (cyclic && (length % block != 0 || length / block % ranks != 0))
    return "expects " + std::to_string(ranks) + " ranks to share the " +
           std::to_string(length) +
           " positions in whole blocks, but got "
           "blocks of " +
           std::to_string(block);
  bool halved = kind == LayoutKind::Zigzag;
  if (length % ranks != 0 || (halved && shardLength() % 2 != 0))
    return std::string("expects ") +
           (halved ? "twice the ranks" : "the ranks") + " to divide " +
           std::to_string(length) + ", but got " + std::to_string(ranks);
  return std::nullopt;
}

int64_t SequenceLayout::chunkRows() const {
  switch (kind) {
  case LayoutKind::Contiguous:
  case LayoutKind::Mirrored:
    return shardLength();
  case LayoutKind::Zigzag:
    return shardLength() / 2;
  case LayoutKind::Striped:
    return 1;
  case LayoutKind::BlockCyclic:
    return block;
  }
  return 0;
}

int64_t SequenceLayout::dealt(int64_t round, int64_t rankOrChunk) const {
  bool back = kind == LayoutKind::Mirrored ||
              (kind == LayoutKind::Zigzag && round == 1);
  return back ? ranks - 1 - rankOrChunk : rankOrChunk;
}

Positions SequenceLayout::positionsOf(int64_t rank) const {
  int64_t rows = chunkRows(), rounds = shardLength() / rows;
  if (ranks == 1)
    return {{offset, length}};
  if (rows == 1 && kind != LayoutKind::Zigzag)
    return {{offset + dealt(0, rank), rounds, ranks}};
  Positions positions;
  for (int64_t round = 0; round < rounds; ++round)
    positions.push_back(
        {offset + (round * ranks + dealt(round, rank)) * rows, rows});
  return positions;
}

ShardRow SequenceLayout::locate(int64_t position) const {
  position -= offset;
  int64_t rows = chunkRows(), chunk = position / rows;
  int64_t round = chunk / ranks;
  return {dealt(round, chunk % ranks), round * rows + position % rows};
}

} // namespace ring::positions
