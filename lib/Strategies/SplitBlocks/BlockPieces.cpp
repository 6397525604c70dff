// SPDX-License-Identifier: Apache-2.0
// A block cut where its positions jump, and what each rank computes of each
// piece.

#include "BlockPieces.h"
#include "SquareCuts.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

/// What a rank with the given positions computes. With 32 queries from 64 on
/// and 32 keys from 32 on, a causal band (after = 0) has after = 0 + 64 - 32 =
/// 32 between the rows, which no pair of rows exceeds: the block is whole.
std::optional<Reach> reachOf(const PositionRange &queries,
                             const PositionRange &keys, const Band &band,
                             std::optional<int64_t> limit) {
  Reach reach;
  int64_t lastQuery = (queries.size - 1) * queries.stride;
  int64_t lastKey = (keys.size - 1) * keys.stride;
  if (band.before) {
    int64_t before = *band.before + keys.begin - queries.begin;
    if (lastKey < -before)
      return std::nullopt;
    if (before < lastQuery)
      reach.before = before;
  }
  if (band.after) {
    int64_t after = *band.after + queries.begin - keys.begin;
    if (lastQuery + after < 0)
      return std::nullopt;
    if (after < lastKey)
      reach.after = after;
  }
  if (limit) {
    int64_t real = keys.begin >= *limit
                       ? 0
                       : llvm::divideCeil(*limit - keys.begin, keys.stride);
    if (real == 0)
      return std::nullopt;
    bool reached =
        !reach.after || lastQuery + *reach.after >= real * keys.stride;
    if (real < keys.size && reached)
      reach.real = real;
  }
  // Equally spaced rows count in rows: striped over 4 ranks, "3 positions
  // further" and "the same position" both reach the same row and no more.
  if (queries.stride == keys.stride) {
    if (reach.before)
      reach.before = llvm::divideFloorSigned(*reach.before, keys.stride);
    if (reach.after)
      reach.after = llvm::divideFloorSigned(*reach.after, keys.stride);
  }
  return reach;
}

/// The positions of the block's rows on the device of rank `rank`.
std::pair<Positions, Positions> positionsOn(const BlockGeometry &geometry,
                                            int64_t rank) {
  Positions queries{{0, geometry.queryRows}}, keys{{0, geometry.keyRows}};
  // Where only padding matters, it does not matter which queries meet it, and
  // where nothing does, not even which keys.
  if (geometry.block && (geometry.hasPattern || geometry.limit)) {
    int64_t device = geometry.block.deviceOf(rank);
    keys = geometry.block.keysOn(device, geometry.keyRows);
    if (geometry.hasPattern)
      queries = geometry.block.queriesOn(device, geometry.queryRows);
  }
  return {queries, keys};
}

/// The positions of the rows of `piece`, which lie within one range.
PositionRange positionsOf(ArrayRef<PositionRange> shard,
                          const RowPiece &piece) {
  Positions positions = sliceRows(shard, piece.first, piece.size);
  assert(positions.size() == 1 && "a piece lies within one range");
  return positions.front();
}

} // namespace

bool BlockPiece::isEmpty() const {
  return llvm::none_of(byRank, [](const auto &reach) { return reach; });
}

SmallVector<bool> BlockPiece::activeRanks() const {
  return llvm::map_to_vector(
      byRank, [](const auto &reach) { return reach.has_value(); });
}

std::optional<Reach> BlockPiece::commonReach() const {
  std::optional<Reach> common;
  for (const std::optional<Reach> &reach : byRank) {
    if (!reach)
      continue;
    if (common && !(*common == *reach))
      return std::nullopt;
    common = reach;
  }
  return common;
}

SmallVector<BlockPiece> cutBlock(const BlockGeometry &geometry) {
  // How many rows each range has is the same on every rank.
  SmallVector<std::pair<Positions, Positions>> positions;
  for (int64_t rank = 0; rank < geometry.ranks(); ++rank)
    positions.push_back(positionsOn(geometry, rank));

  SmallVector<BlockPiece> pieces;
  for (const RowPair &rows : cutSquares(positions, geometry.band))
    pieces.push_back({rows.queries, rows.keys, {}});
  for (BlockPiece &piece : pieces) {
    for (const auto &[queries, keys] : positions)
      piece.byRank.push_back(reachOf(positionsOf(queries, piece.queries),
                                     positionsOf(keys, piece.keys),
                                     geometry.band, geometry.limit));
    if (piece.queries.stride == piece.keys.stride)
      piece.queries.stride = piece.keys.stride = 1;
  }
  return pieces;
}

std::map<int64_t, SmallVector<bool>>
ranksByFirstRow(ArrayRef<BlockPiece> group, RowPiece BlockPiece::*side) {
  std::map<int64_t, SmallVector<bool>> ranksByRow;
  for (const BlockPiece &piece : group) {
    SmallVector<bool> &ranks = ranksByRow[(piece.*side).first];
    ranks.resize(piece.byRank.size(), false);
    for (auto [rank, active] : llvm::enumerate(piece.activeRanks()))
      ranks[rank] = ranks[rank] || active;
  }
  return ranksByRow;
}

/// Puts each piece to the first group that it can join.
static SmallVector<PieceGroup> groupGreedily(ArrayRef<BlockPiece> pieces) {
  SmallVector<PieceGroup> groups;
  auto joins = [](ArrayRef<BlockPiece> group, const BlockPiece &piece) {
    std::optional<Reach> reach = piece.commonReach();
    if (!reach || !(reach == group.front().commonReach()) ||
        !piece.queries.isSameShape(group.front().queries) ||
        !piece.keys.isSameShape(group.front().keys))
      return false;
    return llvm::all_of(group, [&](const BlockPiece &member) {
      return llvm::none_of(llvm::zip_equal(member.byRank, piece.byRank),
                           [](auto reaches) {
                             auto &[left, right] = reaches;
                             return left && right;
                           });
    });
  };
  for (const BlockPiece &piece : pieces) {
    if (piece.isEmpty())
      continue;
    auto *group = llvm::find_if(groups, [&](ArrayRef<BlockPiece> group) {
      return joins(group, piece);
    });
    if (group != groups.end())
      group->push_back(piece);
    else
      groups.push_back({piece});
  }
  return groups;
}

/// The piece once per reach that some rank has, for those ranks alone.
static SmallVector<BlockPiece> splitByReach(const BlockPiece &piece) {
  SmallVector<BlockPiece> split;
  for (auto [rank, reach] : llvm::enumerate(piece.byRank)) {
    if (!reach)
      continue;
    auto *same = llvm::find_if(split, [&reach = reach](const BlockPiece &part) {
      return part.commonReach() == reach;
    });
    if (same == split.end()) {
      BlockPiece part{piece.queries, piece.keys, {}};
      part.byRank.resize(piece.byRank.size());
      split.push_back(part);
      same = &split.back();
    }
    same->byRank[rank] = reach;
  }
  return split;
}

/// Queries of rank r against all keys, in as many pieces as there are ranks:
/// piece j is whole for r > j, a triangle for r = j. Once per piece with a mask
/// is P computations; the triangles, each on another rank, share one, and the
/// whole ones are P - 1: as many, and no mask. Striped keys, a triangle with or
/// without the diagonal, would take two: one with a mask is better.
SmallVector<PieceGroup> groupPieces(ArrayRef<BlockPiece> pieces) {
  SmallVector<BlockPiece> split;
  for (const BlockPiece &piece : pieces)
    llvm::append_range(split, splitByReach(piece));
  SmallVector<PieceGroup> masked = groupGreedily(pieces);
  SmallVector<PieceGroup> unmasked = groupGreedily(split);
  return unmasked.size() <= masked.size() ? unmasked : masked;
}

} // namespace mlir::ring
