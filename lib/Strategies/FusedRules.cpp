// SPDX-License-Identifier: Apache-2.0
// What the device ops for distributed attention are told, and what both of them
// ask for.

#include "Rules.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

int64_t queryChunkOf(PlanAttr plan) {
  ComputeAttr compute = plan.getCompute();
  return compute ? compute.getQChunk().value_or(kTileRows) : kTileRows;
}

int64_t keyChunkOf(PlanAttr plan) {
  ComputeAttr compute = plan.getCompute();
  return compute ? compute.getKChunk().value_or(kTileRows) : kTileRows;
}

int64_t shardRows(const AttentionTraits &traits, PlanAttr plan, int64_t rows) {
  int64_t ranks = plan.getAxis().getRanks();
  return paddedLength(rows, plan.getLayout(), ranks, traits.perDevice) / ranks;
}

int64_t jointRows(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  if (!traits.jointSharded)
    return traits.joint;
  return paddedLength(traits.joint, LayoutKind::Contiguous, ranks,
                      traits.perDevice) /
         ranks;
}

int64_t ringJointLength(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getLayout() == LayoutKind::Zigzag)
    return shardRows(traits, plan, traits.keys) * plan.getAxis().getRanks();
  return traits.realKeys.value_or(traits.keys);
}

bool isCross(const AttentionTraits &traits, PlanAttr plan) {
  return shardRows(traits, plan, traits.queries) <
         shardRows(traits, plan, traits.keys);
}

namespace {

constexpr int64_t kLargestDeviceRing = 32;

/// bf16, and the block floats that share its exponents.
bool isDeviceFormat(Type type) {
  if (auto tile = dyn_cast<ttcore::TileType>(type))
    return llvm::is_contained({ttcore::DataType::BFloat16,
                               ttcore::DataType::BFP_BFloat8,
                               ttcore::DataType::BFP_BFloat4},
                              tile.getDataType());
  return type.isBF16();
}

Refusal refuseFormats(const AttentionTraits &traits) {
  if (!isDeviceFormat(traits.elementType))
    return say("expects bf16 or a block float, but got {0}",
               traits.elementType);
  if (traits.otherElementType)
    return say("expects one element type for all operands, but got {0} and {1}",
               traits.elementType, traits.otherElementType);
  for (int64_t dim : {traits.dim, traits.valueDim})
    if (dim % kTileRows != 0)
      return say("expects heads of whole tiles, multiples of {0}, but got {1}",
                 kTileRows, dim);
  return std::nullopt;
}

/// What both device ops ask for.
Refusal refuseDeviceOp(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getAxis().getMesh().size() != 2)
    return say("expects a 2-D mesh, but got {0}-D",
               plan.getAxis().getMesh().size());
  if (plan.getAxis().getRanks() > kLargestDeviceRing)
    return say("expects a ring of at most {0}, but got {1}", kLargestDeviceRing,
               plan.getAxis().getRanks());
  if (traits.mask)
    return say("expects no mask");
  if (traits.start && !traits.pages)
    return say("expects as many queries as keys, or pages");
  if (traits.cacheBlock)
    return say("expects a cache that is whole on every device, not dealt out");
  if (traits.documents || traits.lateDocuments)
    return say("expects no documents");
  if (traits.lse)
    return say("expects no log-sum-exp to be asked for: the device op has none "
               "to give");
  return refuseFormats(traits);
}

} // namespace

Refusal refuseFused(const AttentionTraits &traits, PlanAttr plan) {
  if (Refusal refusal = refuseDeviceOp(traits, plan))
    return refusal;
  if (Refusal refusal =
          refuseFeature(plan, &StrategyInfo::hasDeviceOp, "a fused form"))
    return refusal;
  return plan.getStrategy() == Strategy::Ring
             ? refuseRingJoint(traits, plan)
             : refuseRingDistributed(traits, plan);
}

} // namespace mlir::ring
