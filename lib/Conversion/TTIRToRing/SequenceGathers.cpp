// SPDX-License-Identifier: Apache-2.0
// The collectives that bring a sharded sequence to an attention.

#include "SequenceGathers.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kHeads = 1, kRows = kRowsDim;

//===----------------------------------------------------------------------===//
// Gathered rows
//===----------------------------------------------------------------------===//

/// The dimension that an op of rank `rank` counts from its end if negative.
static int64_t dimOf(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

/// Whether `op` gathers the dimension `dim` of its result.
static bool gathersDim(ttir::AllGatherOp gather, int64_t dim) {
  return dimOf(gather.getAllGatherDim(),
               TTIRBuilder::typeOf(gather.getResult()).getRank()) == dim;
}

/// The gather that made `rows`, of whichever dimension.
static ttir::AllGatherOp gatherOf(Rows rows) {
  return rows.tensor.getDefiningOp<ttir::AllGatherOp>();
}

/// The rows of a tensor of four dimensions.
static std::optional<Rows> rowsOf(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() != 4 || !type.hasStaticShape())
    return std::nullopt;
  return Rows{tensor, kRows};
}

std::optional<GatheredRows> GatheredRows::ofGather(Value tensor) {
  std::optional<Rows> rows = rowsOf(tensor);
  std::optional<RowTrace> trace =
      rows ? RowTrace::find(*rows, [](Rows at) { return bool(gatherOf(at)); })
           : std::nullopt;
  if (!trace)
    return std::nullopt;
  ttir::AllGatherOp gather = gatherOf(trace->from);
  Rows local{gather.getInput(), trace->from.dim};
  if (!gathersDim(gather, trace->from.dim) || local.size() == 0)
    return std::nullopt;
  int64_t devices = trace->from.size() / local.size();
  return GatheredRows(tensor, local.tensor, std::move(*trace),
                      gather.getClusterAxis(), devices);
}

std::string GatheredRows::obstacleTo(Value tensor) {
  std::optional<Rows> at = rowsOf(tensor), before = at;
  for (; before; before = beforeRowwiseOp(*at))
    at = before;
  if (!at)
    return {};
  Operation *stop = at->tensor.getDefiningOp();
  if (!stop || isa<ttir::AllGatherOp>(stop))
    return {};
  // The gather that the way was leading to, if there is one not far off.
  constexpr int kReach = 4;
  Operation *op = stop;
  for (int steps = 0; op && !isa<ttir::AllGatherOp>(op); ++steps)
    op = steps < kReach && op->getNumOperands() > 0
             ? op->getOperand(0).getDefiningOp()
             : nullptr;
  if (!op)
    return {};
  if (isa<ttir::SliceStaticOp>(stop))
    return "a slice of gathered rows that are not the first";
  return (stop->getName().getStringRef() +
          " between an all_gather and the attention")
      .str();
}

Value GatheredRows::shard(OpBuilder &builder) const {
  return trace.repeat(builder, local);
}

Value GatheredRows::whole(OpBuilder &builder, Location loc) const {
  if (tensor.getDefiningOp<ttir::AllGatherOp>())
    return tensor;
  return TTIRBuilder(builder, loc)
      .allGather(shard(builder), kRows, meshAxis, devices);
}

bool isPartitionOf(Operation *user, Rows rows, int64_t axis) {
  auto partition = dyn_cast<ttir::MeshPartitionOp>(user);
  return partition &&
         dimOf(partition.getDim(),
               TTIRBuilder::typeOf(rows.tensor).getRank()) == rows.dim &&
         static_cast<int64_t>(partition.getClusterAxis().value_or(0)) == axis;
}

/// The same from `at` on, which `way` leads to.
static void partitionFirst(OpBuilder &builder, Rows at, RowTrace &way,
                           int64_t axis, int64_t ranks) {
  for (Operation *user : llvm::make_early_inc_range(at.tensor.getUsers())) {
    if (isPartitionOf(user, at, axis)) {
      if (way.made.empty())
        continue;
      builder.setInsertionPoint(user);
      Value own =
          TTIRBuilder(builder, user->getLoc())
              .meshPartition(way.from.tensor, way.from.dim, axis, ranks);
      user->getResult(0).replaceAllUsesWith(way.repeat(builder, own));
      user->erase();
    } else if (std::optional<Rows> behind = behindRowwiseOp(user, at)) {
      way.made.push_back(*behind);
      partitionFirst(builder, *behind, way, axis, ranks);
      way.made.pop_back();
      if (user->use_empty())
        user->erase();
    }
  }
}

void partitionFirst(OpBuilder &builder, Rows whole, int64_t axis,
                    int64_t ranks) {
  RowTrace way{whole, {}};
  partitionFirst(builder, whole, way, axis, ranks);
}

//===----------------------------------------------------------------------===//
// Rows traded for heads
//===----------------------------------------------------------------------===//

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

/// The mesh axis whose lines of devices are exactly the replica groups.
static std::optional<int64_t> axisOfGroups(Operation *op,
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

std::optional<GatheredRows> GatheredRows::ofHeadTrade(Value tensor) {
  auto trade = tensor.getDefiningOp<ttir::AllToAllOp>();
  if (!trade || trade.getSplitDim() != kHeads || trade.getConcatDim() != kRows)
    return std::nullopt;
  auto groups = dyn_cast<DenseIntElementsAttr>(trade.getReplicaGroups());
  if (!groups)
    return std::nullopt;
  std::optional<int64_t> axis = axisOfGroups(trade, groups);
  if (!axis)
    return std::nullopt;
  return GatheredRows(tensor, trade.getInput(), RowTrace{{tensor, kRows}, {}},
                      *axis, trade.getSplitCount());
}

bool isTradeBack(Operation *user, int64_t axis) {
  auto trade = dyn_cast<ttir::AllToAllOp>(user);
  if (!trade || trade.getSplitDim() != kRows || trade.getConcatDim() != kHeads)
    return false;
  auto groups = dyn_cast<DenseIntElementsAttr>(trade.getReplicaGroups());
  return groups && axisOfGroups(trade, groups) == axis;
}

} // namespace mlir::ring
