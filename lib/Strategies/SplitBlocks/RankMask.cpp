// SPDX-License-Identifier: Apache-2.0
// Additive masks computed on the device from what its rank may reach.

#include "RankMask.h"
#include <limits>

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2, kColumns = 3;

/// One bound of a piece, for every rank; `unbounded` stands for "no limit".
class Bound {
public:
  Bound(const BlockPiece &piece, std::optional<int64_t> Reach::*field,
        int64_t unbounded) {
    // A rank that computes nothing may have the bound of one that does.
    std::optional<int64_t> any;
    for (const std::optional<Reach> &reach : piece.byRank)
      if (reach && !any)
        any = ((*reach).*field).value_or(unbounded);
    for (const std::optional<Reach> &reach : piece.byRank) {
      present |= reach && ((*reach).*field).has_value();
      byRank.push_back(reach ? ((*reach).*field).value_or(unbounded) : *any);
    }
  }

  bool isPresent() const { return present; }

  /// The bound times `sign`, as a tensor with one number.
  Value get(int64_t sign, OpBuilder &builder, Location loc,
            AxisAttr axis) const {
    if (!llvm::all_equal(byRank))
      return fromTable(sign, builder, loc, axis);
    return TTIRBuilder(builder, loc)
        .full({1, 1, 1, 1}, builder.getF32Type(), sign * byRank.front());
  }

private:
  /// The rank's own entry of a table that every device has. The table has an
  /// entry for every coordinate on the mesh axis, of which a sub-ring's ranks
  /// are a digit, in its first dimension: the last two are in tiles on a
  /// device, and are not cut finer than these.
  Value fromTable(int64_t sign, OpBuilder &builder, Location loc,
                  AxisAttr axis) const {
    int64_t coordinates = axis.getMesh()[axis.getIndex()];
    auto wholeAxis =
        AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh());
    SmallVector<float> entries;
    for (int64_t place = 0; place < coordinates; ++place)
      entries.push_back(sign *
                        byRank[axis.rankOf(wholeAxis.neighbour(0, place))]);
    auto type =
        RankedTensorType::get({coordinates, 1, 1, 1}, builder.getF32Type());
    Value table =
        TTIRBuilder(builder, loc)
            .constant(DenseElementsAttr::get(type, ArrayRef<float>(entries)));
    auto sharding = ShardingAttr::get(
        builder.getContext(),
        {axis.getIndex(), ShardingAttr::kReplicated, ShardingAttr::kReplicated,
         ShardingAttr::kReplicated},
        axis.getMesh(), std::nullopt, LayoutAttr());
    return ShardOp::create(
        builder, loc, RankedTensorType::get({1, 1, 1, 1}, builder.getF32Type()),
        table, sharding, /*replicated=*/true);
  }

  SmallVector<int64_t> byRank;
  bool present = false;
};

} // namespace

Value buildRankMask(OpBuilder &builder, Location loc, const BlockPiece &piece,
                    AxisAttr axis) {
  TTIRBuilder tensors(builder, loc);
  const RowPiece &queries = piece.queries, &keys = piece.keys;
  Bound before(piece, &Reach::before, (queries.size - 1) * queries.stride);
  Bound after(piece, &Reach::after, (keys.size - 1) * keys.stride);
  Bound real(piece, &Reach::real, keys.size);
  bool byRow = before.isPresent() || after.isPresent();
  SmallVector<int64_t> shape{1, 1, byRow ? queries.size : 1, keys.size};

  Value keep;
  auto require = [&](Value condition) {
    keep = keep ? tensors.multiply(keep, condition) : condition;
  };
  Value column = tensors.broadcast(
      tensors.arange(0, keys.size, keys.stride, kColumns), shape);
  auto spread = [&](Value value) { return tensors.broadcast(value, shape); };
  if (byRow) {
    Value row = spread(tensors.arange(0, queries.size, queries.stride, kRows));
    if (after.isPresent())
      require(tensors.lessEqual(
          column, tensors.add(row, spread(after.get(1, builder, loc, axis)))));
    if (before.isPresent())
      require(tensors.greaterEqual(
          column,
          tensors.add(row, spread(before.get(-1, builder, loc, axis)))));
  }
  if (real.isPresent()) {
    // Counted in rows, whatever the distance of two rows is.
    Value index = spread(tensors.arange(0, keys.size, 1, kColumns));
    require(tensors.lessThan(index, spread(real.get(1, builder, loc, axis))));
  }
  Value kept = tensors.full(shape, builder.getF32Type(), 0.0f);
  Value hidden = tensors.full(shape, builder.getF32Type(),
                              -std::numeric_limits<float>::infinity());
  return tensors.where(keep, kept, hidden);
}

} // namespace mlir::ring
