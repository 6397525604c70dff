// SPDX-License-Identifier: Apache-2.0
//
// A block of a matrix product from operands of any strides: pack both sides,
// then run the micro-kernel over the tiles. Matmul and the backward pass of
// attention are made of it.

#if defined(RING_RUNTIME_KERNELS_MATMULBLOCK_INL_H) ==                         \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_MATMULBLOCK_INL_H
#undef RING_RUNTIME_KERNELS_MATMULBLOCK_INL_H
#else
#define RING_RUNTIME_KERNELS_MATMULBLOCK_INL_H
#endif

#include "Kernels/MicroKernel-inl.h"
#include "Kernels/Pack-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// Element (row, column) is at row * rowStride + column * columnStride.
template <typename T>
struct StridedMatrix {
  const T *data;
  int64_t rowStride;
  int64_t columnStride;

  const T *at(int64_t row, int64_t column) const {
    return data + row * rowStride + column * columnStride;
  }
};

/// Packs `rows` x `depth` into [row groups][depth][kTileRows], times `scale`;
/// the rows that fill up the last group are 0.
template <typename T>
void packLeft(const StridedMatrix<T> &from, int64_t rows, int64_t depth,
              float scale, float *HWY_RESTRICT to) {
  for (int64_t begin = 0; begin < rows; begin += kTileRows) {
    const int64_t count = std::min<int64_t>(kTileRows, rows - begin);
    if (from.columnStride == 1) {
      const T *lines[kTileRows];
      for (int64_t row = 0; row < count; ++row)
        lines[row] = from.at(begin + row, 0);
      packTransposed<kTileRows>(lines, count, depth, scale, to);
    } else {
      for (int64_t step = 0; step < depth; ++step)
        for (int64_t row = 0; row < kTileRows; ++row)
          to[step * kTileRows + row] =
              row < count ? scale * widen(*from.at(begin + row, step)) : 0.0f;
    }
    to += kTileRows * depth;
  }
}

/// Packs `depth` x `columns` into [column panels][depth][kPanel]; the columns
/// that fill up the last panel are 0.
template <typename T>
void packRight(const StridedMatrix<T> &from, int64_t depth, int64_t columns,
               float *HWY_RESTRICT to) {
  for (int64_t begin = 0; begin < columns; begin += kPanel) {
    const int64_t count = std::min<int64_t>(kPanel, columns - begin);
    if (from.columnStride == 1) {
      packRows(from.at(0, begin), from.rowStride, depth, count, to);
    } else if (from.rowStride == 1) {
      const T *lines[kPanel];
      for (int64_t column = 0; column < count; ++column)
        lines[column] = from.at(0, begin + column);
      packTransposed<kPanel>(lines, count, depth, 1.0f, to);
    } else {
      for (int64_t step = 0; step < depth; ++step)
        for (int64_t column = 0; column < kPanel; ++column)
          to[step * kPanel + column] =
              column < count ? widen(*from.at(step, begin + column)) : 0.0f;
    }
    to += kPanel * depth;
  }
}

/// One tile: result = left * right, or += with `accumulate`.
template <int Rows>
HWY_NOINLINE void multiplyBlockTile(const float *left, const float *panel,
                                    int64_t depth, bool accumulate,
                                    float *result, int64_t resultStride) {
  const FloatTag d;
  Tile<Rows> tile;
  clearTile(tile);
  multiplyTile(FixedRows<1, kTileRows>(left), panel, depth, tile,
               /*fetch=*/panel);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec) {
      float *at = result + row * resultStride + vec * kLanes;
      FloatVec sum = tile.sums[row][vec];
      if (accumulate)
        sum = hn::Add(sum, hn::Load(d, at));
      hn::Store(sum, d, at);
    }
}

/// result = left * right (+= with `accumulate`) from packed operands. `result`
/// is aligned, has `resultStride` >= columns rounded up to kPanel, and room for
/// the rows rounded up to the tile.
inline void multiplyBlock(const float *left, const float *right, int64_t rows,
                          int64_t columns, int64_t depth, bool accumulate,
                          float *result, int64_t resultStride) {
  for (int64_t column = 0; column < columns; column += kPanel) {
    const float *panel = right + column * depth;
    for (int64_t row = 0; row < rows; row += kTileRows) {
      const float *group = left + row * depth;
      float *at = result + row * resultStride + column;
      const int64_t count = rows - row;
      if (count > 4)
        multiplyBlockTile<kTileRows>(group, panel, depth, accumulate, at,
                                     resultStride);
      else if (count > 1)
        multiplyBlockTile<4>(group, panel, depth, accumulate, at, resultStride);
      else
        multiplyBlockTile<1>(group, panel, depth, accumulate, at, resultStride);
    }
  }
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_MATMULBLOCK_INL_H
