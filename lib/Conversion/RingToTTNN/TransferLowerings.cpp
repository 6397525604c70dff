// SPDX-License-Identifier: Apache-2.0
// Transfers in TTNN: between host and mesh, and between two devices at a time.

#include "LoweringTable.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

/// Sends the part of `sender` to `receiver`; all others keep what `output`
/// holds.
static Value send(FunctionLowering &function, Location loc, Value input,
                  Value output, int64_t sender, int64_t receiver) {
  return ttnn::PointToPointOp::create(function.builder(), loc, output.getType(),
                                      input, function.coordinatesOf(sender),
                                      function.coordinatesOf(receiver), output);
}

/// The fabric passes data on along rows and columns of the mesh.
static LogicalResult expectOneLine(Operation *op, FunctionLowering &function,
                                   int64_t sender, int64_t receiver) {
  auto from = function.coordinatesOf(sender);
  auto to = function.coordinatesOf(receiver);
  if (from[0] == to[0] || from[1] == to[1])
    return success();
  return op->emitOpError("expects sender and receiver in one row or column of "
                         "the mesh, but got devices ")
         << sender << " and " << receiver;
}

static Value copyOf(FunctionLowering &function, Location loc, Value input) {
  return ttnn::AssignOp::create(function.builder(), loc, input.getType(),
                                input);
}

/// collective_permute -> one point_to_point per pair, all into one output. It
/// starts as the input where a device sends to itself, as zeros where one
/// receives nothing, and as memory that transfers share where all receive.
LogicalResult lowerCollectivePermute(Operation *op,
                                     FunctionLowering &function) {
  auto permute = cast<ttir::CollectivePermuteOp>(op);
  auto type = cast<RankedTensorType>(permute.getType());
  auto numbers =
      llvm::to_vector(permute.getSourceTargetPairs().getValues<int64_t>());
  int64_t devices = function.mesh()[0] * function.mesh()[1];
  int64_t pairs = numbers.size() / 2;
  bool anyToItself = false;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    anyToItself |= numbers[2 * pair] == numbers[2 * pair + 1];
    for (int64_t device : {numbers[2 * pair], numbers[2 * pair + 1]})
      if (device < 0 || device >= devices)
        return op->emitOpError("expects devices of a mesh of ")
               << devices << ", but got " << device;
    if (failed(expectOneLine(op, function, numbers[2 * pair],
                             numbers[2 * pair + 1])))
      return failure();
  }
  if (anyToItself && pairs != devices)
    return op->emitOpError("expects every device of the mesh to receive where "
                           "one sends to itself, but got ")
           << pairs << " of " << devices;

  Value input = function.onDevice(permute.getInput());
  Builder &builder = function.builder();
  Value output;
  if (anyToItself)
    output = copyOf(function, op->getLoc(), input);
  else if (pairs == devices)
    output = function.landing(op->getLoc(), type);
  else
    output = function.create(
        op->getLoc(), "ttnn.zeros", type, function.device(),
        builder.getNamedAttr(
            "shape", ttnn::ShapeAttr::get(op->getContext(), type.getShape())));
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int64_t sender = numbers[2 * pair], receiver = numbers[2 * pair + 1];
    if (sender != receiver)
      output = send(function, op->getLoc(), input, output, sender, receiver);
  }
  function.replace(op->getResult(0), output);
  return success();
}

/// all_to_all -> a buffer for what each rank of the groups sends. The buffer of
/// rank j starts as everybody's own piece j, which is right on rank j itself,
/// and receives piece i on rank i. Two ranks a, b with pieces a0 a1, b0 b1:
///
///   buffer 0:  a0 on a;  a1 sent to b
///   buffer 1:  b1 on b;  b0 sent to a
LogicalResult lowerAllToAll(Operation *op, FunctionLowering &function) {
  auto trade = cast<ttir::AllToAllOp>(op);
  auto type = cast<RankedTensorType>(trade.getInput().getType());
  int64_t ranks = trade.getSplitCount(), split = trade.getSplitDim();
  auto devices = llvm::to_vector(trade.getReplicaGroups().getValues<int64_t>());
  for (size_t group = 0; group < devices.size(); group += ranks)
    for (int64_t other = 1; other < ranks; ++other)
      if (failed(expectOneLine(op, function, devices[group],
                               devices[group + other])))
        return failure();
  Value input = function.onDevice(trade.getInput());
  Builder &builder = function.builder();

  SmallVector<int64_t> shape(type.getShape());
  shape[split] /= ranks;
  auto pieceType = RankedTensorType::get(shape, type.getElementType());
  SmallVector<Value> pieces, buffers;
  for (int64_t piece = 0; piece < ranks; ++piece) {
    SmallVector<int32_t> begins(type.getRank(), 0), ends(type.getShape()),
        steps(type.getRank(), 1);
    begins[split] = piece * shape[split];
    ends[split] = (piece + 1) * shape[split];
    pieces.push_back(function.create(
        op->getLoc(), "ttnn.slice_static", pieceType, input,
        {builder.getNamedAttr("begins", builder.getI32ArrayAttr(begins)),
         builder.getNamedAttr("ends", builder.getI32ArrayAttr(ends)),
         builder.getNamedAttr("step", builder.getI32ArrayAttr(steps))}));
  }
  for (int64_t sender = 0; sender < ranks; ++sender) {
    Value buffer = copyOf(function, op->getLoc(), pieces[sender]);
    for (size_t group = 0; group < devices.size(); group += ranks)
      for (int64_t receiver = 0; receiver < ranks; ++receiver)
        if (receiver != sender)
          buffer = send(function, op->getLoc(), pieces[receiver], buffer,
                        devices[group + sender], devices[group + receiver]);
    buffers.push_back(buffer);
  }
  function.replace(
      op->getResult(0),
      function.create(op->getLoc(), "ttnn.concat",
                      cast<RankedTensorType>(trade.getType()), buffers,
                      builder.getNamedAttr("dim", trade.getConcatDimAttr())));
  return success();
}

/// The composer joins parts along every mesh axis, each in a dimension of its
/// own. Along an axis that repeats the tensor it is told to look at one device.
/// On a 2x4 mesh, of which axis 1 splits dimension 2 and axis 0 repeats:
/// dims = [3, 2] of the devices 1x4.
static LogicalResult composeShards(ttir::MeshShardOp op, ArrayRef<int64_t> dims,
                                   FunctionLowering &function) {
  auto whole = cast<RankedTensorType>(op.getType());
  Builder &builder = function.builder();
  SmallVector<int64_t> joined(dims);
  SmallVector<IntegerAttr> dimAttrs, devices;
  bool repeats = false;
  for (auto [axis, dim] : llvm::enumerate(joined)) {
    bool split = dim >= 0;
    repeats |= !split && function.mesh()[axis] > 1;
    devices.push_back(
        builder.getIntegerAttr(builder.getIntegerType(32, /*isSigned=*/false),
                               split ? function.mesh()[axis] : 1));
    if (split)
      continue;
    int64_t free = whole.getRank() - 1;
    while (free >= 0 && llvm::is_contained(joined, free))
      --free;
    if (free < 0)
      return op.emitOpError("expects a dimension that no mesh axis splits, but "
                            "got none of ")
             << whole.getRank();
    dim = free;
  }
  for (int64_t dim : joined)
    dimAttrs.push_back(builder.getI64IntegerAttr(dim));
  if (!repeats)
    devices.clear();
  Value shards = function.onDevice(op.getInput());
  function.replace(
      op.getResult(),
      ttnn::AggregateTensorOp::create(
          function.builder(), op.getLoc(), FunctionLowering::hostType(whole),
          shards,
          ttnn::MeshComposerConfigAttr::get(op.getContext(), dimAttrs, devices),
          function.device()));
  return success();
}

/// The shards of the host's tensor, which stay with the host until an op takes
/// them to the devices.
static LogicalResult distribute(ttir::MeshShardOp op, ArrayRef<int64_t> dims,
                                FunctionLowering &function) {
  MLIRContext *context = op.getContext();
  Builder &builder = function.builder();
  Value input = function.onHost(op.getInput());
  if (!input)
    return op.emitOpError("expects a tensor of the host, which is an argument: "
                          "what the devices have is cut by mesh_partition");
  SmallVector<ttnn::PlacementAttr> placements;
  for (int64_t dim : dims)
    placements.push_back(
        dim < 0 ? ttnn::PlacementAttr::get(
                      context, ttnn::PlacementType::Replicate, IntegerAttr())
                : ttnn::PlacementAttr::get(context, ttnn::PlacementType::Shard,
                                           builder.getI64IntegerAttr(dim)));
  function.replace(op.getResult(),
                   ttnn::DistributeTensorOp::create(
                       function.builder(), op.getLoc(),
                       FunctionLowering::hostType(op.getType()), input,
                       ttnn::MeshMapperConfigAttr::get(context, placements, {}),
                       function.device(), /*cq_id=*/IntegerAttr()));
  return success();
}

/// mesh_shard -> distribute_tensor or aggregate_tensor.
LogicalResult lowerMeshShard(Operation *op, FunctionLowering &function) {
  auto shard = cast<ttir::MeshShardOp>(op);
  SmallVector<int64_t> dims(shard.getShardDims());
  if (shard.getShardType() == ttcore::MeshShardType::Replicate)
    dims.assign(function.mesh().size(), -1);
  if (dims.size() != function.mesh().size())
    return op->emitOpError("expects a dimension for each of ")
           << function.mesh().size() << " mesh axes, but got " << dims.size();
  if (shard.getShardDirection() == ttcore::MeshShardDirection::FullToShard)
    return distribute(shard, dims, function);
  return composeShards(shard, dims, function);
}

/// mesh_partition -> the same. The last two dimensions are in tiles, of which a
/// device gets whole ones or, where these are cut, rows:
///
///   to_layout rows;  mesh_partition;  to_layout tiles
LogicalResult lowerMeshPartition(Operation *op, FunctionLowering &function) {
  auto partition = cast<ttir::MeshPartitionOp>(op);
  auto share = cast<RankedTensorType>(partition.getType());
  int64_t rank = share.getRank(), dim = partition.getDim();
  dim += dim < 0 ? rank : 0;
  NamedAttrList attributes = FunctionLowering::attributesOf(*op);
  int64_t tile = ttcore::TileType::getDefaultShape()[0];
  if (dim < rank - 2 || share.getDimSize(dim) % tile == 0) {
    function.replaceBySame(*op, "mesh_partition", attributes.getAttrs());
    return success();
  }
  if (isa<ttcore::TileType>(share.getElementType()))
    return op->emitOpError("expects shares of whole tiles for block floats, "
                           "but got ")
           << share.getDimSize(dim) << " rows";
  Value rows =
      function.inRows(op->getLoc(), function.onDevice(partition.getInput()));
  Operation *cut = function.create(op->getLoc(), "ttnn.mesh_partition",
                                   TypeRange(FunctionLowering::rowType(share)),
                                   rows, attributes.getAttrs());
  function.replace(op->getResult(0),
                   function.inTiles(op->getLoc(), cut->getResult(0)));
  return success();
}

} // namespace mlir::ring
