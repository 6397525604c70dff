// SPDX-License-Identifier: Apache-2.0
//
// Chunks and cores: what is tried, and what was timed before.

#include "ring/Machine/AttentionClock.h"

#include <algorithm>
#include <cmath>

namespace ring::machine {

namespace {

/// The largest chunks in use; the chip model is not held against larger ones.
constexpr int64_t kLargestChunk = 512;
constexpr int64_t kKeyChunks[] = {512, 384, 256, 192, 128, 96, 64, 32};

int64_t wholeTiles(int64_t rows) {
  return std::max<int64_t>((rows + kTileSide - 1) / kTileSide, 1) * kTileSide;
}

} // namespace

std::vector<CoreSplit> coreSplits(const Chip &chip) {
  int64_t columns = chip.gridColumns, rows = chip.gridRows;
  std::vector<CoreSplit> splits;
  if (columns > 1)
    splits.push_back({{columns - 1, rows},
                      {columns - 1, 0},
                      false,
                      "beside the blocks, by a column of cores"});
  if (rows > 1)
    splits.push_back({{columns, rows - 1},
                      {0, rows - 1},
                      false,
                      "beside the blocks, by a row of cores"});
  splits.push_back({{0, 0}, {0, 0}, true, "in order, all cores for each"});
  return splits;
}

std::vector<Chunks> chunkSizes(int64_t queries, int64_t keys,
                               const Chunks &asked) {
  std::vector<Chunks> sizes;
  auto addKeyChunks = [&](int64_t rows) {
    if (asked.keys > 0)
      return sizes.push_back({rows, asked.keys});
    for (int64_t chunk : kKeyChunks)
      if (chunk <= wholeTiles(keys))
        sizes.push_back({rows, chunk});
  };
  if (asked.queries > 0)
    addKeyChunks(asked.queries);
  else
    for (int64_t rows = std::min(kLargestChunk, wholeTiles(queries)); rows > 0;
         rows -= kTileSide)
      addKeyChunks(rows);
  return sizes;
}

void chooseChunks(const Machine &machine, AttentionCall &call) {
  AttentionCall best = call;
  double fewest = INFINITY;
  for (const Chunks &chunks :
       chunkSizes(call.queries, call.keys, {call.queryChunk, call.keyChunk})) {
    AttentionCall candidate = call;
    candidate.queryChunk = chunks.queries;
    candidate.keyChunk = chunks.keys;
    AttentionTime time = attentionTime(machine, candidate);
    // Something must come out even if nothing fits: the smallest.
    double cost =
        time.fits ? time.seconds : 1e30 + static_cast<double>(time.l1Bytes);
    if (cost < fewest) {
      fewest = cost;
      best = candidate;
    }
  }
  call = best;
}

const AttentionTime &AttentionClock::timeOf(const AttentionCall &call) {
  auto found = known.find(call.key());
  if (found == known.end())
    found = known.emplace(call.key(), attentionTime(machine, call)).first;
  return found->second;
}

} // namespace ring::machine
