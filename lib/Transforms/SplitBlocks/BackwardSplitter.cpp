// SPDX-License-Identifier: Apache-2.0
// Gradients of a block as gradients of pieces that are the same on every
// device.

#include "BackwardSplitter.h"
#include "PieceBuilder.h"

#include <set>

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2;

/// The gradient of some rows, in parts that cover some of them each. Parts
/// simply add up, since all of them know the final log-sum-exp.
class GradientRows {
public:
  explicit GradientRows(RankedTensorType type) : type(type) {}

  void add(int64_t first, Value part) {
    parts.push_back({first, part});
    cuts.insert(first);
    cuts.insert(first + TTIRBuilder::typeOf(part).getDimSize(kRows));
  }

  /// The sum of all parts. Rows 0 to 63 and 0 to 31: the sum of both up to 31,
  /// then what the first says.
  Value sum(TTIRBuilder &tensors) {
    cuts.insert(0);
    cuts.insert(type.getDimSize(kRows));
    SmallVector<Value> rows;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut)
      rows.push_back(sumOf(*cut, *std::next(cut), tensors));
    return tensors.concat(rows, kRows);
  }

private:
  struct Part {
    int64_t first;
    Value gradient;

    int64_t end() const {
      return first + TTIRBuilder::typeOf(gradient).getDimSize(kRows);
    }
  };

  /// No part begins or ends between `begin` and `end`.
  Value sumOf(int64_t begin, int64_t end, TTIRBuilder &tensors) {
    Value sum;
    for (const Part &part : parts) {
      if (part.first > begin || part.end() < end)
        continue;
      Value rows = tensors.slice(part.gradient, kRows, begin - part.first,
                                 end - part.first);
      sum = sum ? tensors.add(sum, rows) : rows;
    }
    if (sum)
      return sum;
    SmallVector<int64_t> shape(type.getShape());
    shape[kRows] = end - begin;
    return tensors.full(shape, type.getElementType(), 0.0f);
  }

  RankedTensorType type;
  SmallVector<Part> parts;
  std::set<int64_t> cuts;
};

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
        gradQuery(op.getGradQuery().getType()),
        gradKey(op.getGradKey().getType()),
        gradValue(op.getGradValue().getType()) {}

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
    auto keyRows = [&](Value tensor) { return pieces.keyRows(tensor, group); };
    auto like = [](Value tensor) {
      RankedTensorType type = TTIRBuilder::typeOf(tensor);
      return RankedTensorType::get(type.getShape(),
                                   Float32Type::get(type.getContext()));
    };
    Value query = queryRows(op.getQuery()), key = keyRows(op.getKey()),
          value = keyRows(op.getValue());
    HiddenKeys hidden = pieces.hide(op.getMask(), group);
    int64_t keys = group.front().keys.size;
    int64_t real = hidden.realKeys.value_or(keys);
    auto realOf = [&](Value tensor, int64_t dim) {
      return tensor ? tensors.slice(tensor, dim, 0, real) : tensor;
    };
    key = realOf(key, kRows);
    value = realOf(value, kRows);
    auto partial = PartialBackwardOp::create(
        builder, op.getLoc(), like(query), like(key), like(value),
        queryRows(op.getGradOutput()), queryRows(op.getOutput()),
        queryRows(op.getLse()), query, key, value, realOf(hidden.mask, 3),
        hidden.pattern, op.getScaleAttr(), /*length=*/IntegerAttr(),
        /*block=*/BlockAttr());
    add(gradQuery, partial.getGradQuery(), group, &BlockPiece::queries);
    add(gradKey, partial.getGradKey(), group, &BlockPiece::keys);
    add(gradValue, partial.getGradValue(), group, &BlockPiece::keys);
  }

  /// Adds a group's gradient to each of the pieces' rows, on the ranks that
  /// have computed it for those.
  void add(GradientRows &sum, Value gradient, ArrayRef<BlockPiece> group,
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
  GradientRows gradQuery, gradKey, gradValue;
};

} // namespace

void splitGradients(PartialBackwardOp op) {
  OpBuilder builder(op);
  BackwardSplitter(builder, op).run();
}

} // namespace mlir::ring
