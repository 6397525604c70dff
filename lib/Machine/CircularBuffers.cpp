// SPDX-License-Identifier: Apache-2.0
//
// What the device's attention kernels keep in the L1 of a core. Worked example,
// Flux on a ring of 2 Wormhole chips with heads over 4: 6 heads of 128 (4
// tiles), 2048 tokens and 512 joint ones, chunks of 256 x 512 (8 and 16 tiles),
// 56 cores. 8 chunks of the sequence and 2 joint ones for each head are 60, so
// some core has two and holds the next queries too:
//
//   queries      8 x 4 x 2          64 tiles
//   keys, values 2 x 16 x (4 + 4)  256, the next chunk arrives meanwhile
//   scores       8 x 16            128
//   outputs      4 x 8 x 4         128, two that are rescaled, one on its way
//                                       to DRAM and one on its way back
//   statistics   9 x 8              72, maxima and sums, the same way
//   scalars                          4
//   mask of -inf                     1
//
// 653 tiles of 2048 bytes and 80 bytes of signals are 1 337 424.

#include "ring/Machine/ChipModel.h"

#include <algorithm>
#include <cmath>

namespace ring::machine {

namespace {

constexpr int64_t kTile = static_cast<int64_t>(kBf16TileBytes);
constexpr int64_t kSignalBytes = 16, kMailboxBytes = 64;
/// What a page table's row is aligned to on every chip.
constexpr int64_t kPageAlignment = 64;

int64_t tiles(int64_t size) { return (size + kTileSide - 1) / kTileSide; }

/// Tiles of a call's chunks.
struct ChunkTiles {
  int64_t q, k, d, v;

  explicit ChunkTiles(const AttentionCall &call)
      : q(tiles(call.queryChunk)), k(tiles(call.keyChunk)),
        d(tiles(call.keyDim)), v(tiles(call.valueDim)) {}

  /// Queries, keys and values have the format that they come in.
  double inputs(bool severalQueries) const {
    return static_cast<double>(q * d * (severalQueries ? 2 : 1) +
                               2 * k * (d + v));
  }
};

/// With one chunk of queries a core, the output leaves in two groups of at most
/// two rows of tiles, which for few rows is more room than all of it.
int64_t outputRows(int64_t q, int64_t rounds, bool f32) {
  return rounds == 1 && !f32 ? std::max(q, std::min<int64_t>(4, 2 * q)) : q;
}

int64_t ringBytes(const AttentionCall &call, int64_t rounds) {
  ChunkTiles size(call);
  auto [q, k, d, v] = size;
  bool f32 = call.f32Accumulation;
  // Scores and sums are f32 where accumulation is; that kernel keeps no sums on
  // their way to DRAM and no reciprocal.
  int64_t held = q * k * (f32 ? 2 : 1) + 3 * q * v +
                 outputRows(q, rounds, f32) * v + 9 * q + (f32 ? 3 : 4);
  return static_cast<int64_t>(
             std::ceil(call.tileBytes * size.inputs(rounds > 1))) +
         kTile * held + (f32 ? 0 : kSignalBytes) + kMailboxBytes;
}

/// No state goes to DRAM, and queries always come in twos. The output has the
/// format of the queries.
int64_t distributedBytes(const AttentionCall &call) {
  ChunkTiles size(call);
  auto [q, k, d, v] = size;
  constexpr int64_t kMasks = 2, kScalars = 2;
  int64_t held = q * k + 2 * q * v + 5 * q + kMasks + kScalars;
  return static_cast<int64_t>(
             std::ceil(call.tileBytes * (size.inputs(/*severalQueries=*/true) +
                                         static_cast<double>(q * v)))) +
         kTile * held;
}

} // namespace

int64_t attentionBufferBytes(const AttentionCall &call, int64_t rounds) {
  int64_t bytes = call.kernel == AttentionKernel::Ring ? ringBytes(call, rounds)
                                                       : distributedBytes(call);
  return bytes + call.fixedL1Bytes;
}

int64_t ringMaskBytes(bool causal, bool sink, int64_t length, int64_t joint) {
  int64_t count = 1 + (causal ? 1 : 0) + (sink ? 1 : 0) +
                  (length % kTileSide != 0 ? 1 : 0) +
                  (joint % kTileSide != 0 ? 1 : 0);
  return count * kTile;
}

int64_t pageTableBytes(int64_t pages) {
  constexpr int64_t kEntry = 4;
  return (pages * kEntry + kPageAlignment - 1) / kPageAlignment *
         kPageAlignment;
}

} // namespace ring::machine
