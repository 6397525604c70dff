// SPDX-License-Identifier: Apache-2.0
// A block cut where its positions jump, and what each rank computes of each
// piece. Only arithmetic: no IR is written here.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_BLOCKPIECES_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_BLOCKPIECES_H

#include "RowPiece.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <map>

namespace mlir::ring {

/// Which keys of a piece one rank attends to: query row `a` sees key row `b` if
///
///   b * keyStride >= a * queryStride - before
///   b * keyStride <= a * queryStride + after
///   b < real
///
/// A bound that every pair keeps is left out, so that equal reaches compare
/// equal.
struct Reach {
  std::optional<int64_t> before;
  std::optional<int64_t> after;
  std::optional<int64_t> real;

  bool isWhole() const { return !before && !after && !real; }
  bool operator==(const Reach &other) const {
    return before == other.before && after == other.after && real == other.real;
  }
};

/// A piece of the queries against a piece of the keys.
struct BlockPiece {
  RowPiece queries;
  RowPiece keys;
  /// One entry per rank; nothing where the rank has nothing to compute.
  SmallVector<std::optional<Reach>> byRank;

  bool isEmpty() const;
  /// The ranks that compute something.
  SmallVector<bool> activeRanks() const;
  /// What all active ranks compute, if it is the same.
  std::optional<Reach> commonReach() const;
};

/// The rows of a block of either direction, and where they stand.
struct BlockGeometry {
  int64_t queryRows, keyRows;
  /// Null where rows count from 0 on both sides.
  BlockAttr block;
  bool hasPattern;
  Band band;
  /// Keys from this position on are padding.
  std::optional<int64_t> limit;

  /// The geometry of a ring.partial or a ring.partial_backward.
  template <typename BlockOp>
  explicit BlockGeometry(BlockOp op)
      : queryRows(op.getQuery().getType().getDimSize(2)),
        keyRows(op.getKey().getType().getDimSize(2)), block(op.getBlockAttr()),
        hasPattern(static_cast<bool>(op.getPatternAttr())), band(op.getBand()) {
    if (op.getLengthAttr())
      limit = op.getLengthAttr().getInt();
  }

  int64_t ranks() const { return block ? block.getRanks() : 1; }
};

/// Cuts a block and says what each rank computes of each piece. A zigzag is cut
/// into halves:
///
///                early keys   late keys
///   early queries     0           1
///   late queries      2           3
///
/// The device's kernel wants square blocks, so what is longer is cut into
/// pieces as long as the other (SquareCuts.h). Every query is in the queries of
/// at least one piece; keys that no rank attends to may be in none.
SmallVector<BlockPiece> cutBlock(const BlockGeometry &geometry);

/// Pieces that one computation serves: they have the same shape, and no rank
/// computes two of them.
using PieceGroup = SmallVector<BlockPiece>;

/// By the first row of a side's pieces, which ranks compute one of them.
std::map<int64_t, SmallVector<bool>>
ranksByFirstRow(ArrayRef<BlockPiece> group, RowPiece BlockPiece::*side);

/// Shares out the pieces among as few computations as a greedy choice finds. A
/// piece of which ranks compute different amounts is either computed once, with
/// a mask that depends on the rank, or once per amount, without one: whichever
/// makes fewer computations of the whole block.
SmallVector<PieceGroup> groupPieces(ArrayRef<BlockPiece> pieces);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_BLOCKPIECES_H
