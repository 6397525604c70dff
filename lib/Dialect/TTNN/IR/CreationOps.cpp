// SPDX-License-Identifier: Apache-2.0
// Builders and verifiers of ops that make or copy tensors. Numbers are those of
// TTNNCreationOps.td and TTNNDeviceOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

/// C1 of every op with a `shape`.
template <typename OpT>
static LogicalResult verifyShape(OpT op) {
  return verify::resultShape(op, op.getShape().getShape(), op.getType());
}

LogicalResult EmptyOp::verify() { return verifyShape(*this); }
LogicalResult ZerosOp::verify() { return verifyShape(*this); }
LogicalResult OnesOp::verify() { return verifyShape(*this); }
LogicalResult FullOp::verify() { return verifyShape(*this); }

void FullOp::build(OpBuilder &builder, OperationState &state, Type resultType,
                   Attribute fillValue, Value device) {
  auto shape = ShapeAttr::get(builder.getContext(),
                              cast<RankedTensorType>(resultType).getShape());
  build(builder, state, resultType, device, shape, fillValue);
}

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(getValue())) // C2
    return emitOpError() << "expects a dense value, but got " << getValue();
  return success();
}

LogicalResult ArangeOp::verify() {
  FailureOr<int64_t> length =
      verify::arangeLength(*this, getStart(), getEnd(), getStep()); // C1, C2
  if (failed(length))
    return failure();
  return verify::resultShape(*this, {*length}, getType()); // C3
}

LogicalResult AssignOp::verify() {
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getType()); // C1
}
