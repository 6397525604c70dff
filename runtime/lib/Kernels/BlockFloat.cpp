// SPDX-License-Identifier: Apache-2.0
//
// Block floating point; see BlockFloat.h. Bit manipulation on short blocks,
// bound by memory: plain loops.

#include "Kernels/BlockFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ring::rt::kernels {
namespace {

constexpr int kFloatMantissaBits = 23;
constexpr int64_t kFaceSide = 16;
constexpr int64_t kTileExponents = 64;

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

uint32_t exponentOf(uint32_t bits) { return bits >> kFloatMantissaBits & 0xff; }

/// What a mantissa of 1 stands for. For the smallest exponents it is below the
/// normal range, yet exact: 2^-133 at the least, and f32 goes down to 2^-149.
float scaleOf(BlockFormat format, uint8_t exponent) {
  return std::ldexp(1.0f, int(exponent) - 127 - (mantissaBits(format) - 1));
}

/// The value of a code whose block has that scale.
float decodeScaled(BlockFormat format, uint8_t code, float scale) {
  const int width = mantissaBits(format);
  const float magnitude = static_cast<float>(code & ((1 << width) - 1)) * scale;
  if (!(magnitude >= 0x1p-126f))
    return 0.0f;
  return code >> width ? -magnitude : magnitude;
}

/// One face row of a tile: where its sixteen values are in the array and in the
/// tile.
struct FaceRow {
  int64_t row, column;
  int64_t count; ///< values inside the array
  int64_t tile;  ///< index of the tile
  int64_t index; ///< index of the face row in its tile
};

/// Calls `function` for every face row of a [rows, columns] array in tiles.
template <typename Function>
void forEachFaceRow(int64_t rows, int64_t columns, const Function &function) {
  const int64_t tileRows = (rows + kTileSide - 1) / kTileSide;
  const int64_t tileColumns = (columns + kTileSide - 1) / kTileSide;
  for (int64_t tile = 0; tile < tileRows * tileColumns; ++tile)
    for (int64_t index = 0; index < kTileExponents; ++index) {
      const int64_t face = index / kFaceSide;
      FaceRow at;
      at.row = tile / tileColumns * kTileSide + face / 2 * kFaceSide +
               index % kFaceSide;
      at.column = tile % tileColumns * kTileSide + face % 2 * kFaceSide;
      at.count = at.row < rows
                     ? std::clamp<int64_t>(columns - at.column, 0, kFaceSide)
                     : 0;
      at.tile = tile;
      at.index = index;
      function(at);
    }
}

} // namespace

uint8_t sharedExponent(const float *values, int64_t count) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < count; ++i)
    largest = std::max(largest, exponentOf(bitsOf(values[i])));
  return static_cast<uint8_t>(largest);
}

uint8_t encodeBlockValue(BlockFormat format, float value, uint8_t exponent) {
  const uint32_t bits = bitsOf(value);
  const uint32_t own = exponentOf(bits);
  if (own == 0)
    return 0;
  const uint32_t shift = exponent - own;
  if (shift > kFloatMantissaBits)
    return 0;
  // 24 bits with the hidden one, aligned to the shared exponent.
  const uint32_t aligned =
      ((bits & 0x7fffff) | 1u << kFloatMantissaBits) >> shift;
  const int width = mantissaBits(format);
  const int dropped = kFloatMantissaBits + 1 - width;
  const uint32_t kept = aligned >> dropped;
  const uint32_t rest = aligned & ((1u << dropped) - 1);
  const uint32_t half = 1u << (dropped - 1);
  const bool up = rest > half || (rest == half && (kept & 1));
  const uint32_t mantissa = std::min(kept + up, (1u << width) - 1);
  if (mantissa == 0)
    return 0;
  return static_cast<uint8_t>(bits >> 31 << width | mantissa);
}

float decodeBlockValue(BlockFormat format, uint8_t code, uint8_t exponent) {
  return decodeScaled(format, code, scaleOf(format, exponent));
}

void roundThroughBlockFormat(BlockFormat format, const float *from,
                             int64_t rows, int64_t columns, float *to) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t begin = 0; begin < columns; begin += kBlockValues) {
      const int64_t at = row * columns + begin;
      const int64_t count = std::min(kBlockValues, columns - begin);
      const uint8_t exponent = sharedExponent(from + at, count);
      for (int64_t i = 0; i < count; ++i)
        to[at + i] = decodeBlockValue(
            format, encodeBlockValue(format, from[at + i], exponent), exponent);
    }
}

int64_t blockArrayBytes(BlockFormat format, int64_t rows, int64_t columns) {
  return (rows + kTileSide - 1) / kTileSide *
         ((columns + kTileSide - 1) / kTileSide) * blockTileBytes(format);
}

void packBlockTiles(BlockFormat format, const float *from, int64_t rows,
                    int64_t columns, uint8_t *to) {
  std::memset(to, 0, blockArrayBytes(format, rows, columns));
  forEachFaceRow(rows, columns, [&](const FaceRow &at) {
    if (at.count == 0)
      return;
    uint8_t *tile = to + at.tile * blockTileBytes(format);
    const float *values = from + at.row * columns + at.column;
    const uint8_t exponent = sharedExponent(values, at.count);
    tile[at.index] = exponent;
    for (int64_t i = 0; i < at.count; ++i) {
      const uint8_t code = encodeBlockValue(format, values[i], exponent);
      const int64_t index = at.index * kBlockValues + i;
      if (format == BlockFormat::Bfp8B)
        tile[kTileExponents + index] = code;
      else
        tile[kTileExponents + index / 2] |=
            static_cast<uint8_t>(code << index % 2 * 4);
    }
  });
}

void unpackBlockTiles(BlockFormat format, const uint8_t *from, int64_t rows,
                      int64_t columns, float *to) {
  forEachFaceRow(rows, columns, [&](const FaceRow &at) {
    if (at.count == 0)
      return;
    const uint8_t *tile = from + at.tile * blockTileBytes(format);
    const float scale = scaleOf(format, tile[at.index]);
    for (int64_t i = 0; i < at.count; ++i) {
      const int64_t index = at.index * kBlockValues + i;
      const uint8_t code =
          format == BlockFormat::Bfp8B
              ? tile[kTileExponents + index]
              : tile[kTileExponents + index / 2] >> index % 2 * 4 & 0xf;
      to[at.row * columns + at.column + i] = decodeScaled(format, code, scale);
    }
  });
}

} // namespace ring::rt::kernels
