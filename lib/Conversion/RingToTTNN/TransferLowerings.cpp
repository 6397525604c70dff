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

/// The composer joins parts along every mesh axis. Along one that repeats the
/// tensor, the copies are joined in a dimension that is not split, of which the
/// first copy is kept. On a 2x4 mesh, of which axis 1 splits dimension 2 and
/// axis 0 repeats: dims = [0, 2], then the first half of dimension 0.
static LogicalResult composeShards(ttir::MeshShardOp op,
                                   MutableArrayRef<int64_t> dims,
                                   FunctionLowering &function) {
  auto whole = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> joined(whole.getShape());
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (dim >= 0)
      continue;
    // `dim` is an entry of `dims` itself: taken means by another one.
    dim = 0;
    while (llvm::count(dims, dim) > 1)
      ++dim;
    if (dim >= whole.getRank())
      return op.emitOpError("expects a dimension that no mesh axis splits, but "
                            "got none of ")
             << whole.getRank();
    joined[dim] *= function.mesh()[axis];
  }
  Builder &builder = function.builder();
  SmallVector<IntegerAttr> dimAttrs;
  for (int64_t dim : dims)
    dimAttrs.push_back(builder.getI64IntegerAttr(dim));
  Value composed = ttnn::AggregateTensorOp::create(
      function.builder(), op.getLoc(),
      FunctionLowering::hostType(
          RankedTensorType::get(joined, whole.getElementType())),
      function.onDevice(op.getInput()),
      ttnn::MeshComposerConfigAttr::get(op.getContext(), dimAttrs, {}),
      function.device());
  if (ArrayRef<int64_t>(joined) != whole.getShape()) {
    SmallVector<int32_t> begins(whole.getRank(), 0), ends(whole.getShape()),
        steps(whole.getRank(), 1);
    composed = ttnn::ToDeviceOp::create(
        function.builder(), op.getLoc(),
        FunctionLowering::deviceType(composed.getType()), composed,
        function.device());
    composed = function.create(
        op.getLoc(), "ttnn.slice_static", whole, composed,
        {builder.getNamedAttr("begins", builder.getI32ArrayAttr(begins)),
         builder.getNamedAttr("ends", builder.getI32ArrayAttr(ends)),
         builder.getNamedAttr("step", builder.getI32ArrayAttr(steps))});
  }
  function.replace(op.getResult(), composed);
  return success();
}

/// mesh_shard -> distribute_tensor or aggregate_tensor.
LogicalResult lowerMeshShard(Operation *op, FunctionLowering &function) {
  auto shard = cast<ttir::MeshShardOp>(op);
  MLIRContext *context = op->getContext();
  Builder &builder = function.builder();
  SmallVector<int64_t> dims(shard.getShardDims());
  if (shard.getShardType() == ttcore::MeshShardType::Replicate)
    dims.assign(function.mesh().size(), -1);
  if (dims.size() != function.mesh().size())
    return op->emitOpError("expects a dimension for each of ")
           << function.mesh().size() << " mesh axes, but got " << dims.size();

  if (shard.getShardDirection() == ttcore::MeshShardDirection::FullToShard) {
    SmallVector<ttnn::PlacementAttr> placements;
    for (int64_t dim : dims)
      placements.push_back(
          dim < 0
              ? ttnn::PlacementAttr::get(
                    context, ttnn::PlacementType::Replicate, IntegerAttr())
              : ttnn::PlacementAttr::get(context, ttnn::PlacementType::Shard,
                                         builder.getI64IntegerAttr(dim)));
    function.replace(
        op->getResult(0),
        ttnn::DistributeTensorOp::create(
            function.builder(), op->getLoc(),
            FunctionLowering::deviceType(shard.getType()),
            function.onHost(shard.getInput()),
            ttnn::MeshMapperConfigAttr::get(context, placements, {}),
            function.device(), /*cq_id=*/IntegerAttr()));
    return success();
  }

  return composeShards(shard, dims, function);
}

} // namespace mlir::ring
