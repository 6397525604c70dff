// SPDX-License-Identifier: Apache-2.0
//
// The circular buffers of the attention kernels. The three kernels of a core
// and the host that allocates the buffers have the same numbers from here.

#ifndef RING_DEVICE_ATTENTIONBUFFERS_H
#define RING_DEVICE_ATTENTIONBUFFERS_H

#include <cstdint>

// From the reader. Chunks always have their full size, also where only some of
// their tiles are filled: a buffer that takes groups of one size never wraps
// inside a group.
constexpr uint32_t kQueries = 0; ///< query rows x head tiles
constexpr uint32_t kKeys = 1;    ///< head tiles x key rows: transposed by tile
constexpr uint32_t kValues = 2;  ///< key rows x value tiles
/// Of keys there is a chunk that is met and one that comes, of values also the
/// one before: they are met when the next chunk's weights are known.
constexpr uint32_t kKeyGroups = 2;
constexpr uint32_t kValueGroups = 3;
constexpr uint32_t kMasks = 3;         ///< zeros, then one tile for each mask
constexpr uint32_t kConstantTiles = 4; ///< see below
constexpr uint32_t kSinks = 5; ///< reference and weight of a head's sink
/// Query rows x key rows x parts of a given mask.
constexpr uint32_t kGivenMasks = 26;

// Of the compute kernel alone.
constexpr uint32_t kScaledQueries = 6; ///< where they are scaled beforehand
constexpr uint32_t kWeights = 7;       ///< exp of the scores, two groups
constexpr uint32_t kChunkMaxima = 8;
constexpr uint32_t kNewMaxima = 9;
constexpr uint32_t kCorrections = 10; ///< f32
/// The state that goes from chunk to chunk: references (bf16), sums and outputs
/// (f32). One group each, added onto in place, or rescaled from one three to
/// the other.
constexpr uint32_t kState = 11;
constexpr uint32_t kOtherState = 22;
constexpr uint32_t kLargest = 25;   ///< f32; the largest sum of a chunk
constexpr uint32_t kChunkSums = 27; ///< f32; of the rows of a chunk's weights

/// The state that goes from step to step, three buffers each. One that stays in
/// L1 comes from and goes to the same three; a spilled one is drained by the
/// writer and brought back by the reader.
constexpr uint32_t kStashOut = 14;
constexpr uint32_t kStashIn = 17;

// To the writer.
constexpr uint32_t kOutputs = 20;
constexpr uint32_t kLogSums = 21; ///< f32, in the first column

// The tiles of kConstantTiles. The last has -1 in its first column, and stands
// there as often as a block of scores has columns. Behind it there are, where a
// mask is given, the identity times each of kMaskTerms.
constexpr uint32_t kOnesTile = 0;
constexpr uint32_t kIdentityTile = 1;
constexpr uint32_t kMinusTile = 2;

// The mover's core: pages on their way.
constexpr uint32_t kPages = 0;

#endif // RING_DEVICE_ATTENTIONBUFFERS_H
