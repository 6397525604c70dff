// SPDX-License-Identifier: Apache-2.0
// Rules about matrix products, reductions and normalisations.

#include "ttmlir/Dialect/TTCore/Verify/ProductVerifiers.h"

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

#include "mlir/Dialect/Traits.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::tt;

/// The shape `type` has as a factor: a vector becomes a matrix with a 1 before
/// its dimension on the left, after it on the right; a matrix is transposed if
/// it says so.
static SmallVector<int64_t> factorShape(RankedTensorType type, bool transposed,
                                        bool isLeft) {
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() == 1)
    shape.insert(isLeft ? shape.begin() : shape.end(), 1);
  else if (transposed)
    std::swap(shape.end()[-1], shape.end()[-2]);
  return shape;
}

LogicalResult mlir::tt::verify::product(Operation *op, const Product &product) {
  for (RankedTensorType type : {product.a, product.b})
    if (type.getRank() == 0) // C1
      return op->emitOpError()
             << "expects factors of at least one dimension, but got a scalar";

  SmallVector<int64_t> a = factorShape(product.a, product.transposeA, true);
  SmallVector<int64_t> b = factorShape(product.b, product.transposeB, false);
  if (a.back() != b.end()[-2]) // C2
    return op->emitOpError() << "expects inner dimensions to agree, but got "
                             << a.back() << " and " << b.end()[-2];

  SmallVector<int64_t> expected;
  if (!OpTrait::util::getBroadcastedShape(ArrayRef(a).drop_back(2),
                                          ArrayRef(b).drop_back(2),
                                          expected)) // C3
    return op->emitOpError()
           << "expects leading dimensions that broadcast, but got "
           << shapeText(ArrayRef(a).drop_back(2)) << " and "
           << shapeText(ArrayRef(b).drop_back(2));
  if (product.a.getRank() > 1)
    expected.push_back(a.end()[-2]);
  if (product.b.getRank() > 1)
    expected.push_back(b.back());

  if (product.bias) {
    SmallVector<int64_t> before = expected;
    if (!OpTrait::util::getBroadcastedShape(before, product.bias.getShape(),
                                            expected)) // C5
      return op->emitOpError() << "expects a bias that broadcasts with shape "
                               << shapeText(before) << ", but got "
                               << shapeText(product.bias.getShape());
    if (product.mayIgnoreBias && !before.empty() &&
        product.result.getShape() == ArrayRef<int64_t>(before))
      return success();
  }

  // Two vectors give a single number, which is kept in one dimension.
  if (expected.empty())
    expected.push_back(1);
  return resultShape(op, expected, product.result); // C4
}

LogicalResult mlir::tt::verify::reduction(Operation *op, RankedTensorType input,
                                          ArrayAttr dims, bool keepDim,
                                          RankedTensorType result) {
  int64_t rank = input.getRank();
  llvm::BitVector reduced(rank, /*t=*/!dims);
  if (dims) {
    for (Attribute attr : dims) {
      int64_t dim = cast<IntegerAttr>(attr).getInt();
      FailureOr<int64_t> at = dimension(op, "dim_arg", dim, rank); // C1
      if (failed(at))
        return failure();
      if (reduced.test(*at)) // C2
        return op->emitOpError()
               << "expects each dimension at most once, but got " << *at
               << " twice";
      reduced.set(*at);
    }
  }
  SmallVector<int64_t> expected;
  for (int64_t d = 0; d < rank; ++d) {
    if (!reduced.test(d))
      expected.push_back(input.getDimSize(d));
    else if (keepDim)
      expected.push_back(1);
  }
  return resultShape(op, expected, result); // C3
}

LogicalResult mlir::tt::verify::softmax(Operation *op, RankedTensorType input,
                                        int64_t dim, RankedTensorType result) {
  if (failed(dimension(op, "dimension", dim, input.getRank()))) // C1
    return failure();
  return resultShape(op, input.getShape(), result); // C2
}
