// SPDX-License-Identifier: Apache-2.0
// The collectives that bring a sharded sequence to an attention.

#include "SequenceGathers.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kHeads = 1, kRows = 2;

/// reshape or unsqueeze from `[H, S, D]` to `[1, H, S, D]`.
static Value withoutBatchOfOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ttir::ReshapeOp, ttir::UnsqueezeOp>(op))
    return {};
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(value.getType());
  if (from.getRank() != 3 || to.getRank() != 4 || to.getDimSize(0) != 1 ||
      to.getShape().drop_front() != from.getShape())
    return {};
  return op->getOperand(0);
}

std::optional<GatheredSequence> findGather(Value whole) {
  Value batched = withoutBatchOfOne(whole);
  auto gather = (batched ? batched : whole).getDefiningOp<ttir::AllGatherOp>();
  int64_t rows = batched ? kRows - 1 : kRows;
  if (!gather || gather.getAllGatherDim() != rows)
    return std::nullopt;
  return GatheredSequence{gather.getInput(),
                          static_cast<int64_t>(gather.getClusterAxis())};
}

std::optional<GatheredSequence> findHeadTrade(Value heads) {
  auto trade = heads.getDefiningOp<ttir::AllToAllOp>();
  if (!trade || trade.getSplitDim() != kHeads || trade.getConcatDim() != kRows)
    return std::nullopt;
  auto groups = dyn_cast<DenseIntElementsAttr>(trade.getReplicaGroups());
  if (!groups)
    return std::nullopt;
  std::optional<int64_t> axis = axisOfGroups(trade, groups);
  if (!axis)
    return std::nullopt;
  return GatheredSequence{trade.getInput(), *axis};
}

bool isTradeBack(Operation *user, int64_t axis) {
  auto trade = dyn_cast<ttir::AllToAllOp>(user);
  if (!trade || trade.getSplitDim() != kRows || trade.getConcatDim() != kHeads)
    return false;
  auto groups = dyn_cast<DenseIntElementsAttr>(trade.getReplicaGroups());
  return groups && axisOfGroups(trade, groups) == axis;
}

/// Whether `count` is the number of devices of `mesh` and not too large: meshes
/// of the IR may have any size.
static bool listsMesh(int64_t count, ArrayRef<int64_t> mesh) {
  if (count <= 0 || count > kMostDevices)
    return false;
  for (int64_t size : mesh) {
    if (size <= 0 || count % size != 0)
      return false;
    count /= size;
  }
  return count == 1;
}

std::optional<int64_t> axisOfGroups(Operation *op,
                                    DenseIntElementsAttr groups) {
  SmallVector<int64_t> mesh = findMeshShape(op);
  auto groupsType = dyn_cast<RankedTensorType>(groups.getType());
  if (!groupsType || groupsType.getRank() != 2 ||
      !listsMesh(groups.getNumElements(), mesh))
    return std::nullopt;
  SmallVector<int64_t> devices;
  for (const APInt &device : groups.getValues<APInt>())
    devices.push_back(device.getSExtValue());

  int64_t size = groupsType.getDimSize(1);
  for (int64_t index = 0; index < static_cast<int64_t>(mesh.size()); ++index) {
    AxisAttr axis = AxisAttr::get(op->getContext(), index, mesh);
    if (axis.getRanks() != size)
      continue;
    // Each group lists the devices of one line in order of their ranks.
    bool matches = true;
    for (size_t i = 0; i < devices.size() && matches; ++i) {
      int64_t first = devices[i - i % size];
      matches = first >= 0 && first < axis.getNumDevices() &&
                axis.rankOf(first) == 0 &&
                devices[i] == axis.neighbour(first, i % size);
    }
    if (matches)
      return index;
  }
  return std::nullopt;
}

} // namespace mlir::ring
