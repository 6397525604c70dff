// SPDX-License-Identifier: Apache-2.0
// Between whole tensors and shards: constraints, folds, and what a relayout
// moves.

#include "TransferShapes.h"
#include "mlir/IR/Diagnostics.h"

#include <map>

namespace mlir::ring {
namespace {

/// The constraints that ring.shard and ring.unshard share.
LogicalResult verifySharding(Operation *op, RankedTensorType whole,
                             RankedTensorType shard, ShardingAttr sharding) {
  ArrayRef<int64_t> axes = sharding.getAxes();
  if (static_cast<int64_t>(axes.size()) != whole.getRank())
    return op->emitOpError("expects a sharding of ")
           << whole.getRank() << " dimensions, but got " << axes.size();
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (axis == ShardingAttr::kReplicated)
      continue;
    int64_t size = whole.getDimSize(dim), devices = sharding.getMesh()[axis];
    if (sharding.getSequence() == static_cast<int64_t>(dim)) {
      if (size > sharding.getLayout().getLength())
        return op->emitOpError("expects a layout of at least ")
               << size << " positions, but got "
               << sharding.getLayout().getLength();
    } else if (size % devices != 0) {
      return op->emitOpError("expects ")
             << devices << " devices to divide dimension " << dim
             << ", but got " << size;
    }
  }
  SmallVector<int64_t> expected = *sharding.getShardShape(whole.getShape());
  if (shard.getShape() != ArrayRef(expected) ||
      shard.getElementType() != whole.getElementType())
    return op->emitOpError("expects a shard of [")
           << expected << "] x " << whole.getElementType() << ", but got "
           << shard;
  return success();
}

} // namespace

LogicalResult ShardOp::verify() {
  return verifySharding(*this, getInput().getType(), getResult().getType(),
                        getSharding());
}

/// shard(unshard(x)) -> x, where both say the same. The rows that unshard cut
/// off as padding come back as they were rather than as zeros; nobody attends
/// to them.
OpFoldResult ShardOp::fold(FoldAdaptor) {
  auto unshard = getInput().getDefiningOp<UnshardOp>();
  if (unshard && unshard.getSharding() == getSharding() &&
      unshard.getReplicated() == getReplicated() &&
      unshard.getInput().getType() == getResult().getType())
    return unshard.getInput();
  return {};
}

LogicalResult UnshardOp::verify() {
  return verifySharding(*this, getResult().getType(), getInput().getType(),
                        getSharding());
}

/// unshard(shard(x)) -> x.
OpFoldResult UnshardOp::fold(FoldAdaptor) {
  auto shard = getInput().getDefiningOp<ShardOp>();
  if (shard && shard.getSharding() == getSharding() &&
      shard.getReplicated() == getReplicated() &&
      shard.getInput().getType() == getResult().getType())
    return shard.getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// RelayoutOp
//===----------------------------------------------------------------------===//

LogicalResult RelayoutOp::verify() {
  RankedTensorType type = getInput().getType();
  int64_t dim = getDimAttr().getInt();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError("expects dim of a ")
           << type.getRank() << "-D tensor, but got " << dim;
  if (type.getDimSize(dim) != getFrom().getShardLength())
    return emitOpError("expects ")
           << getFrom().getShardLength() << " rows by its layout, but got "
           << type.getDimSize(dim);
  for (LayoutAttr layout : {getFrom(), getTo()})
    if (layout.getRanks() != getAxis().getRanks())
      return emitOpError("expects layouts over the ")
             << getAxis().getRanks() << " ranks of the axis, but got "
             << layout.getRanks();
  if (getFrom().getLength() != getTo().getLength() ||
      getFrom().getOffset() != getTo().getOffset())
    return emitOpError("expects both layouts to hold the same positions, but "
                       "got ")
           << getFrom() << " and " << getTo();
  return success();
}

/// The rows that the busiest rank receives, by where they come from. Layouts
/// are permutations of chunks, so that every rank receives as many in total.
SmallVector<Transfer> RelayoutOp::getTransfersTo(int64_t rank) {
  ::ring::positions::SequenceLayout from = getFrom().getValue();
  RankedTensorType type = getInput().getType();
  int64_t rowBytes = sizeInBytes(type) / type.getDimSize(getDim());
  std::map<int64_t, int64_t> rowsBySource;
  for (const PositionRange &range : getTo().positionsOf(rank))
    for (int64_t i = 0; i < range.size; ++i) {
      int64_t source = from.locate(range.begin + i * range.stride).rank;
      if (source != rank)
        ++rowsBySource[source - rank];
    }
  SmallVector<Transfer> transfers;
  for (auto [source, count] : rowsBySource)
    transfers.push_back({source, count * rowBytes});
  return transfers;
}

SmallVector<Transfer> RelayoutOp::getTransfers() {
  SmallVector<Transfer> busiest;
  int64_t most = 0;
  for (int64_t rank = 0; rank < getAxis().getRanks(); ++rank) {
    SmallVector<Transfer> transfers = getTransfersTo(rank);
    int64_t bytes = 0;
    for (const Transfer &transfer : transfers)
      bytes += transfer.bytes;
    if (bytes > most) {
      most = bytes;
      busiest = transfers;
    }
  }
  return busiest;
}

/// relayout from A to A -> nothing; A to B to A -> nothing.
OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (getFrom() == getTo() || getAxis().getRanks() == 1)
    return getInput();
  auto inner = getInput().getDefiningOp<RelayoutOp>();
  if (inner && inner.getDim() == getDim() && inner.getAxis() == getAxis() &&
      inner.getTo() == getFrom() && inner.getFrom() == getTo())
    return inner.getInput();
  return {};
}

} // namespace mlir::ring
