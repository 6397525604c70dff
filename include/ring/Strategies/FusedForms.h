// SPDX-License-Identifier: Apache-2.0
// What the device ops of the fused forms are told of an attention. The planner
// prices by it, the rules hold it against what the ops take, and
// ring-outline-fused writes it down.

#ifndef RING_STRATEGIES_FUSEDFORMS_H
#define RING_STRATEGIES_FUSEDFORMS_H

#include "ring/Analysis/AttentionTraits.h"

namespace mlir::ring {

/// The ops of the device that compute an attention over several devices:
/// - ring_joint passes keys and values round,
/// - ring_mla passes one head of keys round whose first columns the values are,
/// - ring_distributed finds all keys on every device.
enum class DeviceOp { RingJoint, RingMla, RingDistributed };

/// The one that a fused plan of this attention is.
DeviceOp deviceOpOf(const AttentionTraits &traits, PlanAttr plan);

/// The plan whose program the device op of a fused one stands for.
PlanAttr inExplicitForm(PlanAttr plan);

/// "ring_mla": what users of the options call it.
StringRef nameOf(DeviceOp op);
/// The name of the composite that calls it.
StringRef compositeNameOf(DeviceOp op);

/// Rows of a chunk of queries, and of keys: those of the plan, else one tile,
/// which every shard is a multiple of.
int64_t queryChunkOf(PlanAttr plan);
int64_t keyChunkOf(PlanAttr plan);

/// The rows that a device has of `rows`, padding included.
int64_t shardRows(const AttentionTraits &traits, PlanAttr plan, int64_t rows);
/// The joint tokens that a device has: all, or its share.
int64_t jointRows(const AttentionTraits &traits, PlanAttr plan);

/// How many keys ring_joint and ring_mla count, from the first of the first
/// rank to the last of the last. It takes them to be in this order, so that it
/// would drop real keys of a zigzag whose end is padding; there it counts all
/// of them, and the causal pattern hides the padding: nothing before it sees
/// it.
int64_t ringJointLength(const AttentionTraits &traits, PlanAttr plan);

/// Whether a chunk of a prompt attends to a cache that is dealt to the devices:
/// ring_mla's form for fewer queries than keys. Rank r has the queries from
/// `start + r Nq` on, and of the cache every R-th block of Nq rows, so that the
/// new rows are the last block of each.
bool isChunkOverCache(const AttentionTraits &traits);

/// How the devices have the keys that a fused ring passes round; of a chunk
/// over a cache those up to the chunk's end, which are all that travel.
LayoutAttr ringKeys(const AttentionTraits &traits, PlanAttr plan);

/// Whether ring_joint has fewer queries than keys on a device, which it has to
/// be told.
bool isCross(const AttentionTraits &traits, PlanAttr plan);

} // namespace mlir::ring

#endif // RING_STRATEGIES_FUSEDFORMS_H
