// SPDX-License-Identifier: Apache-2.0
// What every rank computes a group of pieces from.

#include "PieceBuilder.h"
#include "RankMask.h"
#include "ring/Analysis/AttentionTraits.h"

namespace mlir::ring {

static constexpr int64_t kRows = 2, kColumns = 3;

Value PieceBuilder::select(Value onTrue, Value onFalse, ArrayRef<bool> ranks) {
  if (onTrue == onFalse || llvm::all_of(ranks, [](bool rank) { return rank; }))
    return onTrue;
  return SelectOp::create(builder, loc, onTrue.getType(), onTrue, onFalse,
                          ranks, axis);
}

/// The first piece's rows, replaced on the ranks that compute another piece.
Value PieceBuilder::chooseByRank(
    ArrayRef<BlockPiece> group, RowsOfPiece rows,
    llvm::function_ref<bool(const BlockPiece &)> isSame) {
  Value chosen = rows(group.front());
  for (const BlockPiece &piece : group.drop_front())
    if (!isSame(piece))
      chosen = select(rows(piece), chosen, piece.activeRanks());
  return chosen;
}

static Value rowsOf(TTIRBuilder &tensors, Value from, int64_t dim,
                    const RowPiece &rows) {
  return tensors.slice(from, dim, rows.first, rows.first + rows.size);
}

Value PieceBuilder::queryRows(Value tensor, ArrayRef<BlockPiece> group) {
  return chooseByRank(
      group,
      [&](const BlockPiece &piece) {
        return rowsOf(tensors, tensor, kRows, piece.queries);
      },
      [&](const BlockPiece &piece) {
        return piece.queries.first == group.front().queries.first;
      });
}

Value PieceBuilder::keyRows(Value tensor, ArrayRef<BlockPiece> group) {
  return chooseByRank(
      group,
      [&](const BlockPiece &piece) {
        return rowsOf(tensors, tensor, kRows, piece.keys);
      },
      [&](const BlockPiece &piece) {
        return piece.keys.first == group.front().keys.first;
      });
}

Value PieceBuilder::valueRows(Value key, Value value, Value keyPiece,
                              ArrayRef<BlockPiece> group) {
  if (areColumnsOf(value, key))
    return tensors.slice(keyPiece, kColumns, 0,
                         TTIRBuilder::typeOf(value).getDimSize(kColumns));
  return tensors.slice(keyRows(value, group), kRows, 0,
                       TTIRBuilder::typeOf(keyPiece).getDimSize(kRows));
}

Value PieceBuilder::maskRows(Value mask, ArrayRef<BlockPiece> group) {
  return chooseByRank(
      group,
      [&](const BlockPiece &piece) {
        Value columns = rowsOf(tensors, mask, kColumns, piece.keys);
        if (TTIRBuilder::typeOf(mask).getDimSize(kRows) == 1)
          return columns;
        return rowsOf(tensors, columns, kRows, piece.queries);
      },
      [&](const BlockPiece &piece) {
        return piece.queries.first == group.front().queries.first &&
               piece.keys.first == group.front().keys.first;
      });
}

/// Both masks together; `own` may be missing.
Value PieceBuilder::joinMasks(Value own, Value added) {
  if (!own)
    return added;
  SmallVector<int64_t> shape(TTIRBuilder::typeOf(own).getShape());
  shape[kRows] =
      std::max(shape[kRows], TTIRBuilder::typeOf(added).getDimSize(kRows));
  own = tensors.broadcast(tensors.typecast(own, builder.getF32Type()), shape);
  return tensors.add(own, tensors.broadcast(added, shape));
}

/// The pattern of a reach that is the same on all ranks and counts in rows.
PatternAttrInterface PieceBuilder::patternOf(const Reach &reach,
                                             const BlockPiece &piece) {
  MLIRContext *context = builder.getContext();
  if (!reach.before && !reach.after)
    return {};
  if (!reach.before && *reach.after == 0)
    return CausalAttr::get(context);
  return WindowAttr::get(context, reach.before.value_or(piece.queries.size - 1),
                         reach.after.value_or(piece.keys.size - 1));
}

HiddenKeys PieceBuilder::hide(Value mask, ArrayRef<BlockPiece> group) {
  const BlockPiece &piece = group.front();
  HiddenKeys hidden;
  if (mask)
    hidden.mask = maskRows(mask, group);
  std::optional<Reach> reach = piece.commonReach();
  bool inRows = piece.queries.stride == piece.keys.stride;
  if (!reach || (!inRows && !reach->isWhole())) {
    hidden.mask =
        joinMasks(hidden.mask, buildRankMask(builder, loc, piece, axis));
    return hidden;
  }
  hidden.pattern = patternOf(*reach, piece);
  hidden.realKeys = reach->real;
  if (reach->real && piece.queries.size == piece.keys.size) {
    // A square block stays square, which the device's kernel asks for.
    BlockPiece padding = piece;
    for (std::optional<Reach> &entry : padding.byRank)
      if (entry)
        entry->before = entry->after = std::nullopt;
    hidden.realKeys = std::nullopt;
    hidden.mask =
        joinMasks(hidden.mask, buildRankMask(builder, loc, padding, axis));
  }
  return hidden;
}

} // namespace mlir::ring
