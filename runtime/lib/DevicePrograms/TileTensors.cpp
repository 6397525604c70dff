// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the device's tiles.

#include "ring-runtime/AttentionProgram.h"

#include <cmath>
#include <cstring>

namespace ring::rt {

namespace {

uint32_t bitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, 4);
  return bits;
}

float numberOf(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, 4);
  return number;
}

/// To the nearest bf16, ties to even.
uint32_t roundedBits(float number) {
  const uint32_t bits = bitsOf(number);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff;
}

/// Where the number in row i and column j of a matrix of tiles is stored.
uint64_t placeOf(uint32_t i, uint32_t j, uint32_t columns) {
  const uint64_t tile = uint64_t{i / 32} * ((columns + 31) / 32) + j / 32;
  const uint64_t face = i % 32 / 16 * 2 + j % 32 / 16;
  return tile * 1024 + face * 256 + uint64_t{i % 16} * 16 + j % 16;
}

} // namespace

void writeTiles(const float *numbers, uint32_t rows, uint32_t columns,
                TileFormat format, uint8_t *tiles) {
  const uint64_t count = uint64_t{(rows + 31) / 32} * ((columns + 31) / 32);
  std::memset(tiles, 0, count * tileBytes(format));
  for (uint32_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      const float number = numbers[uint64_t{i} * columns + j];
      const uint64_t place = placeOf(i, j, columns);
      if (format == TileFormat::F32) {
        std::memcpy(tiles + 4 * place, &number, 4);
      } else {
        const auto bits = static_cast<uint16_t>(roundedBits(number));
        std::memcpy(tiles + 2 * place, &bits, 2);
      }
    }
}

void readTiles(const uint8_t *tiles, uint32_t rows, uint32_t columns,
               TileFormat format, float *numbers) {
  for (uint32_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      const uint64_t place = placeOf(i, j, columns);
      float &number = numbers[uint64_t{i} * columns + j];
      if (format == TileFormat::F32) {
        std::memcpy(&number, tiles + 4 * place, 4);
      } else {
        uint16_t bits;
        std::memcpy(&bits, tiles + 2 * place, 2);
        number = numberOf(uint32_t{bits} << 16);
      }
    }
}

void writeMaskTiles(const float *numbers, uint32_t rows, uint32_t columns,
                    uint32_t parts, float scale, uint8_t *pages) {
  const uint32_t padded = (rows + 31) / 32 * 32;
  const uint32_t tileColumns = (columns + 31) / 32;
  const uint32_t bytes = tileBytes(TileFormat::BF16);
  std::memset(pages, 0, uint64_t{padded / 32} * tileColumns * parts * bytes);
  // As ConstantTiles.h hides keys, when it has been divided by the scale.
  const float hidden = -1e30f * scale;
  for (uint32_t i = 0; i < padded; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      const uint32_t row = rows == 1 ? 0 : i;
      if (row >= rows)
        continue;
      float rest = numbers[uint64_t{row} * columns + j];
      if (rest < -0x1p64f * scale)
        rest = hidden;
      const uint64_t page = uint64_t{i / 32} * tileColumns + j / 32;
      const uint64_t place = placeOf(i % 32, j % 32, 32);
      for (uint32_t part = 0; part < parts; ++part) {
        const uint32_t high = roundedBits(rest);
        const auto bits = static_cast<uint16_t>(high);
        std::memcpy(pages + (page * parts + part) * bytes + 2 * place, &bits,
                    2);
        rest -= numberOf(high << 16);
      }
    }
}

void writeSinkTiles(float sink, float scale, uint8_t *tiles) {
  // The device subtracts maxima exactly if tf32 holds them, as it does bf16.
  const float reference = numberOf(roundedBits(sink / scale) << 16);
  const float weight = std::exp(sink - scale * reference);
  float column[32 * 32] = {};
  for (size_t i = 0; i < 32; ++i)
    column[32 * i] = reference;
  writeTiles(column, 32, 32, TileFormat::F32, tiles);
  for (size_t i = 0; i < 32; ++i)
    column[32 * i] = weight;
  writeTiles(column, 32, 32, TileFormat::F32,
             tiles + tileBytes(TileFormat::F32));
}

bool isEmptyLogSum(float logSum, float scale) {
  return logSum < -0x1p65f * std::fabs(scale);
}

} // namespace ring::rt
