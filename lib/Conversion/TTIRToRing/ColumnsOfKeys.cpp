// SPDX-License-Identifier: Apache-2.0
// Walks up from a key and a value at once.

#include "ColumnsOfKeys.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// Where dimension `dim` of the results of two ops was before, if both do the
/// same along all others and nothing along this one.
std::optional<int64_t> beforeBoth(Operation *key, Operation *value,
                                  int64_t dim) {
  if (!key || !value || key->getName() != value->getName())
    return std::nullopt;
  if (isa<ttir::ReshapeOp>(key)) {
    // Of reshapes only the last dimension is followed, where it stays.
    auto keepsLast = [&](Operation *op) {
      return typeOf(op->getOperand(0)).getShape().back() ==
             typeOf(op->getResult(0)).getShape().back();
    };
    RankedTensorType from = typeOf(key->getOperand(0));
    bool alike = dim + 1 == typeOf(key->getResult(0)).getRank() &&
                 keepsLast(key) && keepsLast(value) &&
                 from.getShape().drop_back() ==
                     typeOf(value->getOperand(0)).getShape().drop_back();
    return alike ? std::optional(from.getRank() - 1) : std::nullopt;
  }
  if (key->getAttrDictionary() != value->getAttrDictionary())
    return std::nullopt;
  if (isa<ttir::TypecastOp>(key) &&
      typeOf(key->getResult(0)).getElementType() ==
          typeOf(value->getResult(0)).getElementType())
    return dim;
  if (auto permute = dyn_cast<ttir::PermuteOp>(key))
    return permute.getPermutation()[dim];
  int64_t rank = typeOf(key->getResult(0)).getRank();
  auto counted = [&](int64_t of) { return of < 0 ? of + rank : of; };
  if (auto gather = dyn_cast<ttir::AllGatherOp>(key);
      gather && counted(gather.getAllGatherDim()) != dim)
    return dim;
  if (auto transpose = dyn_cast<ttir::TransposeOp>(key)) {
    int64_t first = counted(transpose.getDim0()),
            second = counted(transpose.getDim1());
    return dim == first ? second : dim == second ? first : dim;
  }
  return std::nullopt;
}

} // namespace

std::optional<int64_t> columnsOfKeys(Value key, Value value) {
  RankedTensorType from = typeOf(key), to = typeOf(value);
  if (from.getRank() != to.getRank() || !from.hasStaticShape() ||
      !to.hasStaticShape() || from.getElementType() != to.getElementType())
    return std::nullopt;
  int64_t columns = to.getShape().back();
  for (int64_t dim = from.getRank() - 1;;) {
    if (isFirstOf(value, key, dim))
      return columns;
    Operation *ofKey = key.getDefiningOp(), *ofValue = value.getDefiningOp();
    std::optional<int64_t> before = beforeBoth(ofKey, ofValue, dim);
    if (!before)
      return std::nullopt;
    dim = *before;
    key = ofKey->getOperand(0);
    value = ofValue->getOperand(0);
  }
}

} // namespace mlir::ring
