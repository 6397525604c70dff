// SPDX-License-Identifier: Apache-2.0
// Recognising a causal pattern that arrives as a constant mask.

#include "CausalMask.h"
#include "ScoreMask.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

bool isConstantCausalMask(Value mask) {
  auto constant = mask.getDefiningOp<tt::ttir::ConstantOp>();
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!elements || !type || type.getRank() != 4 || type.getDimSize(0) != 1 ||
      type.getDimSize(1) != 1 || type.getDimSize(2) != type.getDimSize(3))
    return false;
  // One row is no mask, and equal entries everywhere are not causal.
  int64_t size = type.getDimSize(3), index = 0;
  if (elements.isSplat() || size < 2)
    return false;
  for (const APFloat &entry : elements.getValues<APFloat>()) {
    int64_t query = index / size, key = index % size;
    ++index;
    if (key <= query ? !entry.isZero() : !dropsScore(entry.convertToDouble()))
      return false;
  }
  return true;
}

} // namespace mlir::ring
