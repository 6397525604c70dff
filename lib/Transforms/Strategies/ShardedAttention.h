// SPDX-License-Identifier: Apache-2.0
// One attention on its way to the program of one device: the shards of its
// tensors, the parts that a strategy adds up, and the way back to whole
// tensors.

#ifndef RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDATTENTION_H
#define RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDATTENTION_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// A normalised part of an attention: output and log-sum-exp.
struct Part {
  Value output;
  Value lse;
};

/// Keys and values travel together.
struct KeyValue {
  Value key;
  Value value;
};

class ShardedAttention {
public:
  ShardedAttention(OpBuilder &builder, AttentionOp op);

  /// Replaces the attention by what its parts add up to.
  void finish();

  //===--------------------------------------------------------------------===//
  // What a strategy finds
  //===--------------------------------------------------------------------===//

  PlanAttr plan() const { return attentionPlan; }
  AxisAttr axis() const { return plan().getAxis(); }
  int64_t ranks() const { return axis().getRanks(); }
  const AttentionTraits &traits() const { return attentionTraits; }
  TTIRBuilder &tensors() { return tensorBuilder; }

  /// The queries of this device, joint ones behind the sequence's.
  Value query() const { return localQuery; }
  KeyValue keyValue() const { return localKeyValue; }
  /// The layouts of the sequence.
  LayoutAttr queries() const { return queryLayout; }
  LayoutAttr keys() const { return keyLayout; }

  //===--------------------------------------------------------------------===//
  // What a strategy does
  //===--------------------------------------------------------------------===//

  /// Where keys of the rank `source` places further round stand.
  BlockAttr block(LayoutAttr queries, LayoutAttr keys, int64_t source,
                  AxisAttr axis, int64_t firstKey = 0);
  /// Attention of `query` over some keys. Without a block, positions count from
  /// 0 on both sides.
  Part attend(Value query, KeyValue keys, BlockAttr block, Value mask = {});
  Part merge(Part lhs, Part rhs);
  /// Adds a part to what `finish` is going to return.
  void add(Part part);

  /// Passes keys and values on together, as one transfer.
  KeyValue shift(KeyValue keys, int64_t by, AxisAttr axis);
  Part shift(Part part, int64_t by, AxisAttr axis);
  Value allToAll(Value input, int64_t split, int64_t concat, AxisAttr axis);
  Value allGather(Value input, int64_t dim, AxisAttr axis);
  /// `size` rows from `offset` on of the rank `source` places further round.
  Value gatherRows(Value input, int64_t source, int64_t offset, int64_t size);

  /// The columns of the mask that belong to the keys of rank `source` places
  /// further round, or of all keys where the mask is not dealt out. No value
  /// without a mask.
  Value maskFor(int64_t source);

  /// Replaces the sum of parts after a strategy has moved it.
  Part &sum() { return accumulated; }

private:
  Value shardHeads(Value whole);
  Value shardSequence(Value whole, LayoutAttr layout);
  Value shard(Value whole, ArrayRef<int64_t> axes,
              std::optional<int64_t> sequence, LayoutAttr layout);
  Value unshard(Value local, RankedTensorType whole, bool hasSequence);
  Value shardMask();
  Value rollMask(Value mask);
  Value withRepeatedHeads(Value keysOrValues);
  void replaceSequenceResult(Value result, Value local);
  /// The mesh axis of the heads, or none.
  int64_t headsAxis() const;

  OpBuilder &builder;
  AttentionOp op;
  PlanAttr attentionPlan;
  AttentionTraits attentionTraits;
  TTIRBuilder tensorBuilder;
  LayoutAttr queryLayout, keyLayout;
  bool queriesAreSplit, keysAreSplit;
  Value localQuery, localMask;
  KeyValue localKeyValue;
  Part accumulated;
};

/// One function per strategy: adds parts until every key is in.
void buildReplicate(ShardedAttention &attention);
void buildAllGather(ShardedAttention &attention);
void buildRing(ShardedAttention &attention);
void buildUlysses(ShardedAttention &attention);
void buildUsp(ShardedAttention &attention);
void buildHalo(ShardedAttention &attention);
void buildSplitKV(ShardedAttention &attention);

/// The ring itself, over any axis: adds one part per rank.
void addRing(ShardedAttention &attention, Value query, KeyValue own,
             LayoutAttr queries, LayoutAttr keys, AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDATTENTION_H
