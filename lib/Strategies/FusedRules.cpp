// SPDX-License-Identifier: Apache-2.0
// What the device ops for distributed attention ask for.

#include "Rules.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

constexpr int64_t kLargestDeviceRing = 32;

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
  if (traits.lse)
    return say("expects no log-sum-exp to be asked for: the device op has none "
               "to give");
  if (traits.elementType.isF32())
    return say("expects bf16 or a block float, but got f32");
  return std::nullopt;
}

/// With a window ring_joint fetches keys of the rank before alone, in whole
/// chunks. 600 keys before, chunks of 256: 768 rows, so shards of at least 768.
Refusal refuseRingJointWindow(const AttentionTraits &traits, PlanAttr plan,
                              int64_t keysOnDevice) {
  if (!traits.isCausal())
    return say("expects a window that ends at the query");
  if (plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout beside a window, but got {0}",
               stringifyLayoutKind(plan.getLayout()));
  ComputeAttr compute = plan.getCompute();
  int64_t chunk = compute ? compute.getKChunk().value_or(kTileRows) : kTileRows;
  int64_t reach =
      llvm::alignTo(std::min(*traits.band.before, traits.keys), chunk);
  if (reach > keysOnDevice)
    return say("expects a window that reaches at most {0} keys before, those "
               "of one device, but got {1}",
               keysOnDevice, reach);
  return std::nullopt;
}

/// ring_joint knows shares of joint tokens by their being fewer than all. 7
/// tokens on 2 ranks, padded to a tile each: 32 rows, which look like all 7.
Refusal refuseRingJointShares(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  if (!traits.jointSharded || ranks == 1)
    return std::nullopt;
  int64_t share = paddedLength(traits.joint, LayoutKind::Contiguous, ranks,
                               traits.perDevice) /
                  ranks;
  if (share >= traits.realJoint)
    return say("expects more joint tokens than the {0} rows of a device's "
               "share, but got {1}",
               share, traits.realJoint);
  return std::nullopt;
}

/// ring_joint_scaled_dot_product_attention.
Refusal refuseRingJoint(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getLayout() == LayoutKind::Striped)
    return say("expects a contiguous or zigzag layout, but got striped");
  if (traits.pages)
    return say("expects no pages");
  if (traits.kvHeads != traits.heads && traits.joint)
    return say("expects as many key heads as query heads beside joint tokens, "
               "but got {0} and {1}",
               traits.kvHeads, traits.heads);
  if (auto refusal = refuseRingJointShares(traits, plan))
    return refusal;
  if (traits.sink && (!traits.isCausal() || traits.joint))
    return say("expects a sink only beside a causal pattern without joint "
               "tokens");
  if (plan.getLayout() == LayoutKind::Zigzag && !traits.isCausal())
    return say("expects a zigzag layout only beside a causal pattern");
  int64_t ranks = plan.getAxis().getRanks();
  auto shard = [&](int64_t rows) {
    return paddedLength(rows, plan.getLayout(), ranks, traits.perDevice) /
           ranks;
  };
  if (shard(traits.queries) > shard(traits.keys))
    return say("expects no more queries than keys on a device, but got {0} and "
               "{1}",
               shard(traits.queries), shard(traits.keys));
  for (int64_t rows : {shard(traits.queries), shard(traits.keys)})
    if (rows % kTileRows != 0)
      return say("expects whole tiles of {0} rows on a device, but got {1}",
                 kTileRows, rows);
  if (traits.isWindow())
    if (auto refusal = refuseRingJointWindow(traits, plan, shard(traits.keys)))
      return refusal;
  ComputeAttr compute = plan.getCompute();
  if (plan.getLayout() == LayoutKind::Zigzag && compute &&
      compute.getQChunk() &&
      shard(traits.queries) / 2 % *compute.getQChunk() != 0)
    return say("expects a query chunk to divide half a shard, {0}, but got {1}",
               shard(traits.queries) / 2, *compute.getQChunk());
  if (compute && !compute.getGrid().empty() &&
      !compute.getCclOffset().empty() &&
      compute.getCclOffset()[1] < compute.getGrid()[1] &&
      compute.getCclOffset()[0] < compute.getGrid()[0])
    return say("expects the cores that move data outside the {0}x{1} that "
               "compute, but got them from {2}x{3} on",
               compute.getGrid()[0], compute.getGrid()[1],
               compute.getCclOffset()[0], compute.getCclOffset()[1]);
  return std::nullopt;
}

/// ring_distributed takes a chunk's start as a parameter, in whole chunks and
/// pages. 1024 queries from 512 on, pages of 64: a key chunk divides 1536.
Refusal refuseRingDistributedPages(const AttentionTraits &traits,
                                   PlanAttr plan) {
  if (!traits.chunkStart)
    return say("expects a chunk start that is a constant: it is a parameter of "
               "the device op");
  int64_t start = *traits.chunkStart, end = start + traits.queries;
  if (start % traits.pageRows != 0)
    return say("expects a page of {0} keys to divide the chunk start, but got "
               "{1}",
               traits.pageRows, start);
  ComputeAttr compute = plan.getCompute();
  if (compute && compute.getQChunk() && start % *compute.getQChunk() != 0)
    return say("expects a query chunk of {0} to divide the chunk start, but "
               "got {1}",
               *compute.getQChunk(), start);
  if (compute && compute.getKChunk() && end % *compute.getKChunk() != 0)
    return say("expects a key chunk of {0} to divide the end of the chunk, but "
               "got {1}",
               *compute.getKChunk(), end);
  if (end > traits.keys)
    return say("expects pages for all {0} positions, but got {1} keys", end,
               traits.keys);
  return std::nullopt;
}

/// ring_distributed_scaled_dot_product_attention.
Refusal refuseRingDistributed(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  if (plan.getLayout() != LayoutKind::Zigzag)
    return say("expects a zigzag layout, but got {0}",
               stringifyLayoutKind(plan.getLayout()));
  if (!traits.isCausal() || traits.isWindow())
    return say("expects a causal pattern without a window");
  if (traits.sink || traits.joint)
    return say("expects no sink and no joint tokens");
  if (traits.length)
    return say("expects no length: the device op counts all keys");
  if (ranks % 2 != 0)
    return say("expects an even ring, but got {0}", ranks);
  if (traits.queries % (2 * ranks) != 0)
    return say("expects twice the ring to divide the queries, but got {0}",
               traits.queries);
  if (traits.queries / kTileRows < 2 * ranks)
    return say("expects at least {0} tiles of queries, but got {1}", 2 * ranks,
               traits.queries / kTileRows);
  ComputeAttr compute = plan.getCompute();
  if (compute && compute.getQChunk() &&
      traits.queries / (2 * ranks) % *compute.getQChunk() != 0)
    return say("expects a query chunk to divide {0} rows, but got {1}",
               traits.queries / (2 * ranks), *compute.getQChunk());
  return traits.pages ? refuseRingDistributedPages(traits, plan) : std::nullopt;
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
