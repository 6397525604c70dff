// SPDX-License-Identifier: Apache-2.0
// Ops of TTNN beyond those that it shares with TTIR: devices, layouts and
// transfers between devices.

#include "OpTranslations.h"
#include "TensorTranslations.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {
namespace {

namespace ttnn = mlir::tt::ttnn;

/// Devices, semaphores and deallocations are the runtime's own business.
LogicalResult writeNothing(Operation *, ProgramWriter &) { return success(); }

LogicalResult writeUnary(Operation *op, ProgramWriter &writer, StringRef name) {
  FailureOr<int32_t> input =
      writer.operand(op, op->getOperand(0), writer.placement());
  if (failed(input))
    return failure();
  return writer.write(op, name, {*input}, {});
}

LogicalResult writeCopy(Operation *op, ProgramWriter &writer) {
  return writeUnary(op, writer, "typecast");
}

/// Shards that the host sends are the devices' from distribute_tensor on, and
/// what it gets back is theirs until aggregate_tensor: nothing moves here.
LogicalResult writeShared(Operation *op, ProgramWriter &writer) {
  return writeUnary(op, writer, "copy");
}

LogicalResult writePointToPoint(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  rt::Attributes attributes;
  if (failed(inputs) ||
      failed(writeAttribute(op, "sender", op->getAttr("sender_coord"),
                            attributes)) ||
      failed(writeAttribute(op, "receiver", op->getAttr("receiver_coord"),
                            attributes)))
    return failure();
  return writer.write(op, "point_to_point", *inputs, std::move(attributes));
}

/// What the mesh mapper and composer say, as a mesh_shard: the dimension that
/// each mesh axis splits or joins, -1 for none.
LogicalResult writeMeshShard(Operation *op, ProgramWriter &writer,
                             ArrayRef<int64_t> dims, bool toDevices) {
  auto from = toDevices ? rt::Placement::Whole : rt::Placement::Local;
  FailureOr<int32_t> input = writer.operand(op, op->getOperand(0), from);
  if (failed(input))
    return failure();
  bool split = llvm::any_of(dims, [](int64_t dim) { return dim >= 0; });
  rt::Attributes attributes = {
      {"shard_type", std::string(split ? "devices" : "replicate")},
      {"direction",
       std::string(toDevices ? "full_to_shard" : "shard_to_full")}};
  if (split)
    attributes["shard_dims"] = std::vector<int64_t>(dims.begin(), dims.end());
  return writer.writeAcross(op, "mesh_shard", *input, std::move(attributes),
                            toDevices ? rt::Placement::Local
                                      : rt::Placement::Whole);
}

LogicalResult writeDistribute(Operation *op, ProgramWriter &writer) {
  SmallVector<int64_t> dims;
  for (ttnn::PlacementAttr placement :
       cast<ttnn::DistributeTensorOp>(op).getMapperConfig().getPlacements())
    dims.push_back(placement.getType() == ttnn::PlacementType::Shard
                       ? placement.getDim().getInt()
                       : -1);
  return writeMeshShard(op, writer, dims, /*toDevices=*/true);
}

/// A composer that looks at one device of an axis joins nothing along it.
LogicalResult writeAggregate(Operation *op, ProgramWriter &writer) {
  SmallVector<int64_t> dims;
  auto composer = cast<ttnn::AggregateTensorOp>(op).getComposerConfig();
  for (IntegerAttr dim : composer.getDims())
    dims.push_back(dim.getInt());
  ArrayRef<IntegerAttr> devices = composer.getMeshShapeOverride();
  if (!devices.empty() && devices.size() != dims.size())
    return op->emitOpError("cannot run: expects as many mesh axes as joined "
                           "dimensions, but got ")
           << devices.size() << " and " << dims.size();
  for (auto [dim, count] : llvm::zip(dims, devices))
    if (count.getValue().isOne())
      dim = -1;
  return writeMeshShard(op, writer, dims, /*toDevices=*/false);
}

LogicalResult writeRepeat(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  ArrayRef<int64_t> times = cast<ttnn::RepeatOp>(op).getRepeatDims().getShape();
  return writer.write(
      op, "repeat", *inputs,
      {{"repeats", std::vector<int64_t>(times.begin(), times.end())}});
}

/// TTNN counts along the only dimension there is.
LogicalResult writeArange(Operation *op, ProgramWriter &writer) {
  rt::Attributes attributes = {{"dim", int64_t(0)}};
  for (StringRef name : {"start", "end", "step"})
    if (failed(writeAttribute(op, name, op->getAttr(name), attributes)))
      return failure();
  return writer.write(op, "arange", {}, std::move(attributes));
}

LogicalResult writeEmpty(Operation *op, ProgramWriter &writer) {
  return writer.write(op, "full", {}, {{"value", 0.0}});
}

} // namespace

void addTTNNTranslations(OpTranslations &translations) {
  addTensorTranslations(translations, "ttnn");
  for (StringRef name :
       {"ttnn.get_device", "ttnn.deallocate", "ttnn.create_global_semaphore",
        "ttnn.reset_global_semaphore"})
    translations.add(name, writeNothing);
  for (StringRef name : {"ttnn.to_device", "ttnn.from_device"})
    translations.add(name, writeShared);
  for (StringRef name :
       {"ttnn.to_layout", "ttnn.to_tensor_spec", "ttnn.assign"})
    translations.add(name, writeCopy);
  translations.add("ttnn.point_to_point", writePointToPoint, Runs::OnDevices);
  translations.add("ttnn.distribute_tensor", writeDistribute, Runs::FromHost);
  translations.add("ttnn.aggregate_tensor", writeAggregate, Runs::ToHost);
  translations.add("ttnn.repeat", writeRepeat);
  translations.add("ttnn.arange", writeArange);
  translations.add("ttnn.empty", writeEmpty);
}

} // namespace mlir::ring
