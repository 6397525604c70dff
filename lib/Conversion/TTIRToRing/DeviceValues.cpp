// SPDX-License-Identifier: Apache-2.0
// Which values of a function are one device's own.

#include "DeviceValues.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

/// Whether `op` exchanges data between devices.
bool isCollective(Operation *op) {
  return isa<ttir::AllGatherOp, ttir::AllReduceOp, ttir::ReduceScatterOp,
             ttir::CollectivePermuteOp, ttir::AllToAllOp,
             ttir::MeshPartitionOp>(op);
}

bool isPresharded(FunctionOpInterface function, unsigned index) {
  auto status = function.getArgAttrOfType<ttcore::ShardStatusAttr>(
      index, "ttcore.shard_status");
  return status && status.getValue() == ttcore::ShardStatus::Presharded;
}

/// Whether a function is one device's as a whole.
bool isDeviceFunction(FunctionOpInterface function) {
  bool exchanges = false, shards = false;
  function.walk([&](Operation *op) {
    exchanges |= isCollective(op);
    shards |= isa<ttir::MeshShardOp>(op);
  });
  return exchanges && !shards;
}

} // namespace

bool areOnDevices(ValueRange values) {
  llvm::SmallSetVector<Value, 16> seen(values.begin(), values.end());
  // Asked at most once: values of one function are not mixed with another's.
  std::optional<bool> everywhere;
  for (size_t next = 0; next < seen.size(); ++next) {
    Value value = seen[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = dyn_cast_or_null<FunctionOpInterface>(
          argument.getOwner()->getParentOp());
      if (!function)
        continue;
      if (!everywhere)
        everywhere = isDeviceFunction(function);
      if (*everywhere || isPresharded(function, argument.getArgNumber()))
        return true;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isCollective(op))
      return true;
    if (auto shard = dyn_cast<ttir::MeshShardOp>(op)) {
      if (shard.getShardDirection() == ttcore::MeshShardDirection::FullToShard)
        return true;
      continue;
    }
    seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace mlir::ring
