// SPDX-License-Identifier: Apache-2.0
// Verifiers of ops that move numbers about. Numbers are those of
// TTIRShapeOps.td and TTNNShapeOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

LogicalResult SliceStaticOp::verify() {
  return verify::slice(*this, getInput().getType(), getBegins(), getEnds(),
                       getStep(), getType());
}

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

LogicalResult PermuteOp::verify() {
  return verify::permute(*this, getInput().getType(), getPermutation(),
                         getType());
}

LogicalResult TransposeOp::verify() {
  return verify::transpose(*this, getInput().getType(), getDim0(), getDim1(),
                           getType());
}

LogicalResult ReshapeOp::verify() {
  return verify::reshape(*this, getInput().getType(), getShape(), getType());
}

LogicalResult RepeatOp::verify() {
  return verify::repeat(*this, getInput().getType(), getRepeatDims().getShape(),
                        getType());
}

LogicalResult RepeatInterleaveOp::verify() {
  return verify::repeatInterleave(*this, getInput().getType(), getRepeats(),
                                  getDim(), getType());
}

LogicalResult EmbeddingOp::verify() {
  return verify::embedding(*this, getInput().getType(), getWeight().getType(),
                           getType());
}
