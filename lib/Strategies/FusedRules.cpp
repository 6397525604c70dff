// SPDX-License-Identifier: Apache-2.0
// What the device ops for distributed attention are told, and what all of them
// ask for.

#include "Rules.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

DeviceOp deviceOpOf(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getStrategy() == Strategy::AllGather)
    return DeviceOp::RingDistributed;
  return traits.valuesInKeys && traits.kvHeads == 1 ? DeviceOp::RingMla
                                                    : DeviceOp::RingJoint;
}

PlanAttr inExplicitForm(PlanAttr plan) {
  if (plan.getForm() == Form::Explicit)
    return plan;
  return PlanAttr::get(plan.getContext(), plan.getStrategy(), plan.getAxis(),
                       plan.getHeadsAxis(), plan.getLayout(),
                       plan.getDirections(), Form::Explicit, plan.getTopology(),
                       plan.getHeadRanks(), plan.getInnerRanks(),
                       plan.getOuter(), plan.getNumLinks(), plan.getCompute(),
                       plan.getBalanced(), plan.getMerge());
}

StringRef nameOf(DeviceOp op) {
  switch (op) {
  case DeviceOp::RingJoint:
    return "ring_joint";
  case DeviceOp::RingMla:
    return "ring_mla";
  case DeviceOp::RingDistributed:
    return "ring_distributed";
  }
  llvm_unreachable("every op has a name");
}

StringRef compositeNameOf(DeviceOp op) {
  switch (op) {
  case DeviceOp::RingJoint:
    return "ring_joint_scaled_dot_product_attention";
  case DeviceOp::RingMla:
    return "ring_mla";
  case DeviceOp::RingDistributed:
    return "ring_distributed_scaled_dot_product_attention";
  }
  llvm_unreachable("every op has a name");
}

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

bool isChunkOverCache(const AttentionTraits &traits) {
  return traits.start && traits.cacheBlock && !traits.pages;
}

LayoutAttr ringKeys(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  if (isChunkOverCache(traits))
    return LayoutAttr::get(plan.getContext(), LayoutKind::BlockCyclic,
                           ringJointLength(traits, plan), ranks, /*offset=*/0,
                           traits.cacheBlock);
  return LayoutAttr::get(
      plan.getContext(), plan.getLayout(),
      paddedLength(traits.keys, plan.getLayout(), ranks, traits.perDevice),
      ranks, /*offset=*/0);
}

int64_t ringJointLength(const AttentionTraits &traits, PlanAttr plan) {
  if (isChunkOverCache(traits))
    return traits.chunkStart.value_or(0) + traits.queries;
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

Refusal refuseFormats(const AttentionTraits &traits, PlanAttr plan) {
  // Keys of ring_mla need not be of the queries' type.
  bool mayDiffer = deviceOpOf(traits, plan) == DeviceOp::RingMla;
  for (Type type :
       {traits.elementType, mayDiffer ? traits.otherElementType : Type()})
    if (type && !isDeviceFormat(type))
      return say("expects bf16 or a block float, but got {0}", type);
  if (traits.otherElementType && !mayDiffer)
    return say("expects one element type for all operands, but got {0} and {1}",
               traits.elementType, traits.otherElementType);
  for (int64_t dim : {traits.dim, traits.valueDim})
    if (dim % kTileRows != 0)
      return say("expects heads of whole tiles, multiples of {0}, but got {1}",
                 kTileRows, dim);
  return std::nullopt;
}

/// What all device ops ask for.
Refusal refuseDeviceOp(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getAxis().getMesh().size() != 2)
    return say("expects a 2-D mesh, but got {0}-D",
               plan.getAxis().getMesh().size());
  if (plan.getAxis().getRanks() > kLargestDeviceRing)
    return say("expects a ring of at most {0}, but got {1}", kLargestDeviceRing,
               plan.getAxis().getRanks());
  if (traits.mask)
    return say("expects no mask");
  bool takesChunk =
      isChunkOverCache(traits) && deviceOpOf(traits, plan) == DeviceOp::RingMla;
  if (traits.start && !traits.pages && !takesChunk)
    return say("expects as many queries as keys, or pages");
  if (traits.cacheBlock && !takesChunk)
    return say("expects a cache that is whole on every device, not dealt out");
  if (traits.documents || traits.lateDocuments)
    return say("expects no documents");
  if (traits.lse)
    return say("expects no log-sum-exp to be asked for: the device op has none "
               "to give");
  return refuseFormats(traits, plan);
}

} // namespace

Refusal refuseFused(const AttentionTraits &traits, PlanAttr plan) {
  if (Refusal refusal = refuseDeviceOp(traits, plan))
    return refusal;
  if (Refusal refusal =
          refuseFeature(plan, &StrategyInfo::hasDeviceOp, "a fused form"))
    return refusal;
  switch (deviceOpOf(traits, plan)) {
  case DeviceOp::RingJoint:
    return refuseRingJoint(traits, plan);
  case DeviceOp::RingMla:
    return refuseRingMla(traits, plan);
  case DeviceOp::RingDistributed:
    return refuseRingDistributed(traits, plan);
  }
  llvm_unreachable("every op has rules");
}

} // namespace mlir::ring
