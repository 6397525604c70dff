// SPDX-License-Identifier: Apache-2.0
// Which plans can honour which attentions. Every feature that a strategy does
// not carry out is refused here, by name; nothing is ever ignored further down.

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/DilatedGroups.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

using Refusal = std::optional<std::string>;

template <typename... Args>
std::string say(const char *format, Args &&...args) {
  return llvm::formatv(format, std::forward<Args>(args)...).str();
}

/// The devices that share the heads.
int64_t headShards(PlanAttr plan) {
  return plan.getHeadsAxis() ? plan.getAxis().getMesh()[*plan.getHeadsAxis()]
                             : 1;
}

Refusal refuseHeads(const AttentionTraits &traits, PlanAttr plan) {
  int64_t shards = headShards(plan);
  if (traits.heads % shards != 0)
    return say("expects {0} devices to divide the {1} heads", shards,
               traits.heads);
  if (traits.kvHeads % shards != 0 && shards % traits.kvHeads != 0)
    return say("expects {0} devices to divide the {1} key heads, or to be "
               "divided by them",
               shards, traits.kvHeads);
  return std::nullopt;
}

/// Heads of keys that one device has, once they are split over their axis.
int64_t localKvHeads(const AttentionTraits &traits, PlanAttr plan) {
  return std::max<int64_t>(traits.kvHeads / headShards(plan), 1);
}

/// All-to-alls give every rank of a group some heads of the whole sequence.
Refusal refuseHeadTrade(const AttentionTraits &traits, PlanAttr plan,
                        int64_t ranks) {
  if (plan.getLayout() == LayoutKind::Striped)
    return say("expects a contiguous or zigzag layout, but got striped: the "
               "stripes of a group of ranks are not those of a ring");
  if (traits.mask && plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout beside a mask");
  int64_t heads = traits.heads / headShards(plan);
  if (heads % ranks != 0)
    return say("expects {0} ranks to divide the {1} heads of a device", ranks,
               heads);
  int64_t kvHeads = localKvHeads(traits, plan);
  if (kvHeads % ranks != 0 && ranks % kvHeads != 0)
    return say("expects {0} ranks to divide the {1} key heads of a device, or "
               "to be divided by them",
               ranks, kvHeads);
  return std::nullopt;
}

/// Sharded joint tokens go with strategies that leave queries where they are.
Refusal refuseShardedJoint(const AttentionTraits &traits, PlanAttr plan) {
  Strategy strategy = plan.getStrategy();
  if (!traits.jointSharded || plan.getRanks() == 1 ||
      strategy == Strategy::Ring || strategy == Strategy::AllGather)
    return std::nullopt;
  return say("expects ring or all_gather for sharded joint tokens, but got {0}",
             stringifyStrategy(strategy));
}

/// A paged cache is gathered from its pages in order.
Refusal refusePages(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.pages)
    return std::nullopt;
  Strategy strategy = plan.getStrategy();
  if (strategy != Strategy::Ring && strategy != Strategy::AllGather &&
      strategy != Strategy::SplitKV && strategy != Strategy::Replicate)
    return say("expects ring, all_gather, split_kv or replicate for a paged "
               "cache, but got {0}",
               stringifyStrategy(strategy));
  if (traits.mask)
    return say("expects no mask beside a paged cache");
  if (traits.chunkStart && *traits.chunkStart < 0)
    return say("expects a chunk to start at 0 or later, but got {0}",
               *traits.chunkStart);
  return std::nullopt;
}

/// Neighbours before and after must be different ranks, or their keys would
/// count twice.
Refusal refuseLongWindow(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  int64_t shard =
      paddedLength(traits.keys, plan.getLayout(), ranks, traits.replicated) /
      ranks;
  auto hops = [&](int64_t rows) {
    return std::min<int64_t>(
        llvm::divideCeil(std::max<int64_t>(rows, 0), shard), ranks - 1);
  };
  int64_t before = hops(*traits.band.before), after = hops(*traits.band.after);
  if (before + after >= ranks)
    return say("expects the window to reach fewer than {0} other ranks, but it "
               "reaches {1} before and {2} after",
               ranks, before, after);
  return std::nullopt;
}

Refusal refuseStrategy(const AttentionTraits &traits, PlanAttr plan) {
  int64_t ranks = plan.getAxis().getRanks();
  bool contiguous = plan.getLayout() == LayoutKind::Contiguous;
  switch (plan.getStrategy()) {
  case Strategy::Replicate:
    return std::nullopt;
  case Strategy::AllGather:
    if (traits.mask && !contiguous)
      return say("expects a contiguous layout beside a mask");
    return std::nullopt;
  case Strategy::Ring:
  case Strategy::DoubleRing:
    if (traits.mask && !contiguous)
      return say("expects a contiguous layout beside a mask");
    return std::nullopt;
  case Strategy::Ulysses:
    return refuseHeadTrade(traits, plan, ranks);
  case Strategy::Usp:
    return refuseHeadTrade(traits, plan, plan.getUlysses().value_or(1));
  case Strategy::Halo:
    if (!traits.band.before || !traits.band.after)
      return say("expects a sliding window");
    if (!contiguous)
      return say("expects a contiguous layout, but got {0}",
                 stringifyLayoutKind(plan.getLayout()));
    if (traits.mask)
      return say("expects no mask beside the window");
    return refuseLongWindow(traits, plan);
  case Strategy::SplitKV:
    if (!traits.band.isUnbounded() && !traits.pages)
      return say("expects every query to attend to every key");
    if (traits.joint)
      return say("expects no joint tokens");
    if (!contiguous)
      return say("expects a contiguous layout, but got {0}",
                 stringifyLayoutKind(plan.getLayout()));
    return std::nullopt;
  }
  llvm_unreachable("unknown strategy");
}

std::string refuseBothWays() {
  return say("expects gradients to travel forward, one hop behind their keys, "
             "but got both directions");
}

/// Gradients have fewer forms than attentions.
Refusal refuseBackward(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.backward)
    return std::nullopt;
  Strategy strategy = plan.getStrategy();
  if (strategy != Strategy::Ring && strategy != Strategy::AllGather &&
      strategy != Strategy::Replicate)
    return say("expects ring, all_gather or replicate for gradients, but got "
               "{0}",
               stringifyStrategy(strategy));
  if (strategy == Strategy::Ring && plan.getDirections() == Directions::Both)
    return refuseBothWays();
  if (plan.getForm() == Form::Fused)
    return say("expects the explicit form for gradients: no device op fuses "
               "them with transfers");
  return std::nullopt;
}

/// Rows that lie differently on every device are listed: each residue of each
/// segment on each device.
Refusal refuseLongLists(const AttentionTraits &traits, PlanAttr plan) {
  constexpr int64_t kMostEntries = int64_t(1) << 22;
  int64_t devices = plan.getAxis().getNumDevices();
  int64_t ranks = plan.getAxis().getRanks();
  // Another order of keys lists every row.
  if (traits.dilation.getOrder() != KeyOrder::Identity &&
      traits.keys > kMostEntries / std::max<int64_t>(devices / ranks, 1))
    return say("expects at most {0} entries in the lists of keys in {1} order, "
               "but got {2} keys for each of {3} rings",
               kMostEntries, stringifyKeyOrder(traits.dilation.getOrder()),
               traits.keys, devices / ranks);
  for (int64_t i = 0, e = traits.dilation.getSegments().size(); i < e; ++i) {
    auto pair = pairOf(traits.dilation, i, traits.queries);
    if (!pair || placeEvenly(traits, plan, *pair))
      continue;
    bool all = traits.dilation.getPhase() == DilationPhase::AllResidues;
    int64_t residues = all ? std::min(pair->rate, pair->span) : 1;
    // A segment is listed by the ranks that have some of it, once for each
    // ring.
    int64_t lists = pair->count * (devices / ranks) + devices;
    if (lists > kMostEntries / residues)
      return say("expects at most {0} entries in the lists of rows that differ "
                 "by device, but got {1} residues of {2} segments",
                 kMostEntries, residues, pair->count);
  }
  return std::nullopt;
}

/// Groups of heads travel each for itself, among the ranks that share their
/// segments.
Refusal refuseDilated(const AttentionTraits &traits, PlanAttr plan) {
  Strategy strategy = plan.getStrategy();
  if (strategy == Strategy::Halo || strategy == Strategy::SplitKV ||
      strategy == Strategy::DoubleRing)
    return say("expects ring, all_gather, ulysses, usp or replicate for a "
               "dilated pattern, but got {0}",
               stringifyStrategy(strategy));
  if (plan.getForm() == Form::Fused)
    return say("expects the explicit form for a dilated pattern: no device op "
               "has one");
  if (plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a contiguous layout for a dilated pattern, but got {0}",
               stringifyLayoutKind(plan.getLayout()));
  bool hasRing = strategy == Strategy::Ring || strategy == Strategy::Usp;
  if (traits.backward && hasRing && plan.getDirections() == Directions::Both)
    return refuseBothWays();
  if (Refusal refusal = refuseLongLists(traits, plan))
    return refusal;
  if (strategy != Strategy::Ulysses)
    return std::nullopt;
  int64_t shards = headShards(plan);
  for (const DilatedGroup &group :
       groupsOf(traits.dilation, traits.queries, traits.heads / shards,
                localKvHeads(traits, plan), /*firstHead=*/0, traits.heads)) {
    auto placement = placeEvenly(traits, plan, group.pair);
    if (!placement)
      return say("expects segments and heads that lie alike on every device, "
                 "but pair {0} does not",
                 group.number);
    if (placement->ranks > 1 &&
        !tradeTraffic(group, /*rows=*/1, placement->ranks, traits))
      return say("expects {0} ranks to divide the {1} heads of pair {2}, and "
                 "its {3} key heads or to be divided by them",
                 placement->ranks, group.queries.size(), group.number,
                 group.keys.size());
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The rules of the fused device ops
//===----------------------------------------------------------------------===//

constexpr int64_t kLargestDeviceRing = 32;

/// What both device ops ask for.
Refusal refuseFused(const AttentionTraits &traits, PlanAttr plan) {
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
                               traits.replicated) /
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
    return paddedLength(rows, plan.getLayout(), ranks, traits.replicated) /
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

std::optional<std::string> refusalOf(const AttentionTraits &traits,
                                     PlanAttr plan) {
  if (Refusal refusal = refuseHeads(traits, plan))
    return refusal;
  if (traits.dilation)
    return refuseDilated(traits, plan);
  if (Refusal refusal = refuseBackward(traits, plan))
    return refusal;
  bool fused = plan.getForm() == Form::Fused;
  if (Refusal refusal = refusePages(traits, plan))
    return refusal;
  if (Refusal refusal = refuseShardedJoint(traits, plan))
    return refusal;
  if (Refusal refusal = refuseStrategy(traits, plan))
    return refusal;
  if (!fused)
    return std::nullopt;
  if (Refusal refusal = refuseFused(traits, plan))
    return refusal;
  switch (plan.getStrategy()) {
  case Strategy::Ring:
    return refuseRingJoint(traits, plan);
  case Strategy::AllGather:
    return refuseRingDistributed(traits, plan);
  default:
    return say("expects strategy ring or all_gather for a fused form, but got "
               "{0}",
               stringifyStrategy(plan.getStrategy()));
  }
}

} // namespace mlir::ring
