// SPDX-License-Identifier: Apache-2.0
// Verifiers of products, reductions, normalisations and the elementwise op that
// has a rule. Numbers are those of the op's text.

#include "ttmlir/Dialect/TTCore/Verify/ProductVerifiers.h"
#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

LogicalResult MatmulOp::verify() { return verify::matmulOp(*this); }
LogicalResult LinearOp::verify() {
  return verify::linearOp(*this, /*mayIgnoreBias=*/true);
}
LogicalResult SumOp::verify() { return verify::reductionOp(*this); }
LogicalResult MaxOp::verify() { return verify::reductionOp(*this); }
LogicalResult MeanOp::verify() { return verify::reductionOp(*this); }
LogicalResult SoftmaxOp::verify() { return verify::softmaxOp(*this); }

LogicalResult RMSNormOp::verify() {
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getType()); // C1
}

LogicalResult LayerNormOp::verify() {
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getType()); // C1
}

LogicalResult RotaryEmbeddingOp::verify() {
  RankedTensorType cosine = getCosCache().getType();
  RankedTensorType sine = getSinCache().getType();
  if (cosine.getShape() != sine.getShape() ||
      cosine.getElementType() != sine.getElementType()) // C1
    return emitOpError() << "expects sin_cache of the shape and element type "
                            "of cos_cache "
                         << cosine << ", but got " << sine;
  for (RankedTensorType type : {getInput().getType(), cosine, getType()})
    if (type.getRank() != 4) // C2
      return emitOpError() << "expects tensors of 4 dimensions, but got "
                           << type.getRank();
  return success();
}

LogicalResult PowScalarOp::verify() {
  bool negative = false;
  if (auto integer = dyn_cast<IntegerAttr>(getRhs()))
    negative = integer.getInt() < 0;
  else
    negative = cast<FloatAttr>(getRhs()).getValueAsDouble() < 0;
  if (negative) // C1
    return emitOpError() << "expects an exponent that is not negative, but got "
                         << getRhs();
  return success();
}
