// SPDX-License-Identifier: Apache-2.0
// What a model adds to its scores, or puts in their place, before the softmax.

#include "ScoreMask.h"
#include "AttentionOperand.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

bool dropsScore(double score) { return score <= -1.0e4; }

/// The mask's own shape, in four dimensions; empty if it has none.
SmallVector<int64_t> ScoreMask::shape(const ScoreSizes &sizes) const {
  SmallVector<int64_t> own(TTIRBuilder::typeOf(tensor).getShape());
  if (scores.getRank() > 4 ||
      static_cast<int64_t>(own.size()) > scores.getRank())
    return {};
  // Of three dimensions the first is batch and heads in one.
  if (scores.getRank() == 3 && own.size() == 3 && own[0] != 1) {
    own[0] = sizes.heads;
    own.insert(own.begin(), sizes.batch);
  }
  own.insert(own.begin(), 4 - own.size(), 1);
  return own;
}

bool ScoreMask::fits(const ScoreSizes &sizes) {
  // What is only repeated is better repeated by whoever needs it.
  while (auto broadcast = tensor.getDefiningOp<ttir::BroadcastOp>())
    tensor = broadcast.getInput();
  RankedTensorType type = TTIRBuilder::typeOf(tensor);
  SmallVector<int64_t> own = shape(sizes);
  if (own.empty() || !type.hasStaticShape() ||
      (!dropped && !isa<FloatType>(type.getElementType())))
    return false;
  int64_t numbers = 1;
  for (auto [size, whole] :
       llvm::zip_equal(own, SmallVector<int64_t>{sizes.batch, sizes.heads,
                                                 sizes.queries, sizes.keys})) {
    numbers *= size;
    if (size != 1 && size != whole)
      return false;
  }
  return numbers == type.getNumElements();
}

/// A constant in the shape of the mask, if the tensor is one: a causal pattern
/// is known by its numbers.
static DenseElementsAttr constantOf(Value tensor, ArrayRef<int64_t> shape) {
  auto constant = beforeBroadcast(tensor).getDefiningOp<ttir::ConstantOp>();
  auto numbers =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!numbers || numbers.getNumElements() != ShapedType::getNumElements(shape))
    return {};
  return numbers.reshape(
      RankedTensorType::get(shape, numbers.getElementType()));
}

Value ScoreMask::fourDimensions(TTIRBuilder &tensors, const ScoreSizes &sizes) {
  SmallVector<int64_t> own = shape(sizes);
  DenseElementsAttr numbers = constantOf(tensor, own);
  if (!dropped) {
    if (numbers && isa<FloatType>(numbers.getElementType()))
      return tensors.constant(numbers);
    return tensors.reshape(tensor, own);
  }
  float keep = 0, drop = *dropped;
  float onTrue = keepsWhereTrue ? keep : drop,
        onFalse = keepsWhereTrue ? drop : keep;
  if (numbers && isa<IntegerType>(numbers.getElementType())) {
    SmallVector<float> values;
    for (const APInt &entry : numbers.getValues<APInt>())
      values.push_back(entry.isZero() ? onFalse : onTrue);
    return tensors.constant(DenseElementsAttr::get(
        RankedTensorType::get(own, tensors.f32()), ArrayRef<float>(values)));
  }
  Value condition = tensors.reshape(tensor, own);
  Value whereTrue = tensors.full(own, tensors.f32(), onTrue);
  Value whereFalse = tensors.full(own, tensors.f32(), onFalse);
  return tensors.where(condition, whereTrue, whereFalse);
}

Value ScoreMask::addTo(TTIRBuilder &tensors, Value other,
                       const ScoreSizes &sizes) {
  Value mask = fourDimensions(tensors, sizes);
  SmallVector<int64_t> shape(TTIRBuilder::typeOf(mask).getShape());
  shape[3] = sizes.keys;
  if (!other)
    return tensors.broadcast(mask, shape);
  ArrayRef<int64_t> others = TTIRBuilder::typeOf(other).getShape();
  for (auto [size, theirs] : llvm::zip_equal(shape, others))
    size = std::max(size, theirs);
  mask = tensors.typecast(mask, tensors.f32());
  other = tensors.typecast(other, tensors.f32());
  mask = tensors.broadcast(mask, shape);
  return tensors.add(mask, tensors.broadcast(other, shape));
}

} // namespace mlir::ring
