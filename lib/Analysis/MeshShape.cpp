// SPDX-License-Identifier: Apache-2.0
// The mesh that a piece of IR is compiled for.

#include "ring/Analysis/MeshShape.h"
#include "mlir/IR/BuiltinOps.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
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

SmallVector<int64_t> findProgramMesh(Operation *root) {
  SmallVector<int64_t> mesh = findMeshShape(root);
  if (!mesh.empty())
    return mesh;
  root->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](Attribute attribute) {
      if (auto axis = dyn_cast<AxisAttr>(attribute))
        mesh.assign(axis.getMesh().begin(), axis.getMesh().end());
      else if (auto sharding = dyn_cast<ShardingAttr>(attribute))
        mesh.assign(sharding.getMesh().begin(), sharding.getMesh().end());
    });
    return mesh.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (mesh.empty())
    mesh = {1, 1};
  return mesh;
}

} // namespace mlir::ring
