// SPDX-License-Identifier: Apache-2.0
//
// Tensors of the block formats in memory: the tiles of BlockFloat.h, matrix
// after matrix over the last two dimensions. Nothing addresses one number of
// them; they are packed and unpacked strip by strip, and strips are independent
// so that threads can share the work.

#ifndef RING_RUNTIME_DATA_BLOCKTENSOR_H
#define RING_RUNTIME_DATA_BLOCKTENSOR_H

#include "Kernels/BlockFloat.h"
#include "ring-runtime/Types.h"

namespace ring::rt {

/// The strips of a block tensor: one row of tiles of one matrix each, that is
/// up to 32 rows of numbers. A tensor of 2x40x64 has two matrices of two strips
/// (32 and 8 rows), each two tiles wide.
class BlockTensor {
public:
  BlockTensor(ElementType element, const Shape &shape);

  int64_t strips() const { return matrices * stripsOfMatrix; }
  /// How many strips make a piece of work that is worth a hand-over.
  int64_t grain() const;

  /// Rounds the numbers of strips `begin` to `end` of a row-major array into
  /// the tiles.
  void pack(const float *numbers, uint8_t *tiles, int64_t begin,
            int64_t end) const;
  void pack(const uint16_t *bf16, uint8_t *tiles, int64_t begin,
            int64_t end) const;

  /// The way back; exact.
  void unpack(const uint8_t *tiles, uint16_t *bf16, int64_t begin,
              int64_t end) const;

private:
  /// Where a strip is in the row-major array and in the tiles.
  struct Place {
    int64_t number, byte, rows;
  };
  Place placeOf(int64_t strip) const;

  kernels::BlockFormat format;
  int64_t matrices = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t stripsOfMatrix = 1;
};

} // namespace ring::rt

#endif // RING_RUNTIME_DATA_BLOCKTENSOR_H
