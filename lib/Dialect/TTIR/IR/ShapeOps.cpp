// SPDX-License-Identifier: Apache-2.0
// Verifiers of ops that move numbers about. Numbers are those of
// TTIRShapeOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;

LogicalResult SliceStaticOp::verify() { return verify::sliceOp(*this); }

LogicalResult ConcatOp::verify() {
  return verify::concat(*this, getInputs().getTypes(), getDim(), getType());
}

LogicalResult PadOp::verify() {
  return verify::pad(*this, getInput().getType(), getPadding(), getType());
}

LogicalResult PermuteOp::verify() { return verify::permuteOp(*this); }

LogicalResult TransposeOp::verify() { return verify::transposeOp(*this); }

LogicalResult ReshapeOp::verify() { return verify::reshapeOp(*this); }

LogicalResult SqueezeOp::verify() {
  RankedTensorType input = getInput().getType();
  FailureOr<int64_t> dim =
      verify::dimension(*this, "dim", getDim(), input.getRank()); // C1
  if (failed(dim))
    return failure();
  if (input.getDimSize(*dim) != 1) // C2
    return emitOpError() << "expects size 1 in dimension " << *dim
                         << ", but got " << input.getDimSize(*dim);
  SmallVector<int64_t> expected(input.getShape());
  expected.erase(expected.begin() + *dim);
  if (expected.empty()) // C3
    return emitOpError() << "expects an input of at least 2 dimensions, but "
                            "got 1";
  return verify::resultShape(*this, expected, getType()); // C3
}

LogicalResult UnsqueezeOp::verify() {
  RankedTensorType input = getInput().getType();
  FailureOr<int64_t> dim =
      verify::dimension(*this, "dim", getDim(), input.getRank() + 1); // C1
  if (failed(dim))
    return failure();
  SmallVector<int64_t> expected(input.getShape());
  expected.insert(expected.begin() + *dim, 1);
  return verify::resultShape(*this, expected, getType()); // C2
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = getInput().getType();
  ArrayRef<int64_t> times = getBroadcastDimensions();
  if (static_cast<int64_t>(times.size()) != input.getRank()) // C1
    return emitOpError() << "expects broadcast_dimensions of "
                         << input.getRank() << " entries, but got "
                         << times.size();
  SmallVector<int64_t> expected(input.getShape());
  for (auto [dim, factor] : llvm::enumerate(times)) {
    if (factor != 1 && expected[dim] != 1) // C2
      return emitOpError() << "expects size 1 in broadcast dimension " << dim
                           << ", but got " << expected[dim];
    expected[dim] *= factor;
  }
  return verify::resultShape(*this, expected, getType()); // C1, C3
}

LogicalResult RepeatOp::verify() {
  return verify::repeat(*this, getInput().getType(), getRepeatDimensions(),
                        getType());
}

LogicalResult RepeatInterleaveOp::verify() {
  return verify::repeatInterleaveOp(*this);
}

LogicalResult EmbeddingOp::verify() { return verify::embeddingOp(*this); }
