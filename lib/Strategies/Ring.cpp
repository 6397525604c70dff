// SPDX-License-Identifier: Apache-2.0
// The ring: keys and values travel, queries stay.

#include "ShardedAttention.h"

namespace mlir::ring {

/// One direction, 4 ranks; a device computes on its keys while the next arrive:
///
///   own keys, then source -1, -2, -3
///
/// Both directions halve the hops, and with them the time that transfers need:
///
///   own keys, then source -1 and +1, then -2 = +2, the diametric shard. An
///   even ring has one of those; half of its rows come from either side.
///
/// Forward, nothing is sent to ranks below `firstReached` of the hops that it
/// has come. Backward the shards of low ranks reach high ones through all
/// between, who pass them on.
void passRound(ShardedAttention &attention, KeyValue own, AxisAttr axis,
               function_ref<int64_t(int64_t)> firstReached,
               function_ref<bool(int64_t)> isSeen,
               function_ref<void(KeyValue, int64_t)> meet) {
  int64_t ranks = axis.getRanks();
  // Two ranks are each other's neighbour in both directions.
  bool both = attention.plan().getDirections() == Directions::Both && ranks > 2;
  // What has come forward from `hops` ranks before after one more hop.
  auto passOn = [&](KeyValue from, int64_t hops) {
    return attention.shift(from, 1, axis, firstReached(hops));
  };
  meet(own, 0);
  KeyValue forward = own, backward = own;
  int64_t hops = both ? (ranks - 1) / 2 : ranks - 1;
  bool across = both && ranks % 2 == 0 && isSeen(-ranks / 2);
  // How far keys have to go on one way.
  auto lastHop = [&](int64_t way) {
    int64_t hop = hops;
    while (hop > 0 && !across && !isSeen(way * hop))
      --hop;
    return hop;
  };
  int64_t forwardHops = lastHop(-1), backwardHops = both ? lastHop(1) : 0;
  for (int64_t hop = 1; hop <= std::max(forwardHops, backwardHops); ++hop) {
    if (hop <= forwardHops)
      forward = passOn(forward, hop);
    if (hop <= backwardHops)
      backward = attention.shift(backward, -1, axis);
    if (hop <= forwardHops && isSeen(-hop))
      meet(forward, -hop);
    if (hop <= backwardHops && isSeen(hop))
      meet(backward, hop);
  }
  if (!across)
    return;

  // Devices hold and move whole tiles.
  int64_t rows = TTIRBuilder::typeOf(own.key).getDimSize(2);
  int64_t unit = rows % kTileRows == 0 ? kTileRows : 1;
  int64_t half = rows / unit / 2 * unit;
  if (half == 0) {
    meet(passOn(forward, ranks / 2), -ranks / 2);
    return;
  }
  TTIRBuilder &tensors = attention.tensors();
  auto rowsOf = [&](KeyValue from, int64_t begin, int64_t end) -> KeyValue {
    return from.map(
        [&](Value rows) { return tensors.slice(rows, 2, begin, end); });
  };
  KeyValue early = passOn(rowsOf(forward, 0, half), ranks / 2);
  KeyValue late = attention.shift(rowsOf(backward, half, rows), -1, axis);
  meet(KeyValue::zip(early, late,
                     [&](Value first, Value second) {
                       return tensors.concat({first, second}, 2);
                     }),
       -ranks / 2);
}

/// Of a causal pattern over contiguous shards rank j receives the j shards
/// before it.
void addRing(ShardedAttention &attention, Value query, KeyValue own,
             LayoutAttr queries, LayoutAttr keys, AxisAttr axis) {
  auto firstToSee = [&](int64_t hops) {
    return attention.firstToSee(queries, keys, hops, axis);
  };
  auto isSeen = [&](int64_t source) {
    return attention.isMet(attention.block(queries, keys, source, axis));
  };
  passRound(attention, own, axis, firstToSee, isSeen,
            [&](KeyValue arrived, int64_t source) {
              attention.add(attention.attend(
                  query, arrived, attention.block(queries, keys, source, axis),
                  attention.maskFor(source)));
            });
}

void buildRing(ShardedAttention &attention) {
  addRing(attention, attention.query(), attention.keyValue(),
          attention.queries(), attention.keys(), attention.axis());
}

} // namespace mlir::ring
