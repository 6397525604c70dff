// SPDX-License-Identifier: Apache-2.0
// What every rank computes a group of pieces from, for blocks of both
// directions: its own rows, and what hides keys from queries.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_PIECEBUILDER_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_PIECEBUILDER_H

#include "BlockPieces.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// Which keys of a group's computation count, the same on every device.
struct HiddenKeys {
  PatternAttrInterface pattern;
  /// Additive; absent where the pattern says it all.
  Value mask;
  /// All keys from this row on are padding, on every rank.
  std::optional<int64_t> realKeys;
};

class PieceBuilder {
public:
  /// `axis` may be null where all ranks are alike.
  PieceBuilder(OpBuilder &builder, Location loc, AxisAttr axis)
      : builder(builder), loc(loc), axis(axis), tensors(builder, loc) {}

  /// `onTrue` on the ranks whose entry is true, else `onFalse`.
  Value select(Value onTrue, Value onFalse, ArrayRef<bool> ranks);

  /// Of a tensor with one row per query, or per key, the rows of the piece that
  /// a rank computes.
  Value queryRows(Value tensor, ArrayRef<BlockPiece> group);
  Value keyRows(Value tensor, ArrayRef<BlockPiece> group);
  /// The values of a piece of the keys, as many rows as that has: out of the
  /// piece where they are columns of the keys, so that nothing is chosen twice.
  Value valueRows(Value key, Value value, Value keyPiece,
                  ArrayRef<BlockPiece> group);

  /// `mask` is the block's own and may be missing.
  HiddenKeys hide(Value mask, ArrayRef<BlockPiece> group);

private:
  using RowsOfPiece = llvm::function_ref<Value(const BlockPiece &)>;
  Value chooseByRank(ArrayRef<BlockPiece> group, RowsOfPiece rows,
                     llvm::function_ref<bool(const BlockPiece &)> isSame);
  Value maskRows(Value mask, ArrayRef<BlockPiece> group);
  Value joinMasks(Value own, Value added);
  PatternAttrInterface patternOf(const Reach &reach, const BlockPiece &piece);

  OpBuilder &builder;
  Location loc;
  AxisAttr axis;
  TTIRBuilder tensors;
};

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_PIECEBUILDER_H
