// SPDX-License-Identifier: Apache-2.0
// Ops of the ring dialect: their instructions have the same names, operands and
// attributes.

#include "OpTranslations.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

/// What a program does not need to know: decisions that are carried out, and
/// how operands are counted.
bool isForCompilersOnly(StringRef name) {
  return name == "plan" || name == "parallel" || name == "replicated" ||
         name == "per_device" || name == "operandSegmentSizes" ||
         name == "resultSegmentSizes";
}

LogicalResult writeAttributes(Operation *op, rt::Attributes &attributes) {
  for (StringAttr name : op->getRegisteredInfo()->getAttributeNames()) {
    Attribute attribute = op->getAttr(name);
    if (!attribute || isForCompilersOnly(name.getValue()))
      continue;
    if (failed(writeAttribute(op, name.getValue(), attribute, attributes)))
      return failure();
  }
  return success();
}

LogicalResult writeSameName(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  rt::Attributes attributes;
  if (failed(inputs) || failed(writeAttributes(op, attributes)))
    return failure();
  return writer.write(op, op->getName().getStringRef(), std::move(*inputs),
                      std::move(attributes));
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

/// The order in which the rows of a whole tensor are dealt: the positions of
/// rank 0, then those of rank 1, and so on.
Positions dealtOrder(LayoutAttr layout) {
  Positions order;
  for (int64_t rank = 0; rank < layout.getRanks(); ++rank)
    llvm::append_range(order, layout.positionsOf(rank));
  return order;
}

RankedTensorType withRows(RankedTensorType type, int64_t dim, int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = rows;
  return RankedTensorType::get(shape, type.getElementType());
}

/// Takes the rows of `input` range by range and puts them behind each other.
FailureOr<int32_t> reorder(Operation *op, ProgramWriter &writer, int32_t input,
                           RankedTensorType type, int64_t dim,
                           ArrayRef<PositionRange> ranges) {
  std::vector<int32_t> pieces;
  int64_t rows = 0;
  for (const PositionRange &range : ranges) {
    std::vector<int64_t> begins(type.getRank(), 0),
        ends(type.getShape().begin(), type.getShape().end()),
        steps(type.getRank(), 1);
    begins[dim] = range.begin;
    ends[dim] = range.last() + 1;
    steps[dim] = range.stride;
    auto piece =
        writer.step(op, "slice", {input}, withRows(type, dim, range.size),
                    {{"begins", begins}, {"ends", ends}, {"steps", steps}});
    if (failed(piece))
      return failure();
    pieces.push_back(*piece);
    rows += range.size;
  }
  if (pieces.size() == 1)
    return pieces.front();
  return writer.step(op, "concat", pieces, withRows(type, dim, rows),
                     {{"dim", dim}});
}

/// Where row `i` of the whole stands in the dealt order, as ranges to be taken
/// in the order of the whole.
Positions inverseOrder(LayoutAttr layout) {
  int64_t shard = layout.getShardLength();
  Positions order;
  if (layout.getKind() == LayoutKind::Striped || layout.getBlock() == 1) {
    // Row i is row i / ranks of rank i mod ranks.
    for (int64_t row = 0; row < shard; ++row)
      order.push_back({row, layout.getRanks(), shard});
    return order;
  }
  SmallVector<std::pair<int64_t, PositionRange>> chunks;
  int64_t next = 0;
  for (const PositionRange &range : dealtOrder(layout)) {
    chunks.push_back({range.begin, {next, range.size, 1}});
    next += range.size;
  }
  llvm::sort(chunks,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &chunk : chunks)
    order.push_back(chunk.second);
  return order;
}

/// A shard of a tensor that every device has: no data moves.
LogicalResult writeShardOfReplicated(ShardOp op, ProgramWriter &writer) {
  FailureOr<int32_t> value =
      writer.operand(op, op.getInput(), rt::Placement::Local);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getInput().getType();
  ShardingAttr sharding = op.getSharding();
  if (std::optional<int64_t> dim = sharding.getSequence()) {
    LayoutAttr layout = sharding.getLayout();
    int64_t missing = layout.getLength() - type.getDimSize(*dim);
    if (missing > 0) {
      std::vector<int64_t> padding(2 * type.getRank(), 0);
      padding[2 * *dim + 1] = missing;
      type = withRows(type, *dim, layout.getLength());
      value = writer.step(op, "pad", {*value}, type,
                          {{"padding", padding}, {"value", 0.0}});
    }
    if (failed(value))
      return failure();
    if (layout.getKind() != LayoutKind::Contiguous)
      value = reorder(op, writer, *value, type, *dim, dealtOrder(layout));
  }
  for (int64_t dim = 0, e = sharding.getAxes().size(); dim < e; ++dim)
    for (int64_t axis : sharding.axesOf(dim)) {
      if (failed(value))
        return failure();
      type =
          withRows(type, dim, type.getDimSize(dim) / sharding.getMesh()[axis]);
      value = writer.step(op, "mesh_partition", {*value}, type,
                          {{"dim", dim}, {"axis", axis}});
    }
  if (failed(value))
    return failure();
  writer.bind(op.getResult(), *value);
  return success();
}

/// The reverse: every device gathers the whole tensor.
LogicalResult writeUnshardToReplicated(UnshardOp op, ProgramWriter &writer) {
  FailureOr<int32_t> value =
      writer.operand(op, op.getInput(), rt::Placement::Local);
  RankedTensorType type = op.getInput().getType();
  ShardingAttr sharding = op.getSharding();
  for (int64_t dim = 0, e = sharding.getAxes().size(); dim < e; ++dim) {
    SmallVector<int64_t, 2> axes = sharding.axesOf(dim);
    for (int64_t axis : llvm::reverse(axes)) {
      if (failed(value))
        return failure();
      type =
          withRows(type, dim, type.getDimSize(dim) * sharding.getMesh()[axis]);
      value = writer.step(op, "all_gather", {*value}, type,
                          {{"dim", dim}, {"axis", axis}});
    }
  }
  if (failed(value))
    return failure();
  if (std::optional<int64_t> dim = sharding.getSequence()) {
    LayoutAttr layout = sharding.getLayout();
    int64_t rows = op.getResult().getType().getDimSize(*dim);
    if (layout.getKind() != LayoutKind::Contiguous)
      value = reorder(op, writer, *value, type, *dim, inverseOrder(layout));
    if (succeeded(value) && rows != layout.getLength())
      value = reorder(op, writer, *value, type, *dim, {{0, rows}});
  }
  if (failed(value))
    return failure();
  writer.bind(op.getResult(), *value);
  return success();
}

/// The ends of documents stand behind the positions of rows, of which a whole
/// attention has none.
LogicalResult writeGradientsAsBlock(AttentionBackwardOp op,
                                    ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  rt::Attributes attributes;
  if (failed(inputs) || failed(writeAttributes(op, attributes)))
    return failure();
  inputs->insert(inputs->end() - 1, 2, rt::kAbsent);
  return writer.write(op, PartialBackwardOp::getOperationName(),
                      std::move(*inputs), std::move(attributes));
}

template <typename Op>
LogicalResult writeAcrossTheBorder(Op op, ProgramWriter &writer,
                                   rt::Placement from, rt::Placement to) {
  FailureOr<int32_t> input = writer.operand(op, op.getInput(), from);
  rt::Attributes attributes;
  if (failed(input) || failed(writeAttributes(op, attributes)))
    return failure();
  return writer.writeAcross(op, op->getName().getStringRef(), *input,
                            std::move(attributes), to);
}

} // namespace

void addRingTranslations(OpTranslations &translations) {
  translations.add(
      ShardOp::getOperationName(),
      [](Operation *op, ProgramWriter &writer) {
        auto shard = cast<ShardOp>(op);
        if (shard.getReplicated())
          return writeShardOfReplicated(shard, writer);
        return writeAcrossTheBorder(shard, writer, rt::Placement::Whole,
                                    rt::Placement::Local);
      },
      [](Operation *op) {
        return cast<ShardOp>(op).getReplicated() ? Runs::OnDevices
                                                 : Runs::FromHost;
      });
  translations.add(
      UnshardOp::getOperationName(),
      [](Operation *op, ProgramWriter &writer) {
        auto unshard = cast<UnshardOp>(op);
        if (unshard.getReplicated())
          return writeUnshardToReplicated(unshard, writer);
        return writeAcrossTheBorder(unshard, writer, rt::Placement::Local,
                                    rt::Placement::Whole);
      },
      [](Operation *op) {
        return cast<UnshardOp>(op).getReplicated() ? Runs::OnDevices
                                                   : Runs::ToHost;
      });
  // A whole attention runs where its tensors are.
  translations.add(AttentionOp::getOperationName(), writeSameName);
  // All keys are one block of them, unless segments or documents make many.
  translations.add(
      AttentionBackwardOp::getOperationName(),
      [](Operation *op, ProgramWriter &writer) {
        auto whole = cast<AttentionBackwardOp>(op);
        if (isa_and_nonnull<DilatedAttr, DocumentsAttr>(whole.getPatternAttr()))
          return writeSameName(op, writer);
        return writeGradientsAsBlock(whole, writer);
      });
  for (StringRef name : {RelayoutOp::getOperationName(),
                         PartialOp::getOperationName(),
                         PartialBackwardOp::getOperationName(),
                         EmptyOp::getOperationName(),
                         MergeOp::getOperationName(),
                         InitOp::getOperationName(),
                         AccumulateOp::getOperationName(),
                         FinishOp::getOperationName(),
                         SelectOp::getOperationName(),
                         ShiftOp::getOperationName(),
                         AllGatherOp::getOperationName(),
                         AllToAllOp::getOperationName(),
                         GatherOp::getOperationName(),
                         RouteOp::getOperationName(),
                         StartRouteOp::getOperationName(),
                         BufferOp::getOperationName(),
                         StartShiftOp::getOperationName(),
                         StartAllGatherOp::getOperationName(),
                         StartAllToAllOp::getOperationName(),
                         StartGatherOp::getOperationName(),
                         WaitOp::getOperationName()})
    translations.add(name, writeSameName, Runs::OnDevices);
}

} // namespace mlir::ring
