// SPDX-License-Identifier: Apache-2.0
// Tensors as the devices' tiles.

#ifndef RING_METALIUM_TILES_H
#define RING_METALIUM_TILES_H

#include "Tensors.h"

#include <cmath>

namespace ring {

/// Where a number is in tiles of 32 x 32, four faces of 16 x 16 each.
inline size_t placeOf(size_t row, size_t column, size_t columns) {
  const size_t tile = row / 32 * ((columns + 31) / 32) + column / 32;
  const size_t face = row % 32 / 16 * 2 + column % 32 / 16;
  return tile * 1024 + face * 256 + row % 16 * 16 + column % 16;
}

inline void putNumber(std::vector<uint8_t> &bytes, size_t place, double number,
                      bool wide) {
  const float narrow = wide ? static_cast<float>(number) : rounded(number);
  if (wide)
    std::memcpy(&bytes[4 * place], &narrow, 4);
  else
    std::memcpy(&bytes[2 * place], reinterpret_cast<const char *>(&narrow) + 2,
                2);
}

inline float numberAt(const std::vector<uint8_t> &bytes, size_t place,
                      bool wide) {
  float number = 0;
  if (wide)
    std::memcpy(&number, &bytes[4 * place], 4);
  else
    std::memcpy(reinterpret_cast<char *>(&number) + 2, &bytes[2 * place], 2);
  return number;
}

/// Heads behind each other, each in `headRows` rows of bf16 tiles.
inline std::vector<uint8_t> tilesOf(const Array &array, uint32_t headRows) {
  const uint32_t rows = array.shape[2], columns = array.shape[3];
  const size_t heads = size_t{array.shape[0]} * array.shape[1];
  std::vector<uint8_t> bytes(heads * headRows * ((columns + 31) / 32) * 2048);
  for (size_t head = 0; head < heads; ++head)
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t column = 0; column < columns; ++column)
        putNumber(bytes, placeOf(head * headRows * 32 + row, column, columns),
                  array.numbers[(head * rows + row) * columns + column], false);
  return bytes;
}

/// The inverse, of which `tileColumns` columns are stored.
inline Array fromTiles(const std::vector<uint8_t> &bytes,
                       const std::vector<uint32_t> &shape, uint32_t headRows,
                       uint32_t tileColumns, bool wide) {
  Array array{shape, {}};
  for (size_t head = 0; head < size_t{shape[0]} * shape[1]; ++head)
    for (uint32_t row = 0; row < shape[2]; ++row)
      for (uint32_t column = 0; column < shape[3]; ++column)
        array.numbers.push_back(numberAt(
            bytes, placeOf(head * headRows * 32 + row, column, tileColumns),
            wide));
  return array;
}

/// Heads of a mask behind each other. One row is repeated for all queries of a
/// row of tiles; what hides a key is finite when the scale has divided it.
inline std::vector<uint8_t> maskTilesOf(const Array &mask, uint32_t parts,
                                        double scale) {
  const size_t heads = size_t{mask.shape[0]} * mask.shape[1];
  const uint32_t rows = mask.shape[2], columns = mask.shape[3];
  const uint32_t padded = (rows + 31) / 32 * 32;
  const size_t headPages = size_t{padded / 32} * ((columns + 31) / 32);
  std::vector<uint8_t> bytes(heads * headPages * parts * 2048);
  for (size_t head = 0; head < heads; ++head)
    for (uint32_t row = 0; row < (rows == 1 ? padded : rows); ++row)
      for (uint32_t column = 0; column < columns; ++column) {
        const size_t from = rows == 1 ? head : head * rows + row;
        double rest = mask.numbers[from * columns + column];
        if (rest < -0x1p64 * scale)
          rest = -1e30 * scale;
        const size_t place = placeOf(row, column, columns);
        const size_t page = head * headPages + place / 1024;
        for (uint32_t part = 0; part < parts; ++part) {
          putNumber(bytes, (page * parts + part) * 1024 + place % 1024, rest,
                    false);
          rest -= rounded(rest);
        }
      }
  return bytes;
}

/// Two f32 tiles for each head and sink: a reference that the device holds
/// exactly, and the weight of the sink relative to it, in the first column.
inline std::vector<uint8_t> sinkTilesOf(const Array &sinks, uint32_t batch,
                                        uint32_t heads, double scale) {
  std::vector<uint8_t> bytes(size_t{batch} * heads * 2 * 4096);
  for (size_t head = 0; head < size_t{batch} * heads; ++head) {
    const double sink = sinks.numbers[head % heads];
    const double reference = rounded(sink / scale);
    for (size_t row = 0; row < 32; ++row) {
      putNumber(bytes, placeOf(2 * head * 32 + row, 0, 32), reference, true);
      putNumber(bytes, placeOf((2 * head + 1) * 32 + row, 0, 32),
                std::exp(sink - scale * reference), true);
    }
  }
  return bytes;
}

} // namespace ring

#endif // RING_METALIUM_TILES_H
