// SPDX-License-Identifier: Apache-2.0
// A block cut where its positions jump, and what each rank computes of each
// piece.

#include "BlockPieces.h"
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

/// More pieces than this make more overhead than square blocks save.
constexpr int64_t kMostPieces = 64;

/// `positions` in pieces of `rows` rows, if each of them divides into such and
/// they do not become too many; else as they are.
Positions cutInto(ArrayRef<PositionRange> positions, int64_t rows) {
  Positions pieces;
  for (const PositionRange &range : positions) {
    if (range.size % rows != 0 || range.size / rows > kMostPieces)
      return Positions(positions);
    for (int64_t first = 0; first < range.size; first += rows)
      pieces.push_back(
          {range.begin + first * range.stride, rows, range.stride});
  }
  return pieces;
}

/// The rows of each range of `positions`.
SmallVector<RowPiece> piecesOf(ArrayRef<PositionRange> positions) {
  SmallVector<RowPiece> pieces;
  int64_t first = 0;
  for (const PositionRange &range : positions) {
    pieces.push_back({first, range.size, range.stride});
    first += range.size;
  }
  return pieces;
}

/// The positions of the block's rows on the device of rank `rank`.
std::pair<Positions, Positions> positionsOn(PartialOp op, int64_t rank) {
  int64_t queryRows = op.getQuery().getType().getDimSize(2);
  int64_t keyRows = op.getKey().getType().getDimSize(2);
  BlockAttr block = op.getBlockAttr();
  if (!block)
    return {{{0, queryRows}}, {{0, keyRows}}};
  int64_t device = block.getAxis().neighbour(0, rank);
  Positions queries = block.queriesOn(device, queryRows);
  Positions keys = block.keysOn(device, keyRows);
  // Where only padding matters, it does not matter which queries meet it, and
  // where nothing does, not even which keys.
  if (!op.getPatternAttr()) {
    queries = {{0, queryRows}};
    if (!op.getLengthAttr())
      keys = {{0, keyRows}};
    else if (keys.size() > 1)
      queries = cutInto(queries, keys.front().size);
  }
  return {queries, cutInto(keys, queries.front().size)};
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

SmallVector<BlockPiece> cutBlock(PartialOp op) {
  int64_t ranks =
      op.getBlockAttr() ? op.getBlockAttr().getAxis().getRanks() : 1;
  std::optional<int64_t> limit;
  if (op.getLengthAttr())
    limit = op.getLengthAttr().getInt();
  Band band = op.getBand();

  // How many rows each range has is the same on every rank.
  auto [firstQueries, firstKeys] = positionsOn(op, 0);
  SmallVector<RowPiece> queryPieces = piecesOf(firstQueries);
  SmallVector<RowPiece> keyPieces = piecesOf(firstKeys);
  SmallVector<BlockPiece> pieces;
  for (const RowPiece &queries : queryPieces)
    for (const RowPiece &keys : keyPieces) {
      pieces.push_back({queries, keys, {}});
      if (queries.stride == keys.stride)
        pieces.back().queries.stride = pieces.back().keys.stride = 1;
    }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    auto [queries, keys] = positionsOn(op, rank);
    auto *piece = pieces.begin();
    for (const PositionRange &queryRange : queries)
      for (const PositionRange &keyRange : keys)
        (piece++)->byRank.push_back(reachOf(queryRange, keyRange, band, limit));
  }
  return pieces;
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
