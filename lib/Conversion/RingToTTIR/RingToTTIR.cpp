// SPDX-License-Identifier: Apache-2.0
// A ring program in ops that tt-mlir has today.

#include "Patterns.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

/// What tt-mlir's meshes have at most.
constexpr size_t kMostMeshAxes = 2;

/// The mesh that a ring op names; empty for an op that names none.
ArrayRef<int64_t> meshOf(Operation *op) {
  if (auto sharding = op->getAttrOfType<ShardingAttr>("sharding"))
    return sharding.getMesh();
  if (auto axis = op->getAttrOfType<AxisAttr>("axis"))
    return axis.getMesh();
  return {};
}

/// Device numbers and cluster axes mean something only beside the mesh.
void nameMesh(ModuleOp module) {
  module.walk([](Operation *op) {
    ArrayRef<int64_t> shape = meshOf(op);
    if (shape.empty() || !findMeshShape(op).empty())
      return;
    MLIRContext *context = op->getContext();
    auto mesh =
        ttcore::MeshAttr::get(context, StringAttr::get(context, "mesh"), shape);
    op->getParentOfType<ModuleOp>()->setAttr(
        "ttcore.meshes", ttcore::MeshesAttr::get(context, {mesh}));
  });
}

/// Stages before and after the one that has a form in TTIR.
LogicalResult refuseOpsWithoutForm(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (size_t axes = meshOf(op).size(); axes > kMostMeshAxes) {
      op->emitOpError("expects a mesh of at most ")
          << kMostMeshAxes
          << " axes, which is what mesh_partition and the devices of TTNN "
             "have, but got "
          << axes;
      return WalkResult::interrupt();
    }
    if (isa<WholeAttentionOpInterface>(op)) {
      op->emitOpError("expects ring-plan and ring-shard to have run");
      return WalkResult::interrupt();
    }
    bool isTensors = llvm::all_of(
        llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
        [](Type type) { return !isa<StateType, BufferType, TokenType>(type); });
    if (isa_and_nonnull<RingDialect>(op->getDialect()) && !isTensors) {
      op->emitOpError("has no form in TTIR, which knows neither states nor "
                      "transfers under way: convert before ring-merge-lse "
                      "and ring-overlap");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// tt-mlir does not know the dialect, not even by an attribute.
void removeRingAttributes(ModuleOp module) {
  module.walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (attribute.getName().getValue().starts_with("ring."))
        op->removeDiscardableAttr(attribute.getName());
  });
}

} // namespace

LogicalResult convertRingToTTIR(ModuleOp module, BlockLowering lowering) {
  nameMesh(module);
  restoreInfinityOfLeavingLses(module);

  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateBlockPatterns(patterns, lowering);
  populateBackwardPatterns(patterns, lowering);
  populateEmbeddingPatterns(patterns);
  populateTransferPatterns(patterns);
  populateRoutePatterns(patterns);
  populateShardPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<RingDialect>();
  target.addDynamicallyLegalOp<tt::ttir::EmbeddingOp>(
      [](tt::ttir::EmbeddingOp op) { return !hasOtherTable(op); });
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(refuseOpsWithoutForm(module)) ||
      failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  writeInPlace(module);
  removeRingAttributes(module);
  return success();
}

} // namespace mlir::ring
