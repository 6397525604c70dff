// SPDX-License-Identifier: Apache-2.0
// Ranks on one ring or a ring of rings, and the rows they bring together.

#include "ring/Positions/Block.h"

namespace ring::positions {

int64_t Block::ranks() const {
  return axis.ranks() * (outer ? outer->ranks() : 1);
}

int64_t Block::rankOf(int64_t device) const {
  int64_t rank = axis.rankOf(device);
  return outer ? outer->rankOf(device) * axis.ranks() + rank : rank;
}

int64_t Block::deviceOf(int64_t rank) const {
  int64_t device = axis.member(/*device=*/0, rank % axis.ranks());
  return outer ? outer->member(device, rank / axis.ranks()) : device;
}

Positions Block::queriesOn(int64_t device, int64_t count) const {
  if (!queries)
    return {{0, count}};
  return queries->positionsOf(rankOf(device));
}

Positions Block::keysOn(int64_t device, int64_t count) const {
  int64_t owner = axis.neighbour(device, source);
  if (outer)
    owner = outer->neighbour(owner, outerSource);
  int64_t rank = keys.ranks == 1 ? 0 : rankOf(owner);
  return sliceRows(keys.positionsOf(rank), firstKey, count);
}

} // namespace ring::positions
