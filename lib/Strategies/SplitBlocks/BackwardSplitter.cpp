// SPDX-License-Identifier: Apache-2.0
// Gradients of a block as gradients of pieces that are the same on every
// device.

#include "BackwardSplitter.h"
#include "PieceBuilder.h"
#include "ring/Support/GradientSum.h"

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2;

/// One ring.partial_backward on its way to those without positions. As for the
/// block itself, pieces that no rank computes two of share one computation,
/// whose gradients then count for the rows that the rank has computed:
///
///   %dq, %dk, %dv = ring.partial_backward of the rows chosen by rank
///   %dq_early = ring.select %dq, %zeros where [ranks with the early queries]
class BackwardSplitter {
public:
  BackwardSplitter(OpBuilder &builder, PartialBackwardOp op)
      : builder(builder), op(op), tensors(builder, op.getLoc()),
        pieces(builder, op.getLoc(),
               op.getBlockAttr() ? op.getBlockAttr().getAxis() : AxisAttr()),
        gradQuery(op.getGradQuery().getType(), kRows),
        gradKey(op.getGradKey().getType(), kRows),
        gradValue(op.getGradValue().getType(), kRows) {}

  void run() {
    for (const PieceGroup &group : groupPieces(cutBlock(BlockGeometry(op))))
      addGroup(group);
    op.getGradQuery().replaceAllUsesWith(gradQuery.sum(tensors));
    op.getGradKey().replaceAllUsesWith(gradKey.sum(tensors));
    op.getGradValue().replaceAllUsesWith(gradValue.sum(tensors));
    op.erase();
  }

private:
  void addGroup(ArrayRef<BlockPiece> group) {
    auto queryRows = [&](Value tensor) {
      return pieces.queryRows(tensor, group);
    };
    auto like = [](Value tensor) {
      RankedTensorType type = TTIRBuilder::typeOf(tensor);
      return RankedTensorType::get(type.getShape(),
                                   Float32Type::get(type.getContext()));
    };
    Value query = queryRows(op.getQuery()),
          key = pieces.keyRows(op.getKey(), group);
    HiddenKeys hidden = pieces.hide(op.getMask(), group);
    int64_t keys = group.front().keys.size;
    int64_t real = hidden.realKeys.value_or(keys);
    auto realOf = [&](Value tensor, int64_t dim) {
      return tensor ? tensors.slice(tensor, dim, 0, real) : tensor;
    };
    key = realOf(key, kRows);
    Value value = pieces.valueRows(op.getKey(), op.getValue(), key, group);
    auto partial = PartialBackwardOp::create(
        builder, op.getLoc(), like(query), like(key), like(value),
        queryRows(op.getGradOutput()), queryRows(op.getOutput()),
        queryRows(op.getLse()), query, key, value, realOf(hidden.mask, 3),
        /*query_positions=*/Value(), /*key_positions=*/Value(), hidden.pattern,
        op.getScaleAttr(), /*length=*/IntegerAttr(),
        /*block=*/BlockAttr());
    add(gradQuery, partial.getGradQuery(), group, &BlockPiece::queries);
    add(gradKey, partial.getGradKey(), group, &BlockPiece::keys);
    add(gradValue, partial.getGradValue(), group, &BlockPiece::keys);
  }

  /// Adds a group's gradient to each of the pieces' rows, on the ranks that
  /// have computed it for those.
  void add(GradientSum &sum, Value gradient, ArrayRef<BlockPiece> group,
           RowPiece BlockPiece::*side) {
    RankedTensorType type = TTIRBuilder::typeOf(gradient);
    for (auto &[first, ranks] : ranksByFirstRow(group, side)) {
      Value own = gradient;
      if (!llvm::all_of(ranks, [](bool rank) { return rank; }))
        own = pieces.select(
            gradient,
            tensors.full(type.getShape(), type.getElementType(), 0.0f), ranks);
      sum.add(first, own);
    }
  }

  OpBuilder &builder;
  PartialBackwardOp op;
  TTIRBuilder tensors;
  PieceBuilder pieces;
  GradientSum gradQuery, gradKey, gradValue;
};

} // namespace

void splitGradients(PartialBackwardOp op) {
  OpBuilder builder(op);
  BackwardSplitter(builder, op).run();
}

} // namespace mlir::ring
