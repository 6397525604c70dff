// SPDX-License-Identifier: Apache-2.0
// A block cut where its positions jump, and what each rank computes of each
// piece. Only arithmetic: no IR is written here.

#ifndef RING_LIB_TRANSFORMS_SPLITBLOCKS_BLOCKPIECES_H
#define RING_LIB_TRANSFORMS_SPLITBLOCKS_BLOCKPIECES_H

#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// Rows `[first, first + size)` of a shard whose positions are evenly spaced.
struct RowPiece {
  int64_t first;
  int64_t size;
  /// The distance of two neighbours, in the unit that `Reach` counts in.
  int64_t stride;

  bool isSameShape(const RowPiece &other) const {
    return size == other.size && stride == other.stride;
  }
};

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

/// Cuts the block of `op` and says what each rank computes of each piece. A
/// zigzag is cut into halves, and keys of several times the queries' rows into
/// as many pieces, for the device's kernel wants square blocks:
///
///                early keys   late keys
///   early queries     0           1
///   late queries      2           3
SmallVector<BlockPiece> cutBlock(PartialOp op);

/// Pieces that one computation serves: they have the same shape, and no rank
/// computes two of them.
using PieceGroup = SmallVector<BlockPiece>;

/// Shares out the pieces among as few computations as a greedy choice finds. A
/// piece of which ranks compute different amounts is either computed once, with
/// a mask that depends on the rank, or once per amount, without one: whichever
/// makes fewer computations of the whole block.
SmallVector<PieceGroup> groupPieces(ArrayRef<BlockPiece> pieces);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_SPLITBLOCKS_BLOCKPIECES_H
