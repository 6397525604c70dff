// SPDX-License-Identifier: Apache-2.0
//
// Packing: operands are laid out once in the order in which the micro-kernel
// reads them, widened to f32 on the way.

#if defined(RING_RUNTIME_KERNELS_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_PACK_INL_H
#undef RING_RUNTIME_KERNELS_PACK_INL_H
#else
#define RING_RUNTIME_KERNELS_PACK_INL_H
#endif

#include "Kernels/ElementType.h"
#include "Kernels/Simd-inl.h"

#include "hwy/cache_control.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE float widen(float value) { return value; }
HWY_INLINE float widen(uint16_t bits) { return bf16ToFloat(bits); }

/// Starts to fetch `rows` rows of `dim` elements. Packing reads many short rows
/// at once, which the hardware does not foresee.
template <typename T>
HWY_INLINE void fetchRows(const T *from, int64_t rowStride, int64_t rows,
                          int64_t dim) {
  constexpr int64_t kLineElements = 64 / sizeof(T);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < dim; column += kLineElements)
      hwy::Prefetch(from + row * rowStride + column);
}

#if HWY_TARGET != HWY_SCALAR
using QuadTag = hn::CappedTag<float, 4>;

/// Stores the blocks of four lanes of a vector, 4 * Width floats apart.
template <int Width, class D>
HWY_INLINE void storeQuads(D d, hn::Vec<D> quads, float *HWY_RESTRICT to) {
  constexpr int kCount = static_cast<int>(hn::MaxLanes(D()));
  if constexpr (kCount == 4) {
    hn::StoreU(quads, d, to);
  } else {
    const hn::Half<D> half;
    storeQuads<Width>(half, hn::LowerHalf(half, quads), to);
    storeQuads<Width>(half, hn::UpperHalf(half, quads),
                      to + kCount / 2 * Width);
  }
}

/// Four rows of as many columns as a vector has lanes, times `scale`,
/// transposed within blocks of four lanes: block b of columns[j] is column
/// 4 * b + j. Two rounds of interleaving: pairs of rows, then pairs of pairs.
template <class D, typename T>
HWY_INLINE void transposeFour(D d, const T *const *rows, int64_t column,
                              float scale, hn::Vec<D> *columns) {
  const hn::Repartition<uint64_t, D> pairs;
  const auto factor = hn::Set(d, scale);
  const auto r0 = hn::Mul(factor, loadFloats(d, rows[0] + column));
  const auto r1 = hn::Mul(factor, loadFloats(d, rows[1] + column));
  const auto r2 = hn::Mul(factor, loadFloats(d, rows[2] + column));
  const auto r3 = hn::Mul(factor, loadFloats(d, rows[3] + column));
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

/// Transposes four rows of as many columns as a vector has lanes:
/// to[column * Width + row] = scale * rows[row][column].
template <int Width, class D, typename T>
HWY_INLINE void packFour(D d, const T *const *rows, int64_t column, float scale,
                         float *HWY_RESTRICT to) {
  hn::Vec<D> columns[4];
  transposeFour(d, rows, column, scale, columns);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
    storeQuads<Width>(d, columns[j], to + (column + j) * Width);
}

/// The transpose of a square of kLanes rows and columns, times `scale`:
/// columns[c] is column `column` + c. The blocks that transposeFour makes of
/// each quad of rows are transposed as well. Rows beyond `Quads` quads are
/// anything.
template <int Quads, typename T>
HWY_INLINE void transposeSquare(const T *const *rows, int64_t column,
                                float scale, FloatVec *columns) {
  const FloatTag d;
  FloatVec quads[kLanes / 4][4];
#pragma GCC unroll 4
  for (int quad = 0; quad < kLanes / 4; ++quad)
    transposeFour(d, rows + 4 * (quad < Quads ? quad : 0), column, scale,
                  quads[quad]);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    if constexpr (kLanes == 16) {
      const auto low02 = hn::ConcatLowerLower(d, quads[2][j], quads[0][j]);
      const auto low13 = hn::ConcatLowerLower(d, quads[3][j], quads[1][j]);
      const auto high02 = hn::ConcatUpperUpper(d, quads[2][j], quads[0][j]);
      const auto high13 = hn::ConcatUpperUpper(d, quads[3][j], quads[1][j]);
      const auto even = [](FloatVec a, FloatVec b) HWY_ATTR {
        return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
      };
      const auto odd = [](FloatVec a, FloatVec b) HWY_ATTR {
        return hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
      };
      columns[j] = even(low02, low13);
      columns[4 + j] = odd(low02, low13);
      columns[8 + j] = even(high02, high13);
      columns[12 + j] = odd(high02, high13);
    } else if constexpr (kLanes == 8) {
      columns[j] = hn::ConcatLowerLower(d, quads[1][j], quads[0][j]);
      columns[4 + j] = hn::ConcatUpperUpper(d, quads[1][j], quads[0][j]);
    } else {
      columns[j] = quads[0][j];
    }
  }
}

/// Transposes a square of kLanes rows and columns, which leaves by whole
/// vectors.
template <int Width, typename T>
HWY_INLINE void packSquare(const T *const *rows, int64_t column, float scale,
                           float *HWY_RESTRICT to) {
  FloatVec columns[kLanes];
  transposeSquare<kLanes / 4>(rows, column, scale, columns);
#pragma GCC unroll 16
  for (int index = 0; index < kLanes; ++index)
    hn::Store(columns[index], FloatTag(), to + (column + index) * Width);
}

/// Transposes the 12 rows of a tile of 16 lanes. Each column is stored with
/// four lanes too many, which the next one covers; the last has none.
template <typename T>
HWY_INLINE void packTwelve(const T *const *rows, int64_t column, float scale,
                           float *HWY_RESTRICT to) {
  constexpr int kRows = 12;
  const FloatTag d;
  FloatVec columns[kLanes];
  transposeSquare<kRows / 4>(rows, column, scale, columns);
  to += column * kRows;
#pragma GCC unroll 16
  for (int index = 0; index < kLanes - 1; ++index)
    hn::StoreU(columns[index], d, to + index * kRows);
  hn::BlendedStore(columns[kLanes - 1], hn::FirstN(d, kRows), d,
                   to + (kLanes - 1) * kRows);
}

/// Transposes what whole quads of rows cover of `count` rows and returns how
/// many rows that is.
template <int Width, typename T>
HWY_INLINE int64_t transposeQuads(const T *const *rows, int64_t count,
                                  int64_t dim, float scale,
                                  float *HWY_RESTRICT to) {
  const int64_t quads = count / 4 * 4;
  int64_t column = 0;
  for (; column + kLanes <= dim; column += kLanes) {
    int64_t row = 0;
    if constexpr (Width == 12 && kLanes == 16)
      if (quads == Width) {
        packTwelve(rows, column, scale, to);
        continue;
      }
    if constexpr (Width % kLanes == 0)
      for (; row + kLanes <= quads; row += kLanes)
        packSquare<Width>(rows + row, column, scale, to + row);
    for (; row < quads; row += 4)
      packFour<Width>(FloatTag(), rows + row, column, scale, to + row);
  }
  for (; column + 4 <= dim; column += 4)
    for (int64_t row = 0; row < quads; row += 4)
      packFour<Width>(QuadTag(), rows + row, column, scale, to + row);
  for (; column < dim; ++column)
    for (int64_t row = 0; row < quads; ++row)
      to[column * Width + row] = scale * widen(rows[row][column]);
  return quads;
}
#else
template <int Width, typename T>
int64_t transposeQuads(const T *const *, int64_t, int64_t, float, float *) {
  return 0;
}
#endif

/// Transposes `count` <= Width rows of `dim` elements into [dim][Width], times
/// `scale`; the columns of missing rows are 0.
template <int Width, typename T>
void packTransposed(const T *const *rows, int64_t count, int64_t dim,
                    float scale, float *HWY_RESTRICT to) {
  const int64_t quads = transposeQuads<Width>(rows, count, dim, scale, to);
  for (int64_t row = quads; row < Width; ++row)
    for (int64_t column = 0; column < dim; ++column)
      to[column * Width + row] =
          row < count ? scale * widen(rows[row][column]) : 0.0f;
}

/// Copies `columns` <= kPanel elements of each of `rows` rows into
/// [rows][kPanel]; missing columns are 0.
template <typename T>
void packRows(const T *from, int64_t rowStride, int64_t rows, int64_t columns,
              float *HWY_RESTRICT to) {
  const FloatTag d;
  if (columns == kPanel) {
    for (int64_t row = 0; row < rows; ++row, to += kPanel)
#pragma GCC unroll 4
      for (int vec = 0; vec < kPanelVectors; ++vec)
        hn::Store(loadFloats(d, from + row * rowStride + vec * kLanes), d,
                  to + vec * kLanes);
    return;
  }
  for (int64_t row = 0; row < rows; ++row, to += kPanel)
    for (int64_t column = 0; column < kPanel; ++column)
      to[column] =
          column < columns ? widen(from[row * rowStride + column]) : 0.0f;
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_PACK_INL_H
