// SPDX-License-Identifier: Apache-2.0
//
// The block floating point formats of the device, bfp8_b and bfp4_b: sixteen
// consecutive values of a row share one 8-bit exponent, and each keeps a sign
// and a 7 (or 3) bit mantissa whose leading one is explicit.
//
// With the shared exponent e (biased by 127) a bfp8_b value is
//   (-1)^sign * mantissa * 2^(e - 127 - 6),   bfp4_b: 2^(e - 127 - 2).
// Example, bfp8_b, block {1.0, 0.3, 0, ...}: e = 127; 1.0 is 64; 0.3 is
// 19.2 / 64, rounded to 19 and read back as 0.296875.

#ifndef RING_RUNTIME_KERNELS_BLOCKFLOAT_H
#define RING_RUNTIME_KERNELS_BLOCKFLOAT_H

#include <cstdint>

namespace ring::rt::kernels {

enum class BlockFormat : uint8_t { Bfp8B, Bfp4B };

/// Values that share an exponent.
constexpr int64_t kBlockValues = 16;

/// Mantissa bits, the explicit leading one included.
constexpr int mantissaBits(BlockFormat format) {
  return format == BlockFormat::Bfp8B ? 7 : 3;
}

/// The shared exponent of up to 16 values: the largest of their own.
uint8_t sharedExponent(const float *values, int64_t count);

/// Encodes one value against a shared exponent that is at least its own: sign
/// above mantissa. As on the device, aligning to the shared exponent cuts bits
/// off, what remains is rounded to nearest, ties to even, and a mantissa that
/// rounds up beyond its bits saturates. Zero and what rounds to it are 0
/// without a sign; denormals count as zero.
uint8_t encodeBlockValue(BlockFormat format, float value, uint8_t exponent);

/// The value of a code; results below the normal range are 0.
float decodeBlockValue(BlockFormat format, uint8_t code, uint8_t exponent);

/// Rounds a [rows, columns] array through the format: what comes back after a
/// store and a load. The last block of a row may be short. `to` may be `from`.
void roundThroughBlockFormat(BlockFormat format, const float *from,
                             int64_t rows, int64_t columns, float *to);

/// A tile is 32 x 32 values in four 16 x 16 faces (upper left, upper right,
/// lower left, lower right): first the 64 exponents, one for each row of each
/// face, then the codes in the same order; two to a byte for bfp4_b, the first
/// in the lower half.
constexpr int64_t kTileSide = 32;
constexpr int64_t blockTileBytes(BlockFormat format) {
  return 64 + (format == BlockFormat::Bfp8B ? 1024 : 512);
}

/// Bytes of a [rows, columns] array in whole tiles.
int64_t blockArrayBytes(BlockFormat format, int64_t rows, int64_t columns);

/// Packs a dense [rows, columns] array into tiles, row of tiles after row of
/// tiles, filled up with zeros.
void packBlockTiles(BlockFormat format, const float *from, int64_t rows,
                    int64_t columns, uint8_t *to);

/// The way back.
void unpackBlockTiles(BlockFormat format, const uint8_t *from, int64_t rows,
                      int64_t columns, float *to);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_BLOCKFLOAT_H
