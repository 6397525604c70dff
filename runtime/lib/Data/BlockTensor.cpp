// SPDX-License-Identifier: Apache-2.0
//
// Strips of tiles; see BlockTensor.h.

#include "Data/BlockTensor.h"

#include "Kernels/Convert.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace ring::rt {

BlockTensor::BlockTensor(ElementType element, const Shape &shape)
    : format(element == ElementType::BFP8B ? kernels::BlockFormat::Bfp8B
                                           : kernels::BlockFormat::Bfp4B) {
  assert(isBlockFormat(element) && "expects a block format");
  if (!shape.empty())
    columns = shape.back();
  if (shape.size() > 1)
    rows = shape[shape.size() - 2];
  matrices = elementCount(shape) / (rows * columns);
  stripsOfMatrix = (rows + kernels::kTileSide - 1) / kernels::kTileSide;
}

int64_t BlockTensor::grain() const {
  constexpr int64_t kNumbers = 1 << 15;
  return std::max<int64_t>(1, kNumbers / (kernels::kTileSide * columns));
}

BlockTensor::Place BlockTensor::placeOf(int64_t strip) const {
  int64_t matrix = strip / stripsOfMatrix;
  int64_t row = strip % stripsOfMatrix * kernels::kTileSide;
  return {(matrix * rows + row) * columns,
          strip * kernels::blockArrayBytes(format, kernels::kTileSide, columns),
          std::min(kernels::kTileSide, rows - row)};
}

void BlockTensor::pack(const float *numbers, uint8_t *tiles, int64_t begin,
                       int64_t end) const {
  for (int64_t strip = begin; strip < end; ++strip) {
    Place at = placeOf(strip);
    kernels::packBlockTiles(format, numbers + at.number, at.rows, columns,
                            tiles + at.byte);
  }
}

void BlockTensor::pack(const uint16_t *bf16, uint8_t *tiles, int64_t begin,
                       int64_t end) const {
  std::vector<float> numbers(kernels::kTileSide * columns);
  for (int64_t strip = begin; strip < end; ++strip) {
    Place at = placeOf(strip);
    kernels::widenBf16(bf16 + at.number, at.rows * columns, numbers.data());
    kernels::packBlockTiles(format, numbers.data(), at.rows, columns,
                            tiles + at.byte);
  }
}

void BlockTensor::unpack(const uint8_t *tiles, uint16_t *bf16, int64_t begin,
                         int64_t end) const {
  std::vector<float> numbers(kernels::kTileSide * columns);
  for (int64_t strip = begin; strip < end; ++strip) {
    Place at = placeOf(strip);
    kernels::unpackBlockTiles(format, tiles + at.byte, at.rows, columns,
                              numbers.data());
    kernels::roundToBf16(numbers.data(), at.rows * columns, bf16 + at.number);
  }
}

} // namespace ring::rt
