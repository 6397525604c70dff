// SPDX-License-Identifier: Apache-2.0
// Relayouts differ from rank to rank, routes from device to device.

#include "TransferParts.h"
#include "LiveBytes.h"
#include "ring/Dialect/Ring/IR/RouteTransfers.h"

#include <algorithm>

namespace mlir::ring {

static TransferParts partsOf(ArrayRef<Transfer> transfers) {
  TransferParts parts;
  for (const Transfer &transfer : transfers)
    parts.push_back({transfer.source, static_cast<double>(transfer.bytes)});
  return parts;
}

template <typename Op>
static std::vector<TransferParts> partsOfRoute(Op op) {
  std::vector<TransferParts> byDevice;
  for (ArrayAttr legs : op.getLegs().template getAsRange<ArrayAttr>())
    byDevice.push_back(
        partsOf(transfersAlong(legs, op.getInput().getType(),
                               op.getDimAttr().getInt(), op.getAxis())));
  return byDevice;
}

static std::vector<TransferParts> partsOfRelayout(RelayoutOp op) {
  AxisAttr axis = op.getAxis();
  std::vector<TransferParts> byRank, byDevice;
  for (int64_t rank = 0; rank < axis.getRanks(); ++rank)
    byRank.push_back(partsOf(op.getTransfersTo(rank)));
  for (int64_t device = 0; device < axis.getNumDevices(); ++device)
    byDevice.push_back(byRank[axis.rankOf(device)]);
  return byDevice;
}

TransferParts partsOf(TransferOpInterface op) {
  return partsOf(op.getTransfers());
}

std::vector<TransferParts> partsByDevice(TransferOpInterface op) {
  if (auto relayout = dyn_cast<RelayoutOp>(op.getOperation()))
    return partsOfRelayout(relayout);
  if (auto route = dyn_cast<RouteOp>(op.getOperation()))
    return partsOfRoute(route);
  if (auto route = dyn_cast<StartRouteOp>(op.getOperation()))
    return partsOfRoute(route);
  return {};
}

double bytesMovedOnDevice(TransferOpInterface op) {
  auto route = dyn_cast<RouteOp>(op.getOperation());
  if (!route)
    return bytesOf(op->getResult(0));
  RankedTensorType type = route.getInput().getType();
  int64_t most = 0;
  for (ArrayAttr legs : route.getLegs().getAsRange<ArrayAttr>()) {
    int64_t rows = 0;
    for (LegAttr leg : legs.getAsRange<LegAttr>())
      if (leg.getSource() % route.getAxis().getRanks() == 0)
        rows += leg.getSize();
    most = std::max(most, rows);
  }
  return bytesOf(route.getInput()) * static_cast<double>(most) /
         static_cast<double>(type.getDimSize(route.getDimAttr().getInt()));
}

} // namespace mlir::ring
