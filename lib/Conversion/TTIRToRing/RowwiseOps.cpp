// SPDX-License-Identifier: Apache-2.0
// Ops that treat every row of a tensor alike.

#include "RowwiseOps.h"
#include "AttentionOperand.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

static bool isReshape(Operation *op) {
  return isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op);
}

/// The dimension of `from` that holds the same rows as `dim` of `to`, which has
/// the same numbers in the same order: as many numbers are before it and in it.
///
///   [2, 8, 64, 16] from [16, 64, 16]: dim 2 is dim 1, 16 rows of 64 before it
///
/// A single row may be any of several dimensions of 1; batches and heads most
/// often come before it.
static std::optional<int64_t>
dimBeforeReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to, int64_t dim) {
  int64_t wanted = ShapedType::getNumElements(to.take_front(dim)), before = 1;
  std::optional<int64_t> found;
  for (auto [index, size] : llvm::enumerate(from)) {
    if (before == wanted && size == to[dim])
      found = index;
    before *= size;
  }
  return found;
}

/// Where a slice begins and ends in one dimension, and its step.
static std::array<int64_t, 3> boundsOf(ttir::SliceStaticOp slice, int64_t dim) {
  int64_t size = typeOf(slice.getInput()).getDimSize(dim);
  auto at = [&](ArrayAttr numbers) {
    return cast<IntegerAttr>(numbers[dim]).getInt();
  };
  auto place = [&](int64_t number) {
    return number < 0 ? number + size : std::min(number, size);
  };
  return {place(at(slice.getBegins())), place(at(slice.getEnds())),
          at(slice.getStep())};
}

/// Which operand of a product or quotient is the tensor that the other, one
/// number, scales.
static std::optional<unsigned> scaledOperand(Operation *op) {
  if (!isa<ttir::MultiplyOp, ttir::DivOp>(op))
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    Value other = op->getOperand(1 - side);
    if (op->getOperand(side).getType() == op->getResult(0).getType() &&
        (typeOf(other).getNumElements() == 1 || uniformValue(other)) &&
        (side == 0 || isa<ttir::MultiplyOp>(op)))
      return side;
  }
  return std::nullopt;
}

/// The dimension of a one-operand op's input that `dim` of its result is.
static std::optional<int64_t> dimBefore(Operation *op, int64_t dim) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape(),
                    to = typeOf(op->getResult(0)).getShape();
  int64_t rank = to.size();
  auto fromEnd = [&](int64_t number) { return (number + rank) % rank; };
  if (isa<ttir::TypecastOp>(op))
    return dim;
  if (auto permute = dyn_cast<ttir::PermuteOp>(op))
    return permute.getPermutation()[dim];
  if (auto transpose = dyn_cast<ttir::TransposeOp>(op)) {
    int64_t first = fromEnd(transpose.getDim0()),
            second = fromEnd(transpose.getDim1());
    return dim == first ? second : dim == second ? first : dim;
  }
  if (isReshape(op))
    return dimBeforeReshape(from, to, dim);
  bool spreads = isa<ttir::BroadcastOp, ttir::RepeatOp>(op) &&
                 from.size() == to.size() && from[dim] == to[dim];
  if (auto repeat = dyn_cast<ttir::RepeatInterleaveOp>(op))
    spreads = fromEnd(repeat.getDim()) != dim;
  if (auto slice = dyn_cast<ttir::SliceStaticOp>(op)) {
    auto [begin, end, step] = boundsOf(slice, dim);
    spreads = begin == 0 && step == 1;
  }
  if (spreads)
    return dim;
  return std::nullopt;
}

std::optional<Rows> beforeRowwiseOp(Rows rows) {
  Operation *op = rows.tensor.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) {
                      auto tensor = dyn_cast<RankedTensorType>(type);
                      return tensor && tensor.hasStaticShape();
                    }) ||
      !typeOf(rows.tensor).hasStaticShape())
    return std::nullopt;
  if (std::optional<unsigned> side = scaledOperand(op))
    return Rows{op->getOperand(*side), rows.dim};
  if (op->getNumOperands() != 1)
    return std::nullopt;
  std::optional<int64_t> dim = dimBefore(op, rows.dim);
  if (!dim)
    return std::nullopt;
  return Rows{op->getOperand(0), *dim};
}

std::optional<Rows> behindRowwiseOp(Operation *user, Rows rows) {
  if (user->getNumResults() != 1 ||
      !isa<RankedTensorType>(user->getResult(0).getType()))
    return std::nullopt;
  for (int64_t dim = 0; dim < typeOf(user->getResult(0)).getRank(); ++dim) {
    Rows behind{user->getResult(0), dim};
    std::optional<Rows> before = beforeRowwiseOp(behind);
    if (before && before->tensor == rows.tensor && before->dim == rows.dim &&
        behind.size() == rows.size())
      return behind;
  }
  return std::nullopt;
}

/// Repeats the op that made `rows` on `input`, whose rows are all kept.
static Value repeatOp(OpBuilder &builder, Rows rows, Value input) {
  Operation *op = rows.tensor.getDefiningOp();
  Rows before = *beforeRowwiseOp(rows);
  int64_t count = typeOf(input).getDimSize(before.dim);
  RankedTensorType type = typeOf(rows.tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape[rows.dim] = count;
  // What only cut the rows has nothing left to do.
  if (isa<ttir::SliceStaticOp>(op) &&
      typeOf(input).getShape() == ArrayRef<int64_t>(shape))
    return input;
  if (isReshape(op))
    return TTIRBuilder(builder, op->getLoc()).reshape(input, shape);
  Operation *copy = builder.clone(*op);
  copy->getResult(0).setType(
      RankedTensorType::get(shape, type.getElementType()));
  if (std::optional<unsigned> side = scaledOperand(op)) {
    copy->setOperand(*side, input);
    Value other = op->getOperand(1 - *side);
    // A number that was written out for all rows.
    if (typeOf(other).getNumElements() != 1) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(copy);
      copy->setOperand(1 - *side,
                       TTIRBuilder(builder, op->getLoc())
                           .full(SmallVector<int64_t>(type.getRank(), 1),
                                 typeOf(other).getElementType(),
                                 static_cast<float>(*uniformValue(other))));
    }
    return copy->getResult(0);
  }
  copy->setOperand(0, input);
  if (auto slice = dyn_cast<ttir::SliceStaticOp>(copy)) {
    SmallVector<Attribute> ends(slice.getEnds().getValue());
    ends[rows.dim] = builder.getI32IntegerAttr(count);
    slice.setEndsAttr(builder.getArrayAttr(ends));
  }
  return copy->getResult(0);
}

std::optional<RowTrace>
RowTrace::find(Rows rows, llvm::function_ref<bool(Rows)> isSource) {
  RowTrace trace;
  std::optional<Rows> at = rows;
  for (; at && !isSource(*at); at = beforeRowwiseOp(*at))
    trace.made.push_back(*at);
  if (!at)
    return std::nullopt;
  trace.from = *at;
  std::reverse(trace.made.begin(), trace.made.end());
  return trace;
}

Value RowTrace::repeat(OpBuilder &builder, Value source) const {
  for (Rows step : made)
    source = repeatOp(builder, step, source);
  return source;
}

} // namespace mlir::ring
