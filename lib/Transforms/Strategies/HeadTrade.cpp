// SPDX-License-Identifier: Apache-2.0
// Strategies that trade sequence shards for head shards: ulysses, over the
// whole axis, and usp, over neighbours with a ring between the groups.

#include "ShardedAttention.h"

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2;

KeyValue toHeads(ShardedAttention &attention, KeyValue shard, AxisAttr axis) {
  return {tradeForHeads(attention, shard.key, axis),
          tradeForHeads(attention, shard.value, axis)};
}

/// Trades the result back: in the output's own type, which is half the bytes
/// of the sum's; the log-sum-exp only where somebody asked for it.
void toRows(ShardedAttention &attention, AxisAttr axis) {
  Part &sum = attention.sum();
  sum.output =
      attention.tensors().typecast(sum.output, attention.traits().elementType);
  sum.output = attention.allToAll(sum.output, kRows, kHeads, axis);
  if (attention.traits().lse)
    sum.lse = attention.allToAll(sum.lse, kRows, kHeads, axis);
}

} // namespace

Value tradeForHeads(ShardedAttention &attention, Value shard, AxisAttr axis) {
  int64_t heads = TTIRBuilder::typeOf(shard).getDimSize(kHeads);
  if (heads % axis.getRanks() != 0)
    shard = attention.tensors().repeatInterleave(shard, kHeads,
                                                 axis.getRanks() / heads);
  return attention.allToAll(shard, kHeads, kRows, axis);
}

void buildUlysses(ShardedAttention &attention) {
  AxisAttr axis = attention.axis();
  Value query = tradeForHeads(attention, attention.query(), axis);
  KeyValue keys = toHeads(attention, attention.keyValue(), axis);
  attention.add(attention.attend(query, keys, BlockAttr()));
  toRows(attention, axis);
}

/// 8 ranks, 4 of them for heads: ranks 0 to 3 trade among themselves and hold
/// the first half of the sequence, 4 to 7 the second; the ring goes between
/// ranks 0 and 4, 1 and 5, ...
void buildUsp(ShardedAttention &attention) {
  AxisAttr axis = attention.axis();
  int64_t trade = attention.plan().getUlysses().value_or(1);
  int64_t ring = axis.getRanks() / trade;
  auto inner = AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh(),
                             trade, std::nullopt);
  auto outer = AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh(),
                             ring, trade);
  Value query = tradeForHeads(attention, attention.query(), inner);
  KeyValue keys = toHeads(attention, attention.keyValue(), inner);
  auto overRing = [&](LayoutAttr layout) {
    return LayoutAttr::get(layout.getContext(), layout.getKind(),
                           layout.getLength(), ring, layout.getOffset());
  };
  addRing(attention, query, keys, overRing(attention.queries()),
          overRing(attention.keys()), outer);
  toRows(attention, inner);
}

} // namespace mlir::ring
