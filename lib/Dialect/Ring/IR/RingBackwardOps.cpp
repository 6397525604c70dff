// SPDX-License-Identifier: Apache-2.0
// Gradients of attention: constraints, and the work they stand for.

#include "AttentionShapes.h"
#include "BlockRules.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/Dilation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

/// C3 to C5 of both ops, the element types of C5 aside.
template <typename BackwardOp>
LogicalResult verifyGradientShapes(BackwardOp op) {
  SmallVector<int64_t> output(op.getQuery().getType().getShape());
  output[3] = op.getValue().getType().getDimSize(3);
  SmallVector<int64_t> lse(output);
  lse[3] = 1;
  auto expect = [&](StringRef what, auto tensor, ArrayRef<int64_t> shape) {
    return verifyShape(op, what, tensor.getType().getShape(), shape);
  };
  return failure(
      failed(expect("output's gradient", op.getGradOutput(), output)) ||
      failed(expect("output", op.getOutput(), output)) ||
      failed(expect("lse", op.getLse(), lse)) ||
      failed(expect("query's gradient", op.getGradQuery(),
                    op.getQuery().getType().getShape())) ||
      failed(expect("key's gradient", op.getGradKey(),
                    op.getKey().getType().getShape())) ||
      failed(expect("value's gradient", op.getGradValue(),
                    op.getValue().getType().getShape())));
}

/// Five products, `2 * dim` each: the scores and the gradients of query and key
/// over the dim of the keys, the gradients of the weights and of the values
/// over that of the values.
///
///   dim = value dim = 64: 2 * (3 * 64 + 2 * 64) = 640 = 10 * 64
template <typename BackwardOp>
int64_t countBackwardFlops(BackwardOp op) {
  return 2 * (3 * op.getQuery().getType().getDimSize(3) +
              2 * op.getValue().getType().getDimSize(3));
}

} // namespace

//===----------------------------------------------------------------------===//
// AttentionBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionBackwardOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType();
  if (failed(verifyQueryKeyValue(*this, query, key, getValue().getType())) ||
      failed(verifyGradientShapes(*this)))
    return failure();
  if (getMask() && failed(verifyMask(*this, getMask().getType(), query, key)))
    return failure();
  if (getDocuments() &&
      failed(verifyDocuments(*this, getDocuments().getType(), getPatternAttr(),
                             getMask()         ? "a mask"
                             : getLengthAttr() ? "a length"
                                               : "")))
    return failure();
  int64_t queries = query.getDimSize(2), keys = key.getDimSize(2);
  if (IntegerAttr length = getLengthAttr();
      length && (length.getInt() <= 0 || length.getInt() > keys))
    return emitOpError("expects a length of 1 to ")
           << keys << ", but got " << length.getInt();
  if ((getPatternAttr() || getDocuments()) && queries != keys)
    return emitOpError("expects as many queries as keys with a pattern or "
                       "documents, but got ")
           << queries << " and " << keys;
  if (auto documents = dyn_cast_if_present<DocumentsAttr>(getPatternAttr())) {
    if (getMask())
      return emitOpError("expects packed documents without a mask");
    if (auto misfit = documents.getValue().misfitOf(keys))
      return emitOpError() << *misfit;
  }
  auto dilated = dyn_cast_if_present<DilatedAttr>(getPatternAttr());
  if (!dilated)
    return success();
  if (getMask())
    return emitOpError("expects a dilated pattern without a mask");
  if (std::optional<std::string> misfit = misfitOf(dilated, keys))
    return emitOpError() << *misfit;
  return success();
}

int64_t AttentionBackwardOp::countPairs(int64_t) {
  std::optional<int64_t> limit;
  if (getLengthAttr())
    limit = getLengthAttr().getInt();
  RankedTensorType query = getQuery().getType();
  if (auto dilated = dyn_cast_if_present<DilatedAttr>(getPatternAttr()))
    return ring::countPairs(dilated, query.getDimSize(1), query.getDimSize(2),
                            limit);
  if (auto documents = dyn_cast_if_present<DocumentsAttr>(getPatternAttr()))
    return query.getDimSize(1) * documents.getValue().countPairs(limit);
  return query.getDimSize(1) *
         ring::countPairs(PositionRange{0, query.getDimSize(2)},
                          PositionRange{0, getKey().getType().getDimSize(2)},
                          bandOf(*this), limit);
}

int64_t AttentionBackwardOp::countFlopsPerPair() {
  return countBackwardFlops(*this);
}

//===----------------------------------------------------------------------===//
// PartialBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult PartialBackwardOp::verify() {
  if (failed(verifyBlock(*this)) || failed(verifyGradientShapes(*this)))
    return failure();
  for (Value gradient : getResults()) {
    Type element = cast<RankedTensorType>(gradient.getType()).getElementType();
    if (!element.isF32())
      return emitOpError("expects gradients of f32, but got ") << element;
  }
  return success();
}

Band PartialBackwardOp::getBand() { return bandOf(*this); }
int64_t PartialBackwardOp::countPairs(int64_t device) {
  return countBlockPairs(*this, device);
}
int64_t PartialBackwardOp::countFlopsPerPair() {
  return countBackwardFlops(*this);
}
Coverage PartialBackwardOp::getCoverage(int64_t device) {
  return coverageOf(*this, device);
}

} // namespace mlir::ring
