// SPDX-License-Identifier: Apache-2.0
// Every block becomes the same on every device.

#include "BackwardSplitter.h"
#include "PieceBuilder.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ring/Support/PositionsMask.h"

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2, kColumns = 3;

/// Output and log-sum-exp of some rows.
struct Part {
  Value output;
  Value lse;
};

/// One ring.partial on its way to partials without positions:
///
///   %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
///       block(<queries = zigzag, keys = zigzag, source = -1>)
/// becomes
///   %lo, %ll = ring.partial %q_late, %k_early, %v_early
///   %q_own = ring.select %q_late, %q_early where [ranks before the source]
///   %so, %sl = ring.partial %q_own, %k_own, %v_own
///   %early = ring.select %so, %empty where [ranks behind the source]
///   %late = ring.merge %lo, %ll with ring.select %so, %empty ...
///   %o = concat %early, %late
class BlockSplitter {
public:
  BlockSplitter(OpBuilder &builder, PartialOp op)
      : builder(builder), op(op), tensors(builder, op.getLoc()),
        pieces(builder, op.getLoc(),
               op.getBlockAttr() ? op.getBlockAttr().getRankAxis()
                                 : AxisAttr()) {}

  void run() {
    SmallVector<BlockPiece> cut = cutBlock(BlockGeometry(op));
    for (const BlockPiece &piece : cut)
      sums.insert({piece.queries.first, {piece.queries.size, std::nullopt}});
    for (const PieceGroup &group : groupPieces(cut))
      addGroup(group);

    SmallVector<Value> outputs, lses;
    for (auto &[first, sum] : sums) {
      Part part = sum.part ? *sum.part : empty(sum.rows);
      outputs.push_back(part.output);
      lses.push_back(part.lse);
    }
    op.getOutput().replaceAllUsesWith(tensors.concat(outputs, kRows));
    op.getLse().replaceAllUsesWith(tensors.concat(lses, kRows));
    op.erase();
  }

private:
  /// What has been computed of some rows of the result.
  struct RowSum {
    int64_t rows;
    std::optional<Part> part;
  };

  /// The type of a result with other rows.
  static RankedTensorType withRows(Value result, int64_t rows) {
    RankedTensorType type = TTIRBuilder::typeOf(result);
    SmallVector<int64_t> shape(type.getShape());
    shape[kRows] = rows;
    return RankedTensorType::get(shape, type.getElementType());
  }

  Part empty(int64_t rows) {
    auto part =
        EmptyOp::create(builder, op.getLoc(), withRows(op.getOutput(), rows),
                        withRows(op.getLse(), rows), /*sink=*/Value());
    return {part.getOutput(), part.getLse()};
  }

  Part computeGroup(ArrayRef<BlockPiece> group) {
    Value query = pieces.queryRows(op.getQuery(), group);
    Value key = pieces.keyRows(op.getKey(), group);
    HiddenKeys hidden = pieces.hide(op.getMask(), group);
    if (hidden.realKeys) {
      key = tensors.slice(key, kRows, 0, *hidden.realKeys);
      if (hidden.mask)
        hidden.mask = tensors.slice(hidden.mask, kColumns, 0, *hidden.realKeys);
    }
    Value value = pieces.valueRows(op.getKey(), op.getValue(), key, group);
    int64_t rows = group.front().queries.size;
    auto partial = PartialOp::create(
        builder, op.getLoc(), withRows(op.getOutput(), rows),
        withRows(op.getLse(), rows), query, key, value, hidden.mask,
        /*query_positions=*/Value(), /*key_positions=*/Value(), hidden.pattern,
        op.getScaleAttr(), /*length=*/IntegerAttr(),
        /*block=*/BlockAttr());
    return {partial.getOutput(), partial.getLse()};
  }

  /// Computes the group's part once and adds it to the rows it belongs to: on a
  /// rank that computes another piece, or none, it is the empty part.
  void addGroup(ArrayRef<BlockPiece> group) {
    Part part = computeGroup(group);
    for (auto &[first, ranks] : ranksByFirstRow(group, &BlockPiece::queries)) {
      Part own = part;
      if (!llvm::all_of(ranks, [](bool rank) { return rank; })) {
        Part none = empty(group.front().queries.size);
        own = {pieces.select(part.output, none.output, ranks),
               pieces.select(part.lse, none.lse, ranks)};
      }
      add(sums.at(first), own);
    }
  }

  void add(RowSum &sum, Part part) {
    if (!sum.part) {
      sum.part = part;
      return;
    }
    auto merged = MergeOp::create(builder, op.getLoc(), part.output.getType(),
                                  part.lse.getType(), sum.part->output,
                                  sum.part->lse, part.output, part.lse);
    sum.part = Part{merged.getOutput(), merged.getLse()};
  }

  OpBuilder &builder;
  PartialOp op;
  TTIRBuilder tensors;
  PieceBuilder pieces;
  /// By the first row of each piece of the queries.
  std::map<int64_t, RowSum> sums;
};

/// Rows that are listed by device, or stand where only the running program
/// knows, are the same on every device but for a mask, of which each computes
/// its own.
template <typename BlockOp>
LogicalResult maskListedRows(BlockOp op) {
  return MaskedBlock(op).needsMask() ? maskPositions(op) : success();
}

LogicalResult split(PartialOp op) {
  if (failed(maskListedRows(op)))
    return failure();
  if (op.getBlockAttr() && !op.getBlockAttr().getRankAxis() &&
      (op.getPatternAttr() || op.getLengthAttr()))
    return op.emitOpError("cannot be made the same on every device: expects "
                          "the ranks of a pattern or of padding on one mesh "
                          "axis, but got ")
           << op.getBlockAttr().getAxis() << " and "
           << op.getBlockAttr().getOuter();
  OpBuilder builder(op);
  BlockSplitter(builder, op).run();
  return success();
}

} // namespace

LogicalResult splitBlocks(Operation *scope) {
  SmallVector<PartialOp> partials;
  SmallVector<PartialBackwardOp> gradients;
  scope->walk([&](PartialOp op) { partials.push_back(op); });
  scope->walk([&](PartialBackwardOp op) { gradients.push_back(op); });
  for (PartialOp op : partials)
    if (failed(split(op)))
      return failure();
  for (PartialBackwardOp op : gradients) {
    if (failed(maskListedRows(op)))
      return failure();
    splitGradients(op);
  }
  return success();
}

} // namespace mlir::ring
