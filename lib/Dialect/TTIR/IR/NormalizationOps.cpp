// SPDX-License-Identifier: Apache-2.0
// Verifiers of products, reductions and normalisations. Numbers are those of
// TTIRNormalizationOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ProductVerifiers.h"
#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;

LogicalResult MatmulOp::verify() { return verify::matmulOp(*this); }
LogicalResult LinearOp::verify() {
  return verify::linearOp(*this, /*mayIgnoreBias=*/false);
}
LogicalResult SumOp::verify() { return verify::reductionOp(*this); }
LogicalResult MaxOp::verify() { return verify::reductionOp(*this); }
LogicalResult MeanOp::verify() { return verify::reductionOp(*this); }
LogicalResult SoftmaxOp::verify() { return verify::softmaxOp(*this); }

template <typename OpT>
static LogicalResult verifyNorm(OpT op) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  ArrayRef<int64_t> normalized = op.getNormalizedShape();
  if (failed(verify::resultShape(op, shape, op.getType()))) // C1
    return failure();
  if (normalized.empty() || normalized.size() > shape.size() ||
      shape.take_back(normalized.size()) != normalized) // C2
    return op.emitOpError() << "expects normalized_shape to be the end of "
                            << verify::shapeText(shape) << ", but got "
                            << verify::shapeText(normalized);
  for (Value scale : {op.getWeight(), op.getBias()}) {
    if (!scale)
      continue;
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(scale.getType()).getShape();
    if (found != normalized) // C3
      return op.emitOpError() << "expects weight and bias of shape "
                              << verify::shapeText(normalized) << ", but got "
                              << verify::shapeText(found);
  }
  return success();
}

LogicalResult RMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }
