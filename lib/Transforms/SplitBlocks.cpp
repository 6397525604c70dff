// SPDX-License-Identifier: Apache-2.0
// ring-split-blocks: every block becomes the same on every device.

#include "SplitBlocks/RankMask.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

#include <map>

namespace mlir::ring {

#define GEN_PASS_DEF_RINGSPLITBLOCKS
#include "ring/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kRows = 2, kColumns = 3;

/// Output and log-sum-exp of some rows.
struct Part {
  Value output;
  Value lse;
};

/// What a partial is computed from.
struct BlockInputs {
  Value query, key, value, mask;
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
      : builder(builder), op(op), tensors(builder, op.getLoc()) {}

  void run() {
    SmallVector<BlockPiece> pieces = cutBlock(op);
    for (const BlockPiece &piece : pieces)
      sums.insert({piece.queries.first, {piece.queries.size, std::nullopt}});
    for (const PieceGroup &group : groupPieces(pieces))
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

  AxisAttr axis() {
    return op.getBlockAttr() ? op.getBlockAttr().getAxis() : AxisAttr();
  }

  Value select(Value onTrue, Value onFalse, ArrayRef<bool> ranks) {
    if (onTrue == onFalse ||
        llvm::all_of(ranks, [](bool rank) { return rank; }))
      return onTrue;
    return SelectOp::create(builder, op.getLoc(), onTrue.getType(), onTrue,
                            onFalse, ranks, axis());
  }

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

  BlockInputs inputsOf(const BlockPiece &piece) {
    auto rowsOf = [&](Value from, int64_t dim, const RowPiece &rows) {
      return tensors.slice(from, dim, rows.first, rows.first + rows.size);
    };
    Value mask = op.getMask();
    if (mask) {
      mask = rowsOf(mask, kColumns, piece.keys);
      if (TTIRBuilder::typeOf(mask).getDimSize(kRows) != 1)
        mask = rowsOf(mask, kRows, piece.queries);
    }
    return {rowsOf(op.getQuery(), kRows, piece.queries),
            rowsOf(op.getKey(), kRows, piece.keys),
            rowsOf(op.getValue(), kRows, piece.keys), mask};
  }

  /// What every rank computes the group's part from: its own piece's inputs.
  BlockInputs inputsOf(ArrayRef<BlockPiece> group) {
    BlockInputs inputs = inputsOf(group.front());
    for (const BlockPiece &piece : group.drop_front()) {
      BlockInputs own = inputsOf(piece);
      SmallVector<bool> ranks = piece.activeRanks();
      auto choose = [&](Value &common, Value other, bool same) {
        if (common && !same)
          common = select(other, common, ranks);
      };
      bool sameQueries = piece.queries.first == group.front().queries.first;
      bool sameKeys = piece.keys.first == group.front().keys.first;
      choose(inputs.query, own.query, sameQueries);
      choose(inputs.key, own.key, sameKeys);
      choose(inputs.value, own.value, sameKeys);
      choose(inputs.mask, own.mask, sameQueries && sameKeys);
    }
    return inputs;
  }

  /// Both masks together; `own` may be missing.
  Value joinMasks(Value own, Value added) {
    if (!own)
      return added;
    SmallVector<int64_t> shape(TTIRBuilder::typeOf(own).getShape());
    shape[kRows] =
        std::max(shape[kRows], TTIRBuilder::typeOf(added).getDimSize(kRows));
    return tensors.add(
        tensors.broadcast(tensors.typecast(own, builder.getF32Type()), shape),
        tensors.broadcast(added, shape));
  }

  /// The pattern of a reach that is the same on all ranks and counts in rows.
  PatternAttrInterface patternOf(const Reach &reach, const BlockPiece &piece) {
    MLIRContext *context = op.getContext();
    if (!reach.before && !reach.after)
      return {};
    if (!reach.before && *reach.after == 0)
      return CausalAttr::get(context);
    return WindowAttr::get(context,
                           reach.before.value_or(piece.queries.size - 1),
                           reach.after.value_or(piece.keys.size - 1));
  }

  Part computeGroup(ArrayRef<BlockPiece> group) {
    BlockInputs inputs = inputsOf(group);
    const BlockPiece &piece = group.front();
    PatternAttrInterface pattern;
    std::optional<Reach> reach = piece.commonReach();
    bool inRows = piece.queries.stride == piece.keys.stride;
    bool needsMask = !reach || (!inRows && !reach->isWhole());
    if (!needsMask) {
      pattern = patternOf(*reach, piece);
      if (reach->real && piece.queries.size == piece.keys.size) {
        // A square block stays square, which the device's kernel asks for.
        BlockPiece padding = piece;
        for (std::optional<Reach> &entry : padding.byRank)
          if (entry)
            entry->before = entry->after = std::nullopt;
        inputs.mask = joinMasks(
            inputs.mask, buildRankMask(builder, op.getLoc(), padding, axis()));
      } else if (reach->real) {
        inputs.key = tensors.slice(inputs.key, kRows, 0, *reach->real);
        inputs.value = tensors.slice(inputs.value, kRows, 0, *reach->real);
        if (inputs.mask)
          inputs.mask = tensors.slice(inputs.mask, kColumns, 0, *reach->real);
      }
    } else {
      inputs.mask = joinMasks(
          inputs.mask, buildRankMask(builder, op.getLoc(), piece, axis()));
    }
    auto partial = PartialOp::create(
        builder, op.getLoc(), withRows(op.getOutput(), piece.queries.size),
        withRows(op.getLse(), piece.queries.size), inputs.query, inputs.key,
        inputs.value, inputs.mask, pattern, op.getScaleAttr(),
        /*length=*/IntegerAttr(), /*block=*/BlockAttr());
    return {partial.getOutput(), partial.getLse()};
  }

  /// Computes the group's part once and adds it to the rows it belongs to: on a
  /// rank that computes another piece, or none, it is the empty part.
  void addGroup(ArrayRef<BlockPiece> group) {
    Part part = computeGroup(group);
    std::map<int64_t, SmallVector<bool>> ranksByRows;
    for (const BlockPiece &piece : group) {
      SmallVector<bool> &ranks = ranksByRows[piece.queries.first];
      ranks.resize(piece.byRank.size(), false);
      for (auto [rank, active] : llvm::enumerate(piece.activeRanks()))
        ranks[rank] = ranks[rank] || active;
    }
    for (auto &[first, ranks] : ranksByRows) {
      Part own = part;
      if (!llvm::all_of(ranks, [](bool rank) { return rank; })) {
        Part none = empty(group.front().queries.size);
        own = {select(part.output, none.output, ranks),
               select(part.lse, none.lse, ranks)};
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
  /// By the first row of each piece of the queries.
  std::map<int64_t, RowSum> sums;
};

class RingSplitBlocksPass
    : public impl::RingSplitBlocksBase<RingSplitBlocksPass> {
public:
  using RingSplitBlocksBase::RingSplitBlocksBase;

  void runOnOperation() override {
    SmallVector<PartialOp> partials;
    getOperation().walk([&](PartialOp op) {
      if (op.getBlockAttr() || op.getLengthAttr())
        partials.push_back(op);
    });
    for (PartialOp op : partials) {
      if (op.getBlockAttr() && op.getBlockAttr().getKeyPlaces()) {
        op.emitOpError("cannot be made the same on every device: expects rows "
                       "that a layout deals, but got rows listed by device");
        return signalPassFailure();
      }
      OpBuilder builder(op);
      BlockSplitter(builder, op).run();
    }
  }
};

} // namespace
} // namespace mlir::ring
