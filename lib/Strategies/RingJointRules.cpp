// SPDX-License-Identifier: Apache-2.0
// What ring_joint_scaled_dot_product_attention takes, and computes rightly.

#include "Rules.h"

namespace mlir::ring {
namespace {

/// The op knows shares of joint tokens by their being fewer than all. 7 tokens
/// on 2 ranks, padded to a tile each: 32 rows, which look like all 7.
Refusal refuseShares(const AttentionTraits &traits, PlanAttr plan) {
  int64_t share = jointRows(traits, plan);
  if (share >= traits.realJoint)
    return say("expects more joint tokens than the {0} rows of a device's "
               "share, but got {1}",
               share, traits.realJoint);
  if (share % kTileRows != 0)
    return say("expects a device's share of the joint tokens to be whole tiles "
               "of {0} rows, but got {1}",
               kTileRows, share);
  // The kernel with f32 sums waits for shares of padding that nobody sends.
  if (share * plan.getAxis().getRanks() > traits.realJoint &&
      plan.getCompute() && plan.getCompute().getFp32Accumulation())
    return say("expects fp32-accumulation off where shares of joint tokens are "
               "padded, but got it on and {0} tokens in {1} rows",
               traits.realJoint, share * plan.getAxis().getRanks());
  return std::nullopt;
}

Refusal refuseJoint(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.joint)
    return std::nullopt;
  if (traits.kvHeads != traits.heads)
    return say("expects as many key heads as query heads beside joint tokens, "
               "but got {0} and {1}",
               traits.kvHeads, traits.heads);
  if (isCross(traits, plan))
    return say("expects as many queries as keys on a device beside joint "
               "tokens, but got {0} and {1}",
               shardRows(traits, plan, traits.queries),
               shardRows(traits, plan, traits.keys));
  if (traits.jointSharded)
    return refuseShares(traits, plan);
  // Tokens that every device has are all taken to be real.
  if (traits.realJoint != traits.joint)
    return say("expects no padding among joint tokens that every device has, "
               "but got {0} tokens in {1} rows",
               traits.realJoint, traits.joint);
  return std::nullopt;
}

Refusal refuseSink(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.sink)
    return std::nullopt;
  if (!traits.isCausal())
    return say("expects a sink only beside a causal pattern");
  if (!traits.sinkElementType.isBF16())
    return say("expects a bf16 sink, but got {0}", traits.sinkElementType);
  if (plan.getCompute() && plan.getCompute().getFp32Accumulation())
    return say("expects fp32-accumulation off beside a sink, but got it on");
  return std::nullopt;
}

/// A rank r of a zigzag has chunks r and 2P-1-r, early rows and late ones.
Refusal refuseZigzag(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.isCausal())
    return say("expects a zigzag layout only beside a causal pattern");
  // The op counts all keys of a zigzag (ringJointLength), so that rows from the
  // length on would see each other.
  if (traits.realKeys.value_or(traits.keys) != traits.keys)
    return say("expects a contiguous layout beside a length, but got zigzag "
               "and {0} of {1} keys",
               *traits.realKeys, traits.keys);
  int64_t half = shardRows(traits, plan, traits.queries) / 2;
  if (half % queryChunkOf(plan) != 0)
    return say("expects a query chunk to divide half a shard, {0}, but got {1}",
               half, queryChunkOf(plan));
  // A chunk that holds both halves and ends behind them is cut at its end
  // alone: queries would see late keys of the rank before.
  int64_t keys = shardRows(traits, plan, traits.keys);
  if (keyChunkOf(plan) > keys)
    return say("expects a key chunk of at most the {0} rows of a shard with a "
               "zigzag layout, but got {1}",
               keys, keyChunkOf(plan));
  return std::nullopt;
}

/// Two groups of cores, which must not overlap.
Refusal refuseCores(PlanAttr plan) {
  ComputeAttr compute = plan.getCompute();
  if (!compute || compute.getGrid().empty() || compute.getCclOffset().empty())
    return std::nullopt;
  ArrayRef<int64_t> grid = compute.getGrid(), offset = compute.getCclOffset();
  if (offset[1] < grid[1] && offset[0] < grid[0])
    return say("expects the cores that move data outside the {0}x{1} that "
               "compute, but got them from {2}x{3} on",
               grid[0], grid[1], offset[0], offset[1]);
  return std::nullopt;
}

Refusal refuseRows(const AttentionTraits &traits, PlanAttr plan) {
  int64_t queries = shardRows(traits, plan, traits.queries);
  int64_t keys = shardRows(traits, plan, traits.keys);
  if (queries > keys)
    return say("expects no more queries than keys on a device, but got {0} and "
               "{1}",
               queries, keys);
  for (int64_t rows : {queries, keys})
    if (rows % kTileRows != 0)
      return say("expects whole tiles of {0} rows on a device, but got {1}",
                 kTileRows, rows);
  return std::nullopt;
}

} // namespace

Refusal refuseFusedRing(const AttentionTraits &traits, PlanAttr plan) {
  if (plan.getAxis().getRanks() < 2)
    return say("expects a ring of at least 2, but got {0}",
               plan.getAxis().getRanks());
  if (plan.getLayout() == LayoutKind::Striped)
    return say("expects a contiguous or zigzag layout, but got striped");
  if (traits.pages)
    return say("expects no pages");
  if (traits.isWindow())
    return say("expects no window: the device op takes one only for a chunk of "
               "a longer prompt, with keys and values in bfp8 and a buffer for "
               "what is in reach");
  if (Refusal refusal = refuseRows(traits, plan))
    return refusal;
  if (plan.getLayout() == LayoutKind::Zigzag)
    if (Refusal refusal = refuseZigzag(traits, plan))
      return refusal;
  return refuseCores(plan);
}

Refusal refuseRingJoint(const AttentionTraits &traits, PlanAttr plan) {
  if (Refusal refusal = refuseFusedRing(traits, plan))
    return refusal;
  if (!traits.isCausal() && traits.valueDim != traits.dim)
    return say("expects values as wide as keys without a causal pattern, but "
               "got {0} and {1}",
               traits.valueDim, traits.dim);
  if (Refusal refusal = refuseJoint(traits, plan))
    return refusal;
  return refuseSink(traits, plan);
}

} // namespace mlir::ring
