// SPDX-License-Identifier: Apache-2.0
// Verifiers of communication. Numbers are those of TTIRCollectiveOps.td.

#include "ttmlir/Dialect/TTCore/Verify/CollectiveVerifiers.h"
#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;
using ttcore::ReduceType;

LogicalResult AllGatherOp::verify() {
  return verify::allGather(*this, getInput().getType(), getAllGatherDim(),
                           getResult().getType());
}

LogicalResult AllReduceOp::verify() {
  if (failed(
          verify::reduceType(*this, getReduceType(), {ReduceType::Sum}))) // C1
    return failure();
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getResult().getType()); // C2
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verify::reduceType(
          *this, getReduceType(),
          {ReduceType::Sum, ReduceType::Max, ReduceType::Min}))) // C1
    return failure();
  return verify::dimension(*this, "scatter_dim", getScatterDim(),
                           getInput().getType().getRank()); // C2
}

LogicalResult CollectivePermuteOp::verify() {
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ArrayRef<int64_t> shape = pairs.getType().getShape();
  if (shape.size() != 2 || shape[1] != 2) // C1
    return emitOpError() << "expects source_target_pairs of shape Nx2, but got "
                         << verify::shapeText(shape);
  llvm::SmallSet<int64_t, 8> seen[2];
  for (auto [index, device] : llvm::enumerate(pairs.getValues<int64_t>()))
    if (!seen[index % 2].insert(device).second) // C2
      return emitOpError() << "expects each device to be a "
                           << (index % 2 ? "target" : "source")
                           << " at most once, but got " << device << " twice";
  return verify::resultShape(*this, getInput().getType().getShape(),
                             getResult().getType()); // C3
}

/// C5 of all_to_all: a table of `groupSize` columns that names each device
/// once.
static LogicalResult verifyReplicaGroups(AllToAllOp op,
                                         DenseIntElementsAttr groups,
                                         int64_t groupSize) {
  ArrayRef<int64_t> shape = groups.getType().getShape();
  if (shape.size() != 2 || shape[1] != groupSize)
    return op.emitOpError() << "expects replica_groups of shape Nx" << groupSize
                            << ", but got " << verify::shapeText(shape);
  int64_t devices = groups.getNumElements();
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t device : groups.getValues<int64_t>()) {
    if (device < 0 || device >= devices)
      return op.emitOpError() << "expects replica_groups of devices in [0, "
                              << devices << "), but got " << device;
    if (!seen.insert(device).second)
      return op.emitOpError()
             << "expects replica_groups to name each device once, but got "
             << device << " twice";
  }
  return success();
}

LogicalResult AllToAllOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType result = getResult().getType();
  int64_t splitDim = getSplitDim(), concatDim = getConcatDim();
  int64_t count = getSplitCount();
  for (int64_t dim : {splitDim, concatDim})
    if (dim < 0 || dim >= input.getRank()) // C1
      return emitOpError() << "expects split_dim and concat_dim in [0, "
                           << input.getRank() << "), but got " << dim;
  if (count <= 0 || input.getDimSize(splitDim) % count != 0) // C2
    return emitOpError() << "expects a positive split_count that divides "
                         << input.getDimSize(splitDim) << ", but got " << count;
  SmallVector<int64_t> expected(input.getShape());
  expected[splitDim] /= count;
  expected[concatDim] *= count;
  if (failed(verify::resultShape(*this, expected, result))) // C3
    return failure();
  if (input.getElementType() != result.getElementType()) // C4
    return emitOpError() << "expects a result of element type "
                         << input.getElementType() << ", but got "
                         << result.getElementType();
  return verifyReplicaGroups(*this, getReplicaGroups(), count); // C5
}

LogicalResult MeshPartitionOp::verify() {
  return verify::meshPartition(*this, getInput().getType(), getDim(),
                               getClusterAxis(), getResult().getType());
}

LogicalResult MeshShardOp::verify() {
  if (getShardType() == ttcore::MeshShardType::Maximal) // C1
    return emitOpError()
           << "expects shard_type to be replicate or devices, but got maximal";
  return success();
}
