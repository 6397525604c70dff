// SPDX-License-Identifier: Apache-2.0
// Verifiers of ops that move numbers about. Numbers are those of
// TTIRShapeOps.td and TTNNShapeOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

LogicalResult SliceStaticOp::verify() { return verify::sliceOp(*this); }

LogicalResult ConcatOp::verify() {
  return verify::concat(*this, getInputs().getTypes(), getDim(), getType());
}

LogicalResult PadOp::verify() {
  for (int32_t amount : getPadding())
    if (amount < 0) // C3
      return emitOpError() << "expects padding that is not negative, but got "
                           << amount;
  return verify::pad(*this, getInput().getType(), getPadding(), getType());
}

LogicalResult PermuteOp::verify() { return verify::permuteOp(*this); }

LogicalResult TransposeOp::verify() { return verify::transposeOp(*this); }

LogicalResult ReshapeOp::verify() { return verify::reshapeOp(*this); }

LogicalResult RepeatOp::verify() {
  return verify::repeat(*this, getInput().getType(), getRepeatDims().getShape(),
                        getType());
}

LogicalResult RepeatInterleaveOp::verify() {
  return verify::repeatInterleaveOp(*this);
}

LogicalResult EmbeddingOp::verify() { return verify::embeddingOp(*this); }
