// SPDX-License-Identifier: Apache-2.0
//
// Tiles between memory and registers, with the device's roundings: bf16 is
// rounded to nearest even when it is packed; f32 is cut to tf32, ten bits of
// mantissa, when it is unpacked to a source register.

#ifndef RING_TILE_TILENUMBERS_H
#define RING_TILE_TILENUMBERS_H

#include "MathUnit.h"

#include <cmath>
#include <cstring>

namespace ring::tile {

inline uint32_t bitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, 4);
  return bits;
}
inline float numberOf(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, 4);
  return number;
}
inline float cutToTf32(float number) {
  return numberOf(bitsOf(number) & 0xffffe000u);
}
inline uint16_t roundToBf16(float number) {
  const uint32_t bits = bitsOf(number);
  if (std::isnan(number))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// The place of row i, column j = 16 k of a tile in memory: four faces of
/// 16 x 16.
inline uint32_t placeOf(uint32_t i, uint32_t j) {
  return (i / 16 * 2 + j / 16) * 256 + i % 16 * 16 + j % 16;
}

/// Reads a tile as a source register has it.
inline void unpackTile(const uint8_t *memory, rt::TileFormat format,
                       TileNumbers &tile) {
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 32; j += 16) {
      float *row = tile.data() + 32 * i + j;
      if (format == rt::TileFormat::F32) {
        float stored[16];
        std::memcpy(stored, memory + 4 * placeOf(i, j), sizeof(stored));
        for (uint32_t k = 0; k < 16; ++k)
          row[k] = cutToTf32(stored[k]);
      } else {
        uint16_t stored[16];
        std::memcpy(stored, memory + 2 * placeOf(i, j), sizeof(stored));
        for (uint32_t k = 0; k < 16; ++k)
          row[k] = numberOf(uint32_t{stored[k]} << 16);
      }
    }
}

/// Writes a register to a tile, or adds it onto one.
inline void packNumbers(const TileNumbers &tile, rt::TileFormat format,
                        bool accumulate, uint8_t *memory) {
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 32; j += 16) {
      const float *row = tile.data() + 32 * i + j;
      if (format == rt::TileFormat::F32) {
        float stored[16];
        uint8_t *place = memory + 4 * placeOf(i, j);
        std::memcpy(stored, place, sizeof(stored));
        for (uint32_t k = 0; k < 16; ++k)
          stored[k] = accumulate ? stored[k] + row[k] : row[k];
        std::memcpy(place, stored, sizeof(stored));
      } else {
        uint16_t stored[16];
        uint8_t *place = memory + 2 * placeOf(i, j);
        std::memcpy(stored, place, sizeof(stored));
        for (uint32_t k = 0; k < 16; ++k)
          stored[k] = roundToBf16(
              accumulate ? numberOf(uint32_t{stored[k]} << 16) + row[k]
                         : row[k]);
        std::memcpy(place, stored, sizeof(stored));
      }
    }
}

} // namespace ring::tile

#endif // RING_TILE_TILENUMBERS_H
