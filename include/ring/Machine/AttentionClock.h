// SPDX-License-Identifier: Apache-2.0
//
// How long attention takes with the settings that a chip's kernels leave open:
// the cores that compute and the chunks that they work on. The planner and the
// simulator ask the same clock.

#ifndef RING_MACHINE_ATTENTIONCLOCK_H
#define RING_MACHINE_ATTENTIONCLOCK_H

#include "ring/Machine/ChipModel.h"

#include <array>
#include <map>

namespace ring::machine {

/// How a chip shares its cores between computing and moving data.
struct CoreSplit {
  /// Columns and rows that compute; 0: all cores.
  std::array<int64_t, 2> grid = {0, 0};
  /// The first core that moves data, column and row.
  std::array<int64_t, 2> movers = {0, 0};
  /// Blocks and transfers run one after the other, each on all cores.
  bool alternates = false;
  const char *words = "";

  /// Cores that compute; 0: all.
  int64_t cores() const { return grid[0] * grid[1]; }
};

/// The ways in which a chip may compute beside transfers: data moves on the
/// last column or on the last row of cores, or in order.
std::vector<CoreSplit> coreSplits(const Chip &chip);

/// Chunks of queries and of keys, in rows.
struct Chunks {
  int64_t queries = 0;
  int64_t keys = 0;
};

/// The sizes that are tried for at most `queries` x `keys` rows, the largest
/// first; those of `asked` that are not 0 are fixed.
std::vector<Chunks> chunkSizes(int64_t queries, int64_t keys,
                               const Chunks &asked = {});

/// Times attention on one machine; the same call is timed once.
class AttentionClock {
public:
  explicit AttentionClock(const Machine &machine) : machine(machine) {}

  /// How long `call` takes: with its own chunks, or with the fastest that fit.
  const AttentionTime &timeOf(const AttentionCall &call);

private:
  const Machine &machine;
  std::map<decltype(AttentionCall().key()), AttentionTime> known;
};

} // namespace ring::machine

#endif // RING_MACHINE_ATTENTIONCLOCK_H
