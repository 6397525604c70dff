// SPDX-License-Identifier: Apache-2.0
// The sequence of one attention, or of its gradients, over the devices of an
// axis: the shards of whole tensors, transfers between them, and the way back.

#ifndef RING_LIB_STRATEGIES_SHARDEDSEQUENCE_H
#define RING_LIB_STRATEGIES_SHARDEDSEQUENCE_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/RowRoutes.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// A normalised part of an attention: output and log-sum-exp.
struct Part {
  Value output;
  Value lse;
};

/// What a device has, and others get, of keys and values: both, or the keys
/// alone where the values are their first columns, with their positions where
/// only the running program knows these. Whatever is done to it is done by
/// `map` and `zip`, so that no strategy asks what it is.
struct KeyValue {
  Value key;
  /// None where the values are in the keys.
  Value value;
  /// `[1 or batch, 1, keys, 1]`, so that rows are where those of keys are.
  Value positions = {};

  /// The tensors that there are.
  SmallVector<Value, 3> tensors() const {
    SmallVector<Value, 3> there;
    for (Value tensor : {key, value, positions})
      if (tensor)
        there.push_back(tensor);
    return there;
  }
  /// The reverse: others in their places.
  KeyValue withTensors(ArrayRef<Value> tensors) const {
    const Value *next = tensors.begin();
    return map([&](Value) { return *next++; });
  }
  /// What `function` makes of each tensor.
  template <typename Function>
  KeyValue map(Function function) const {
    KeyValue made;
    made.key = function(key);
    if (value)
      made.value = function(value);
    if (positions)
      made.positions = function(positions);
    return made;
  }
  /// What `function` makes of each tensor and its counterpart.
  template <typename Function>
  static KeyValue zip(KeyValue lhs, KeyValue rhs, Function function) {
    SmallVector<Value, 3> others = rhs.tensors();
    const Value *next = others.begin();
    return lhs.map([&](Value own) { return function(own, *next++); });
  }
};

class ShardedSequence {
public:
  ShardedSequence(OpBuilder &builder, WholeAttentionOpInterface source);

  //===--------------------------------------------------------------------===//
  // What a strategy finds
  //===--------------------------------------------------------------------===//

  PlanAttr plan() const { return attentionPlan; }
  AxisAttr axis() const { return plan().getAxis(); }
  int64_t ranks() const { return plan().getRanks(); }
  /// How many groups of devices pass keys on to each other: all ranks of a
  /// ring, simple or double, those between which usp has its ring, one for all
  /// others.
  int64_t ringRanks() const;
  const AttentionTraits &traits() const { return attentionTraits; }
  TTIRBuilder &tensors() { return tensorBuilder; }

  /// Blocks from here on have this pattern, not the attention's: their rows are
  /// packed, count from 0 and have no padding.
  void setBlockPattern(PatternAttrInterface pattern) {
    packedPattern = pattern;
    isPacked = true;
  }

  /// Packed keys from here on are visited in this order, every chunk of so many
  /// rows for itself; none: as they lie.
  void setVisits(ArrayRef<int64_t> order) { visits.assign(order); }
  /// Packed rows in the order of the visits, and back.
  Value inVisitOrder(Value rows);
  Value inRowOrder(Value visited);
  /// The block of `rows` rows that all are here: none unless their positions
  /// have to be listed.
  BlockAttr blockHere(int64_t rows);

  /// Of packed documents whose queries are dealt anew, or whose keys are
  /// fetched: which rows those are.
  const RowRoutes &documentRows() const { return *routes; }
  /// Whether any device has a query that sees a key of the block. Without
  /// documents that is not asked, and yes.
  bool isMet(BlockAttr block);

  /// The layouts of the sequence; none where every device has all of it.
  LayoutAttr queries() const { return queryLayout; }
  LayoutAttr keys() const { return keyLayout; }

  //===--------------------------------------------------------------------===//
  // What a strategy does
  //===--------------------------------------------------------------------===//

  /// Where keys of the rank `source` places further round stand.
  BlockAttr block(LayoutAttr queries, LayoutAttr keys, int64_t source,
                  AxisAttr axis, int64_t firstKey = 0);
  /// The same in a ring of rings.
  BlockAttr block(int64_t source, AxisAttr inner, int64_t outerSource,
                  AxisAttr outer);
  /// The columns of the mask that belong to the keys of rank `source` places
  /// further round, or of all keys where the mask is not dealt out. No value
  /// without a mask.
  Value maskFor(int64_t source);
  /// This device's part of the mask, for strategies that move it.
  Value &mask() { return localMask; }

  /// The values of some keys: those that came with them, or their columns.
  Value valuesOf(KeyValue keys);
  /// The normalised part of both.
  Part merge(Part lhs, Part rhs);
  /// Passes tensors on together, as one transfer, to the ranks from `reaching`
  /// on.
  SmallVector<Value> shift(ValueRange travellers, int64_t by, AxisAttr axis,
                           int64_t reaching = 0);
  /// From which rank on queries see keys that have come forward by `hops`; 0
  /// where that is not known to be so.
  int64_t firstToSee(LayoutAttr queries, LayoutAttr keys, int64_t hops,
                     AxisAttr axis);
  Value allToAll(Value input, int64_t split, int64_t concat, AxisAttr axis);
  Value allGather(Value input, int64_t dim, AxisAttr axis);
  /// `size` rows from `offset` on of the rank `source` places further round.
  Value gatherRows(Value input, int64_t source, int64_t offset, int64_t size);
  /// `rows` rows, brought by the legs of each device; others are `fill`.
  Value route(Value input, ArrayAttr legs, int64_t rows, float fill = 0.0f);

  /// A rank's heads of a tensor of which all ranks of `axis` have every head.
  Value ownHeads(Value everyHead, AxisAttr axis);

protected:
  /// Whether only the running program knows where queries start, or there is no
  /// layout of them to say it: then their positions are a tensor.
  bool startsLate() const;
  /// A device's part of the positions of rows, `[1 or batch, rows]`.
  Value shardPositions(Value whole, LayoutAttr layout);
  /// Positions as a tensor whose rows are where those of keys are, and back;
  /// none where there are none.
  Value asRows(Value positions);
  Value asPositions(Value rows);
  /// The positions of this device's queries from `start` on.
  Value positionsFromStart(Value start);
  /// Positions by which a window tells documents apart, of the whole sequence,
  /// and that window.
  Value positionsInDocuments(Value ends);
  PatternAttrInterface patternOfDocuments();
  /// A device's part of a whole tensor: each dimension is split by a mesh axis
  /// or by none; one of them may be a sequence that is dealt by `layout`.
  Value shard(Value whole, ArrayRef<int64_t> axes,
              std::optional<int64_t> sequence, LayoutAttr layout);
  /// A device's own number out of a list with one for each rank, as a 4-D
  /// tensor of f32.
  Value numberOfRank(ArrayRef<int64_t> numbers);
  /// The shard of a tensor that has heads but no sequence.
  Value shardHeads(Value whole);
  /// The shard of a tensor with heads and a sequence; the latter is dealt by
  /// `layout`, or all there without one.
  Value shardSequence(Value whole, LayoutAttr layout);
  /// The rows of the sequence that a device works on: its shard, or all of
  /// them.
  Value sequenceRows(Value whole, LayoutAttr layout);
  /// Rows of queries where the plan balances work: from their shards, and back
  /// with `fill` in rows of no document. All others stay as they are.
  Value toBalanced(Value rows);
  Value fromBalanced(Value rows, float fill = 0.0f);
  /// Makes the mask, if there is one, ready for `maskFor`.
  void shardMask();
  /// What there is of a whole attention's keys and values.
  KeyValue wholeKeyValue();
  /// The mesh axis of the heads, or none.
  int64_t headsAxis() const;
  /// The one that splits the heads of a whole tensor; none also where devices
  /// share them.
  int64_t headsAxisOf(RankedTensorType whole) const;
  /// The devices of the heads' axis, where there is one.
  AxisAttr headsRing() const;
  /// A device's heads of `local`, which is a part of `whole` by the axis above.
  Value withOwnHeads(Value local, Value whole);
  /// The pattern of a block's rows.
  PatternAttrInterface blockPattern() {
    if (traits().lateDocuments)
      return patternOfDocuments();
    return isPacked ? packedPattern : attention.getPatternAttr();
  }
  /// From which position on keys are padding; nothing where that is known
  /// without.
  IntegerAttr realKeys();
  /// Attention of `query`, at `positions` if these are a tensor, over keys
  /// before `length`, if there is one.
  Part attendBlock(Value query, Value positions, KeyValue keys, BlockAttr block,
                   Value mask, PatternAttrInterface pattern,
                   IntegerAttr length);

  /// The whole of a shard; its sequence was dealt by `layout`, if at all.
  Value unshard(Value local, RankedTensorType whole, LayoutAttr layout);
  /// Replaces a result of the source by the whole of `local`.
  void replaceSequenceResult(Value result, Value local, LayoutAttr layout);

  OpBuilder &builder;
  LayoutAttr queryLayout, keyLayout;

private:
  void layOut();
  void placeDocuments();
  /// The block with places that tell documents apart in place of layouts.
  BlockAttr documentBlock(BlockAttr rows, int64_t queries, int64_t keys);
  bool hasPlacedQueries();
  Value shardedMask(Value mask);
  Value rollMask(Value mask);
  Value turnColumns(Value mask, int64_t first, int64_t columns);
  BlockAttr visitBlock(LayoutAttr queries, LayoutAttr keys, int64_t source,
                       AxisAttr axis);
  Value reorder(Value rows, ArrayRef<int64_t> order);

  WholeAttentionOpInterface attention;
  PlanAttr attentionPlan;
  AttentionTraits attentionTraits;
  TTIRBuilder tensorBuilder;
  bool queriesAreSplit, keysAreSplit;
  Value localMask;
  PatternAttrInterface packedPattern;
  bool isPacked = false;
  SmallVector<int64_t> visits;
  std::optional<RowRoutes> routes;
  bool movesQueries = false;
};

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SHARDEDSEQUENCE_H
