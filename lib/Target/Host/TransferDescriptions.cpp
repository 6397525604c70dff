// SPDX-License-Identifier: Apache-2.0
// Tensors on their way between host and mesh, and between devices.

#include "FunctionDescriber.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring::host {

namespace ttnn = mlir::tt::ttnn;

static constexpr int64_t kTile = 32;

LogicalResult describeDistribute(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::DistributeTensorOp>(any);
  std::vector<Expression> placements;
  for (ttnn::PlacementAttr placement : op.getMapperConfig().getPlacements())
    placements.push_back(
        placement.getType() == ttnn::PlacementType::Shard
            ? call("PlacementShard",
                   {Expression::integer(placement.getDim().getInt())})
            : call("PlacementReplicate", std::vector<Argument>()));
  std::vector<Argument> arguments{
      {"tensor", function.nameOf(op.getInput())},
      {"mapper", call("create_mesh_mapper",
                      {Expression::device(),
                       call("MeshMapperConfig",
                            {Expression::list(std::move(placements))})})}};
  // A result on the host is sent by an op of its own.
  if (!isOnHost(op.getType()))
    arguments.push_back({"mesh_device", Expression::device()});
  return function.assign(any, call("distribute_tensor", std::move(arguments)));
}

/// Of a tensor that an axis of the mesh repeats, the config names the devices
/// that are asked: on a 2x4 mesh whose axis 0 repeats, the first row, 1x4.
LogicalResult describeAggregate(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::AggregateTensorOp>(any);
  ttnn::MeshComposerConfigAttr config = op.getComposerConfig();
  SmallVector<int64_t> dims;
  for (IntegerAttr dim : config.getDims())
    dims.push_back(dim.getInt());
  std::vector<Argument> arguments;
  if (ArrayRef<IntegerAttr> devices = config.getMeshShapeOverride();
      devices.size() == 2) {
    auto count = [](IntegerAttr size) {
      return Expression::integer(size.getValue().getZExtValue());
    };
    arguments.push_back(
        {"mesh_shape_override",
         call("MeshShape", {count(devices[0]), count(devices[1])})});
  }
  return function.assign(
      any, call("aggregate_tensor",
                {{"tensor", function.nameOf(op.getInput())},
                 {"composer",
                  call("create_mesh_composer",
                       {Expression::device(),
                        call("MeshComposerConfig", {Expression::list(dims)},
                             std::move(arguments))})}}));
}

LogicalResult describeToDevice(Operation *op, FunctionDescriber &function) {
  return function.assign(
      op, call("to_device",
               {function.nameOf(op->getOperand(0)), Expression::device()},
               {{"memory_config", Expression::enumerator("dram")}}));
}

/// A tensor of the mesh comes back as one buffer for each device. Of one that
/// is the same on all of them the host takes the first, which is all that it
/// can distribute again.
LogicalResult describeFromDevice(Operation *op, FunctionDescriber &function) {
  Value input = op->getOperand(0);
  Expression fetched = call("from_device", {function.nameOf(input)});
  if (!function.isLocal(input))
    fetched =
        Expression::first(call("get_device_tensors", {std::move(fetched)}));
  return function.assign(op, std::move(fetched));
}

StringRef layoutOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto layout = dyn_cast_or_null<ttnn::TTNNLayoutAttr>(type.getEncoding());
  return !layout || layout.isTiled() ? "tile" : "row_major";
}

LogicalResult describeToLayout(Operation *op, FunctionDescriber &function) {
  return function.assign(
      op,
      call("to_layout", {function.nameOf(op->getOperand(0)),
                         Expression::enumerator(layoutOf(op->getResult(0)))}));
}

/// Tiles are cut between them only; what would cut one is cut row by row. An
/// axis of one device, which the device op refuses, cuts nothing.
LogicalResult describeMeshPartition(Operation *any,
                                    FunctionDescriber &function) {
  auto op = cast<ttnn::MeshPartitionOp>(any);
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank(),
          dim = op.getDim() < 0 ? op.getDim() + rank : op.getDim();
  Expression input = function.nameOf(op.getInput());
  if (type.getShape() ==
      cast<RankedTensorType>(op.getInput().getType()).getShape())
    return function.assign(any, call("clone", {input}));
  bool cutsTiles = dim >= rank - 2 && type.getDimSize(dim) % kTile != 0;
  if (cutsTiles)
    input = function.step(
        "rows",
        call("to_layout", {input, Expression::enumerator("row_major")}));
  std::vector<Argument> arguments;
  for (StringRef name : {"dim", "cluster_axis"})
    if (failed(addAttribute(any, name, name, arguments, function)))
      return failure();
  Expression share = call("mesh_partition", {input}, std::move(arguments));
  if (cutsTiles)
    share = call("to_layout", {function.step("share", std::move(share)),
                               Expression::enumerator("tile")});
  return function.assign(any, std::move(share));
}

LogicalResult describePointToPoint(Operation *any,
                                   FunctionDescriber &function) {
  auto op = cast<ttnn::PointToPointOp>(any);
  function.program().needFabric(Fabric::Line);
  auto place = [](ArrayRef<int64_t> at) {
    return call("MeshCoordinate",
                {Expression::integer(at[0]), Expression::integer(at[1])});
  };
  std::vector<Argument> arguments{
      {"input_tensor", function.nameOf(op.getInput())},
      {"sender_coord", place(op.getSenderCoord())},
      {"receiver_coord", place(op.getReceiverCoord())},
      {"topology", Expression::enumerator("linear")}};
  if (op.getOptionalOutputTensor())
    arguments.push_back(
        {"output_tensor", function.nameOf(op.getOptionalOutputTensor())});
  return function.assign(any, call("point_to_point", std::move(arguments)));
}

/// all_gather, all_reduce, reduce_scatter; the last two sum, as their verifiers
/// demand. num_links and topology are left out: ttnn chooses them by the
/// fabric, and is about to drop the parameters of all_gather.
LogicalResult describeCollective(Operation *op, FunctionDescriber &function) {
  function.program().needFabric(Fabric::Line);
  std::vector<Argument> arguments;
  for (StringRef name : {"all_gather_dim", "scatter_dim"})
    if (failed(addAttribute(op, name, "dim", arguments, function)))
      return failure();
  if (failed(addAttribute(op, "cluster_axis", "cluster_axis", arguments,
                          function)))
    return failure();
  return function.assign(op, call(op->getName().stripDialect(),
                                  {function.nameOf(op->getOperand(0))},
                                  std::move(arguments)));
}

} // namespace mlir::ring::host
