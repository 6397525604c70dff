// SPDX-License-Identifier: Apache-2.0
//
// Tiles that never change, written once by the reader instead of being fetched:
// ones, zeros, the identity and masks.

#ifndef RING_DEVICE_CONSTANTTILES_H
#define RING_DEVICE_CONSTANTTILES_H

#include "TileMask.h"

/// bf16 of 1, of -1, and of about -1e30: what a mask adds to a hidden score.
/// The state starts with maxima of -2^66, far above it, so that hidden scores
/// have weight exp(-1e30 + 2^66) = 0 also in rows that see nothing.
constexpr uint32_t kOneBits = 0x3f80;
constexpr uint32_t kMinusOneBits = 0xbf80;
constexpr uint32_t kHiddenBits = 0xf149;

/// Writes a tile of bf16 at `address`; `bits(i, j)` is the number in row i and
/// column j. A tile is four faces of 16 x 16, a word has two numbers.
template <typename Bits>
void writeTile(uint32_t address, Bits bits) {
  auto *words = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(address);
  for (int32_t word = 0; word < kTileSize * kTileSize / 2; ++word) {
    const int32_t face = word / 128, inFace = word % 128 * 2;
    const int32_t i = face / 2 * 16 + inFace / 16;
    const int32_t j = face % 2 * 16 + inFace % 16;
    words[word] = bits(i, j) | bits(i, j + 1) << 16;
  }
}

#endif // RING_DEVICE_CONSTANTTILES_H
