// SPDX-License-Identifier: Apache-2.0
// Strategies that trade sequence shards for head shards: ulysses, over the
// whole axis, and usp, over neighbours with a ring between the groups.

#include "Rules.h"
#include "ShardedAttention.h"
#include "ring/Support/SequenceOrder.h"

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// The ranks that trade with each other, and what they do to one attention.
class RowsForHeads {
public:
  RowsForHeads(ShardedAttention &attention, AxisAttr axis)
      : attention(attention), tensors(attention.tensors()), axis(axis) {}

  /// Trades everything; afterwards `query` and `keys` hold all rows of the
  /// group for this rank's heads, in the order of their positions.
  void run() {
    query = toHeads(attention.sequenceQuery());
    keys = attention.keyValue().map([&](Value own) { return toHeads(own); });
    KeyValue joint = attention.jointKeyValue();
    if (joint.key) {
      query = tensors.concat({query, own(attention.jointQuery())}, kRows);
      joint = joint.map([&](Value rows) { return own(rows); });
    }
    if (attention.mask())
      attention.mask() = tradeMask(attention.mask());
    Value sink = attention.sink() ? own(attention.sink()) : Value();
    attention.begin(query, sink, joint);
  }

  /// Trades the sum of the parts back: in the output's own type, which is half
  /// the bytes of the sum's; the log-sum-exp only where somebody asked for it.
  void undo() {
    Part &sum = attention.sum();
    sum.output =
        toRows(tensors.typecast(sum.output, attention.traits().elementType));
    if (attention.traits().lse)
      sum.lse = toRows(sum.lse);
  }

  Value query;
  KeyValue keys;

private:
  /// How the rows of the group, one rank's behind the other's, are dealt. Ranks
  /// 0 and 1 of a zigzag over 4 have chunks 0 7 and 1 6 of 8; put in order, 0 1
  /// 6 7, they are one rank's chunks of a zigzag over 2.
  LayoutAttr layoutOf(int64_t rows) {
    return LayoutAttr::get(axis.getContext(), attention.plan().getLayout(),
                           rows, axis.getRanks(), /*offset=*/0);
  }

  Value toHeads(Value shard) {
    Value traded = tradeForHeads(attention, shard, axis);
    return fromShardOrder(tensors, traded, kRows,
                          layoutOf(typeOf(traded).getDimSize(kRows)));
  }

  /// This rank's heads of a tensor that all ranks have: nothing moves.
  Value own(Value everyHead) { return attention.ownHeads(everyHead, axis); }

  /// Rows of a mask go the way of their queries. A mask for all heads is not
  /// traded but gathered, and one row for all queries is there already.
  Value tradeMask(Value mask) {
    bool perHead = attention.traits().maskHeads > 1;
    if (attention.traits().maskRows == 1)
      return perHead ? own(mask) : mask;
    return perHead ? attention.allToAll(mask, kHeads, kRows, axis)
                   : attention.allGather(mask, kRows, axis);
  }

  /// Rows of the sequence for heads; joint rows are the same on all ranks, each
  /// of which has some heads of them.
  Value toRows(Value sum) {
    int64_t joint = attention.traits().joint;
    int64_t all = typeOf(sum).getDimSize(kRows), rows = all - joint;
    Value sequence = toShardOrder(tensors, tensors.slice(sum, kRows, 0, rows),
                                  kRows, layoutOf(rows));
    sequence = attention.allToAll(sequence, kRows, kHeads, axis);
    if (joint == 0)
      return sequence;
    Value jointRows =
        attention.allGather(tensors.slice(sum, kRows, rows, all), kHeads, axis);
    return tensors.concat({sequence, jointRows}, kRows);
  }

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  AxisAttr axis;
};

} // namespace

Value tradeForHeads(ShardedSequence &sequence, Value shard, AxisAttr axis) {
  int64_t heads = typeOf(shard).getDimSize(kHeads), ranks = axis.getRanks();
  if (heads == 1 && ranks > 1)
    return sequence.allGather(shard, kRows, axis);
  if (heads % ranks != 0)
    shard = sequence.tensors().repeatInterleave(shard, kHeads, ranks / heads);
  return sequence.allToAll(shard, kHeads, kRows, axis);
}

void buildUlysses(ShardedAttention &attention) {
  RowsForHeads trade(attention, attention.axis());
  trade.run();
  attention.add(attention.attend(
      trade.query, trade.keys,
      attention.blockHere(typeOf(trade.keys.key).getDimSize(kRows)),
      attention.maskFor(0)));
  trade.undo();
}

/// 8 ranks, 4 of them for heads: ranks 0 to 3 trade among themselves and hold
/// the first half of the sequence, 4 to 7 the second; the ring goes between
/// ranks 0 and 4, 1 and 5, ... With a zigzag ranks 0 to 3 hold chunks 0 and 3
/// of 4, and 4 to 7 chunks 1 and 2: the ring is a zigzag over 2.
void buildUsp(ShardedAttention &attention) {
  AxisAttr axis = attention.axis();
  int64_t ring = attention.ringRanks(), traders = axis.getRanks() / ring;
  auto inner = AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh(),
                             traders, std::nullopt);
  auto outer = AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh(),
                             ring, traders);
  RowsForHeads trade(attention, inner);
  trade.run();
  auto overRing = [&](LayoutAttr layout) {
    return LayoutAttr::get(layout.getContext(), layout.getKind(),
                           layout.getLength(), ring, layout.getOffset());
  };
  addRing(attention, trade.query, trade.keys, overRing(attention.queries()),
          overRing(attention.keys()), outer);
  trade.undo();
}

/// All-to-alls give every rank of a group some heads of the whole sequence.
static Refusal refuseHeadTrade(const AttentionTraits &traits, PlanAttr plan,
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

Refusal refuseUlysses(const AttentionTraits &traits, PlanAttr plan) {
  return refuseHeadTrade(traits, plan, plan.getAxis().getRanks());
}

Refusal refuseUsp(const AttentionTraits &traits, PlanAttr plan) {
  return refuseHeadTrade(traits, plan, plan.getHeadRanks().value_or(1));
}

} // namespace mlir::ring
