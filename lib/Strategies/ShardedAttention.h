// SPDX-License-Identifier: Apache-2.0
// One attention on its way to the program of one device: its keys and values,
// and the parts that a strategy adds up.

#ifndef RING_LIB_STRATEGIES_SHARDEDATTENTION_H
#define RING_LIB_STRATEGIES_SHARDEDATTENTION_H

#include "ShardedSequence.h"

namespace mlir::ring {

class ShardedAttention : public ShardedSequence {
public:
  ShardedAttention(OpBuilder &builder, AttentionOp op);

  /// Replaces the attention by what its parts add up to.
  void finish();

  /// The queries of this device, joint ones behind the sequence's.
  Value query() const { return allQueries; }
  KeyValue keyValue() const { return localKeyValue; }

  /// What a strategy that trades heads takes apart: the queries of the sequence
  /// alone, the joint tokens and the sink, each of which may be missing.
  Value sequenceQuery() const { return localQuery; }
  Value jointQuery() const { return localJointQuery; }
  KeyValue jointKeyValue() const { return localJoint; }
  Value sink() const { return localSink; }
  /// The positions of this device's queries, where they are a tensor.
  Value positions() const { return queryPositions; }

  /// The first parts of `query`: the sink, which every softmax sees once, and
  /// joint keys that are on every device.
  void begin(Value query, Value sink, KeyValue joint);

  /// Attention of `query` over some keys of the sequence. Without a block,
  /// positions count from 0 on both sides.
  Part attend(Value query, KeyValue keys, BlockAttr block, Value mask = {});
  /// The same for queries from elsewhere, at these positions.
  Part attend(Value query, Value positions, KeyValue keys, BlockAttr block);
  /// Adds a part to what `finish` is going to return.
  void add(Part part);
  /// Replaces the sum of parts after a strategy has moved it.
  Part &sum() { return accumulated; }

  /// Passes keys on, and values that are not in them, as one transfer.
  KeyValue shift(KeyValue keys, int64_t by, AxisAttr axis,
                 int64_t reaching = 0);
  Part shift(Part part, int64_t by, AxisAttr axis);

private:
  void shardJoint();
  /// From which row on joint keys are padding; nothing if none is.
  IntegerAttr realJointKeys();
  /// The rows of the joint queries on this device.
  int64_t jointRows() const;

  /// Keys or values out of their pages, those of this device or all.
  Value gatherPages(Value cache, Value table);
  Value shardPageTable();
  /// The pages of a table that are dealt to this device, by its own numbers, of
  /// `columns` pages in all; those that are not there become `unused`.
  Value shardTable(Value table, int64_t columns, float unused);

  /// A device's part of a cache that is dealt out, with what the program writes
  /// into it before it attends.
  Value dealtCache(Value cache);
  /// The mesh axis of a cache's heads; none where devices share them. Then all
  /// heads are on all devices of the heads' axis, and written there.
  int64_t cacheHeadsAxis();
  void returnCache(Value cache, Value local);
  Value writeOwnRows(Operation *write, Value local);
  Value ownRowsAt(Value positions);
  Value ownRowsOf(Value rows);
  Value ownRowsOverOld(Operation *fill, Value local);

  AttentionOp op;
  Value localQuery, localJointQuery, allQueries, localSink;
  KeyValue localKeyValue, localJoint;
  /// How joint tokens are dealt, if they are.
  LayoutAttr jointLayout;
  Value queryPositions;
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
void buildDoubleRing(ShardedAttention &attention);
void buildPassQ(ShardedAttention &attention);
/// Packed documents whose keys are fetched row by row.
void buildFetchedDocuments(ShardedAttention &attention);
/// Any plan of a dilated attention.
void buildDilated(ShardedAttention &attention);

/// Trades rows for heads over `axis`. Fewer key heads than ranks are repeated
/// first, so that every rank gets the one its queries need; a single one is
/// gathered, since all need it.
Value tradeForHeads(ShardedSequence &sequence, Value shard, AxisAttr axis);

/// Passes keys and values round an axis, one way or both as the plan says, and
/// calls `meet` with each rank's and how many places further round that is.
/// `firstReached` says from which rank on anybody sees what has come so many
/// hops forward, and `isSeen` whether anybody sees the keys of ranks so many
/// places further round at all: what nobody needs further on is not sent.
void passRound(ShardedAttention &attention, KeyValue own, AxisAttr axis,
               function_ref<int64_t(int64_t)> firstReached,
               function_ref<bool(int64_t)> isSeen,
               function_ref<void(KeyValue, int64_t)> meet);

/// The ring itself, over any axis: adds one part per rank.
void addRing(ShardedAttention &attention, Value query, KeyValue own,
             LayoutAttr queries, LayoutAttr keys, AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SHARDEDATTENTION_H
