// SPDX-License-Identifier: Apache-2.0
// Verifiers of communication. Numbers are those of TTNNCollectiveOps.td.

#include "ttmlir/Dialect/TTCore/Verify/CollectiveVerifiers.h"
#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;
using ttcore::ReduceType;

LogicalResult AllGatherOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType result = getResult().getType();
  if (failed(verify::allGather(*this, input, getAllGatherDim(),
                               result))) // C1, C2
    return failure();
  auto before = dyn_cast_or_null<TTNNLayoutAttr>(input.getEncoding());
  auto after = dyn_cast_or_null<TTNNLayoutAttr>(result.getEncoding());
  if (before && after && before.getLayout() != after.getLayout()) // C3
    return emitOpError() << "expects a result in layout "
                         << stringifyEnum(before.getLayout()) << ", but got "
                         << stringifyEnum(after.getLayout());
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(
          verify::reduceType(*this, getReduceType(), {ReduceType::Sum}))) // C1
    return failure();
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getResult().getType()); // C2
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(
          verify::reduceType(*this, getReduceType(), {ReduceType::Sum}))) // C1
    return failure();
  return verify::dimension(*this, "scatter_dim", getScatterDim(),
                           getInput().getType().getRank()); // C2
}

LogicalResult PointToPointOp::verify() {
  if (!getOptionalOutputTensor())
    return success();
  RankedTensorType input = getInput().getType();
  RankedTensorType output = getOptionalOutputTensor().getType();
  if (output.getShape() != input.getShape() ||
      output.getElementType() != input.getElementType()) // C1
    return emitOpError() << "expects optional_output_tensor of the input's "
                            "shape and element type "
                         << input << ", but got " << output;
  if (getSenderCoord() == getReceiverCoord()) // C2
    return emitOpError() << "expects sender and receiver to differ, but got "
                            "the same device twice";
  return success();
}

LogicalResult MeshPartitionOp::verify() {
  return verify::meshPartition(*this, getInput().getType(), getDim(),
                               getClusterAxis(), getResult().getType());
}
