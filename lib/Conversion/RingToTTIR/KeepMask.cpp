// SPDX-License-Identifier: Apache-2.0
// Masks that only keep or drop a key, as ones and zeros.

#include "KeepMask.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kRows = 2, kColumns = 3;

/// The number that `value` holds everywhere, if it is a `full`.
static std::optional<float> splatOf(Value value) {
  auto full = value.getDefiningOp<ttir::FullOp>();
  auto number = full ? dyn_cast<FloatAttr>(full.getFillValue()) : FloatAttr();
  if (!number)
    return std::nullopt;
  return number.getValue().convertToFloat();
}

bool isKeepMask(Value additiveMask) {
  if (auto slice = additiveMask.getDefiningOp<ttir::SliceStaticOp>())
    return isKeepMask(slice.getInput());
  if (auto broadcast = additiveMask.getDefiningOp<ttir::BroadcastOp>())
    return isKeepMask(broadcast.getInput());
  if (auto sum = additiveMask.getDefiningOp<ttir::AddOp>())
    return isKeepMask(sum.getLhs()) && isKeepMask(sum.getRhs());
  auto where = additiveMask.getDefiningOp<ttir::WhereOp>();
  if (!where)
    return false;
  std::optional<float> kept = splatOf(where.getSecond());
  std::optional<float> dropped = splatOf(where.getThird());
  return kept && *kept == 0.0f && dropped && std::isinf(*dropped) &&
         *dropped < 0.0f;
}

Value keptPairsOf(Value additiveMask, TTIRBuilder &tensors) {
  SmallVector<int64_t> shape(TTIRBuilder::typeOf(additiveMask).getShape());
  if (auto slice = additiveMask.getDefiningOp<ttir::SliceStaticOp>())
    return tensors.sliceLike(slice, keptPairsOf(slice.getInput(), tensors));
  if (auto broadcast = additiveMask.getDefiningOp<ttir::BroadcastOp>())
    return tensors.broadcast(keptPairsOf(broadcast.getInput(), tensors), shape);
  if (auto sum = additiveMask.getDefiningOp<ttir::AddOp>()) {
    Value keptByFirst = keptPairsOf(sum.getLhs(), tensors);
    return tensors.multiply(keptByFirst, keptPairsOf(sum.getRhs(), tensors));
  }
  auto where = additiveMask.getDefiningOp<ttir::WhereOp>();
  return tensors.typecast(tensors.broadcast(where.getFirst(), shape),
                          tensors.f32());
}

Value keptPairsOf(const Band &band, int64_t queries, int64_t keys,
                  TTIRBuilder &tensors) {
  SmallVector<int64_t> shape{1, 1, queries, keys};
  Value keep;
  auto columns = [&] {
    return tensors.broadcast(tensors.arange(0, keys, 1, kColumns), shape);
  };
  // The last key that each query reaches: its own row moved by the band.
  auto rows = [&](int64_t moved) {
    return tensors.broadcast(tensors.arange(moved, queries, 1, kRows), shape);
  };
  if (band.after && *band.after < keys - 1) {
    Value column = columns();
    keep = tensors.lessEqual(column, rows(*band.after));
  }
  if (band.before && *band.before < queries - 1) {
    Value column = columns();
    Value reached = tensors.greaterEqual(column, rows(-*band.before));
    keep = keep ? tensors.multiply(keep, reached) : reached;
  }
  return keep;
}

} // namespace mlir::ring
