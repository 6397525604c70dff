// SPDX-License-Identifier: Apache-2.0
// A softmax in the spellings that models have for it.

#include "SoftmaxParts.h"
#include "AttentionOperand.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

/// `beforeBroadcast`, with the ops on the way added to `parts`.
static Value traceBroadcast(Value value, AttentionParts &parts) {
  Value before = beforeBroadcast(value);
  for (; value != before; value = value.getDefiningOp()->getOperand(0))
    parts.insert(value.getDefiningOp());
  return before;
}

/// Whether a reduction, by its attributes, is over the last dimension alone.
static bool reducesLast(Operation *op) {
  auto dims = op->getAttrOfType<ArrayAttr>("dim_arg");
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!dims || dims.size() != 1 || !type)
    return false;
  auto dim = dyn_cast<IntegerAttr>(dims[0]);
  return dim && (dim.getInt() == -1 || dim.getInt() == type.getRank() - 1);
}

/// What a maximum with -inf, which changes nothing, was taken of: JAX writes
/// one behind the largest number of each row.
static Value beforeFloor(Value value, AttentionParts &parts) {
  auto larger = value.getDefiningOp<ttir::MaximumOp>();
  if (!larger)
    return value;
  for (auto [number, other] : {std::pair(larger.getLhs(), larger.getRhs()),
                               {larger.getRhs(), larger.getLhs()}})
    if (uniformValue(number) == -INFINITY &&
        other.getType() == larger.getType()) {
      parts.insert(larger);
      return traceBroadcast(other, parts);
    }
  return value;
}

/// The reduction over the rows of `tensor` that `value` is, one number for each
/// row, spread over the row or not.
template <typename OpT>
static OpT rowReduction(Value value, Value tensor, AttentionParts &parts) {
  SmallVector<int64_t> column(TTIRBuilder::typeOf(tensor).getShape());
  column.back() = 1;
  AttentionParts found;
  Value narrow = value;
  while (auto broadcast = narrow.getDefiningOp<ttir::BroadcastOp>())
    narrow = broadcast.getInput();
  if (TTIRBuilder::typeOf(narrow).getShape() != ArrayRef<int64_t>(column))
    return {};
  Value reduced = beforeFloor(traceBroadcast(value, found), found);
  auto reduction = reduced.template getDefiningOp<OpT>();
  if (!reduction || reduction.getInput() != tensor || !reducesLast(reduction))
    return {};
  found.insert(reduction);
  parts.insert(found.begin(), found.end());
  return reduction;
}

/// What each row's largest number was taken from, if `scores` are such: no
/// softmax depends on it.
static Value beforeShift(Value scores, AttentionParts &parts) {
  auto shifted = scores.getDefiningOp<ttir::SubtractOp>();
  if (!shifted || shifted.getLhs().getType() != shifted.getType() ||
      !rowReduction<ttir::MaxOp>(shifted.getRhs(), shifted.getLhs(), parts))
    return scores;
  parts.insert(shifted);
  return shifted.getLhs();
}

std::optional<SoftmaxParts> readSoftmax(Operation *end, AttentionParts &parts) {
  if (auto softmax = dyn_cast<ttir::SoftmaxOp>(end)) {
    int64_t rank = TTIRBuilder::typeOf(softmax.getInput()).getRank();
    if ((softmax.getDimension() + rank) % rank != rank - 1)
      return std::nullopt;
    parts.insert(end);
    return SoftmaxParts{beforeShift(softmax.getInput(), parts),
                        softmax.getResult()};
  }
  auto division = dyn_cast<ttir::DivOp>(end);
  if (!division)
    return std::nullopt;
  auto exp = division.getLhs().getDefiningOp<ttir::ExpOp>();
  if (!exp || TTIRBuilder::typeOf(exp.getInput()).getRank() == 0 ||
      !rowReduction<ttir::SumOp>(division.getRhs(), exp.getResult(), parts))
    return std::nullopt;
  parts.insert(end);
  parts.insert(exp);
  return SoftmaxParts{beforeShift(exp.getInput(), parts), division.getResult()};
}

bool asksForMaskedRows(Value condition, bool masked, Value scores,
                       AttentionParts &parts) {
  AttentionParts found;
  auto producer = [&](Value value) {
    Operation *op = traceBroadcast(value, found).getDefiningOp();
    if (op)
      found.insert(op);
    return op;
  };
  Operation *op = producer(condition);
  if (isa_and_nonnull<ttir::LogicalNotOp>(op)) {
    masked = !masked;
    op = producer(op->getOperand(0));
  }
  // all(scores == -inf) says that a row is masked, any(not(scores == -inf))
  // that it is not.
  StringRef wanted = masked ? "ttir.reduce_and" : "ttir.reduce_or";
  if (!op || op->getName().getStringRef() != wanted || !reducesLast(op))
    return false;
  op = producer(op->getOperand(0));
  if (!masked) {
    if (!isa_and_nonnull<ttir::LogicalNotOp>(op))
      return false;
    op = producer(op->getOperand(0));
  }
  if (!op || !isa<ttir::EqualOp>(op) ||
      uniformValue(op->getOperand(1)) != -INFINITY ||
      traceBroadcast(op->getOperand(0), found) != beforeBroadcast(scores))
    return false;
  parts.insert(found.begin(), found.end());
  return true;
}

} // namespace mlir::ring
