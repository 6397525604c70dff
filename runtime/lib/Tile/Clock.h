// SPDX-License-Identifier: Apache-2.0
//
// Vector clocks: who knows of whose doings. An access to DRAM that another one
// must have followed, and that the clocks do not put in order, is a race in
// every interleaving, also in those where it happens to turn out well.

#ifndef RING_TILE_CLOCK_H
#define RING_TILE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ring::tile {

/// How many of its barriers each task has passed, and up to which of each
/// writer's writes are known to have landed; a writer is a task, or a
/// connection to the fabric. A task that waits for another one takes over what
/// that one knew.
class Clock {
public:
  void join(const Clock &other) {
    joinCounts(barriers, other.barriers);
    joinCounts(writes, other.writes);
  }
  uint32_t barriersOf(size_t task) const { return countOf(barriers, task); }
  uint32_t writesOf(size_t writer) const { return countOf(writes, writer); }
  void passBarrier(size_t task) { ++slot(barriers, task); }
  void knowWrites(size_t writer, uint32_t upTo) {
    uint32_t &known = slot(writes, writer);
    known = std::max(known, upTo);
  }

private:
  using Counts = std::vector<uint32_t>;

  static uint32_t countOf(const Counts &counts, size_t index) {
    return index < counts.size() ? counts[index] : 0;
  }
  static uint32_t &slot(Counts &counts, size_t index) {
    if (counts.size() <= index)
      counts.resize(index + 1);
    return counts[index];
  }
  static void joinCounts(Counts &counts, const Counts &others) {
    if (counts.size() < others.size())
      counts.resize(others.size());
    for (size_t i = 0; i < others.size(); ++i)
      counts[i] = std::max(counts[i], others[i]);
  }

  Counts barriers, writes;
};

} // namespace ring::tile

#endif // RING_TILE_CLOCK_H
