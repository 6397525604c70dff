// SPDX-License-Identifier: Apache-2.0
// The ring of rings: keys and values go round among the devices of a host, over
// fast links, while every device sends the shard that its host began with to
// its counterpart on the next host, over slow ones.

#include "ShardedAttention.h"

namespace mlir::ring {

/// 2 hosts of 3, one direction; rank 1 of host 0 meets, by host and rank:
///
///   0.1 0.0 0.2, and meanwhile 1.1 arrives; then 1.1 1.0 1.2
///
/// A round's shards are sent on before the round begins, so that they have all
/// of it to arrive. Both directions go both ways round either ring; hosts
/// across the outer one are reached forward.
void buildDoubleRing(ShardedAttention &attention) {
  AxisAttr inner = attention.plan().getInnerRing();
  AxisAttr outer = attention.plan().getOuterRing();
  int64_t hosts = outer.getRanks(), neighbours = inner.getRanks();
  auto placeOf = [](int64_t source, int64_t ranks) {
    return (source % ranks + ranks) % ranks;
  };
  // Later hosts see all of a round, so all ranks pass it on.
  auto reachAll = [](int64_t) -> int64_t { return 0; };
  auto goRound = [&](KeyValue shard, int64_t host) {
    auto isSeen = [&](int64_t source) {
      return attention.isMet(attention.block(source, inner, host, outer));
    };
    passRound(attention, shard, inner, reachAll, isSeen,
              [&](KeyValue arrived, int64_t source) {
                int64_t place = placeOf(host, hosts) * neighbours +
                                placeOf(source, neighbours);
                attention.add(attention.attend(
                    attention.query(), arrived,
                    attention.block(source, inner, host, outer),
                    attention.maskFor(place)));
              });
  };

  bool both = attention.plan().getDirections() == Directions::Both && hosts > 2;
  int64_t forwardHops = both ? hosts / 2 : hosts - 1;
  int64_t backwardHops = hosts - 1 - forwardHops;
  KeyValue forward = attention.keyValue(), backward = forward;
  for (int64_t hop = 0; hop <= forwardHops; ++hop) {
    KeyValue here = forward, back = backward;
    if (hop < forwardHops)
      forward = attention.shift(here, 1, outer);
    if (hop < backwardHops)
      backward = attention.shift(back, -1, outer);
    goRound(here, -hop);
    if (hop > 0 && hop <= backwardHops)
      goRound(back, hop);
  }
}

} // namespace mlir::ring
