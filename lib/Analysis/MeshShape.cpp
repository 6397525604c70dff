// SPDX-License-Identifier: Apache-2.0
// The mesh that a piece of IR is compiled for.

#include "ring/Analysis/MeshShape.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

SmallVector<int64_t> findMeshShape(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    if (!isa<ModuleOp>(scope))
      continue;
    if (auto meshes = scope->getAttrOfType<ttcore::MeshesAttr>("ttcore.meshes"))
      if (!meshes.getMeshes().empty())
        return SmallVector<int64_t>(meshes.getMeshes().front().getShape());
    for (auto device : cast<ModuleOp>(scope).getOps<ttcore::DeviceOp>())
      if (!device.getDeviceAttr().getMeshShape().empty())
        return SmallVector<int64_t>(device.getDeviceAttr().getMeshShape());
  }
  return {};
}

} // namespace mlir::ring
