// SPDX-License-Identifier: Apache-2.0
//
// The inner product loop that every matrix product here ends in: a few rows of
// a left operand times one packed panel, accumulated in registers.

#if defined(RING_RUNTIME_KERNELS_MICROKERNEL_INL_H) ==                         \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_MICROKERNEL_INL_H
#undef RING_RUNTIME_KERNELS_MICROKERNEL_INL_H
#else
#define RING_RUNTIME_KERNELS_MICROKERNEL_INL_H
#endif

#include "Kernels/Simd-inl.h"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// Rows x Vectors sums, a whole panel or its first vectors. The loops over it
/// have constant bounds and are unrolled whole, so that it lives in registers.
template <int Rows, int Vectors = kPanelVectors>
struct Tile {
  FloatVec sums[Rows][Vectors];
};

template <int Rows, int Vectors>
HWY_INLINE void clearTile(Tile<Rows, Vectors> &tile) {
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec)
      tile.sums[row][vec] = hn::Zero(FloatTag());
}

/// Has the sums of a tile that fills the registers stay in them, and loads of
/// later steps stay behind them. Left to itself, the compiler moves such loads
/// up and spills for them, to where they straddle cache lines.
template <int Rows, int Vectors>
HWY_INLINE void pinTile(Tile<Rows, Vectors> &tile) {
#if HWY_TARGET == HWY_AVX2 && HWY_COMPILER_CLANG
  if constexpr (Rows == 6 && Vectors == 2) {
    auto &sums = tile.sums;
    asm(""
        : "+x"(sums[0][0].raw), "+x"(sums[0][1].raw), "+x"(sums[1][0].raw),
          "+x"(sums[1][1].raw), "+x"(sums[2][0].raw), "+x"(sums[2][1].raw),
          "+x"(sums[3][0].raw), "+x"(sums[3][1].raw), "+x"(sums[4][0].raw),
          "+x"(sums[4][1].raw), "+x"(sums[5][0].raw), "+x"(sums[5][1].raw)
        :
        : "memory");
  }
#else
  (void)tile;
#endif
}

/// Steps of the unrolled loop, and the cache lines of a panel that they read.
constexpr int kUnrolledSteps = 8;
constexpr int kLineFloats = 16;
constexpr int kUnrolledLines = kUnrolledSteps * kPanel / kLineFloats;

/// Rows of a left operand whose distances are known at compile time: element
/// (row, step) of a chunk of kUnrolledSteps steps is at row * RowStride + step
/// * StepStride, and chunks are ChunkStride apart.
template <int RowStride, int StepStride,
          int ChunkStride = kUnrolledSteps * StepStride>
class FixedRows {
public:
  explicit FixedRows(const float *first) : at(first) {}

  HWY_INLINE float element(int row, int step) const {
    return at[row * RowStride + step * StepStride];
  }
  HWY_INLINE void nextChunk() { at += ChunkStride; }
  HWY_INLINE void nextStep() { at += StepStride; }

private:
  const float *HWY_RESTRICT at;
};

/// Rows of a left operand that are `rowStride` floats apart: element (row,
/// step) of a chunk of kUnrolledSteps steps is at row * rowStride + step, and
/// chunks are `chunkStride` apart. One pointer for three rows is what an
/// address of base, index and scale covers; one for each row would not fit into
/// the registers.
template <int Rows>
class StridedRows {
public:
  StridedRows(const float *first, int64_t rowStride, int64_t chunkStride)
      : row0(first), row3(row0 + 3 * rowStride), row6(row3 + 3 * rowStride),
        row9(row6 + 3 * rowStride), rowStride(rowStride),
        chunkStride(chunkStride) {
    pin();
  }

  HWY_INLINE float element(int row, int step) const {
    const float *base = row < 3 ? row0 : row < 6 ? row3 : row < 9 ? row6 : row9;
    return base[row % 3 * rowStride + step];
  }
  HWY_INLINE void nextChunk() { advance(chunkStride); }
  HWY_INLINE void nextStep() { advance(1); }

private:
  HWY_INLINE void advance(int64_t floats) {
    row0 += floats;
    row3 += floats;
    row6 += floats;
    row9 += floats;
    pin();
  }
  /// Has the compiler take the pointers for unrelated: it would derive them
  /// from each other with every step.
  HWY_INLINE void pin() {
#if HWY_COMPILER_CLANG || HWY_COMPILER_GCC
    asm("" : "+r"(row0));
    if constexpr (Rows > 3)
      asm("" : "+r"(row3));
    if constexpr (Rows > 6)
      asm("" : "+r"(row6));
    if constexpr (Rows > 9)
      asm("" : "+r"(row9));
#endif
  }

  const float *row0, *row3, *row6, *row9;
  int64_t rowStride, chunkStride;
};
static_assert(kTileRows <= 12);

/// tile[row] += left.element(row, step) * panel[0 .. Vectors * kLanes).
template <int Rows, int Vectors, class Left>
HWY_INLINE void multiplyStep(const Left &left, int step,
                             const float *HWY_RESTRICT panel,
                             Tile<Rows, Vectors> &tile) {
  const FloatTag d;
  FloatVec columns[Vectors];
#pragma GCC unroll 8
  for (int vec = 0; vec < Vectors; ++vec)
    columns[vec] = hn::Load(d, panel + vec * kLanes);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    const FloatVec value = hn::Set(d, left.element(row, step));
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec)
      tile.sums[row][vec] =
          hn::MulAdd(value, columns[vec], tile.sums[row][vec]);
  }
  pinTile(tile);
}

/// Starts to fetch the line of `at` into the L2 cache. The address need not be
/// valid.
HWY_INLINE void fetchLine(const void *at) {
  constexpr int kRead = 0, kOutermostButOne = 2;
  __builtin_prefetch(at, kRead, kOutermostButOne);
}

/// tile += left * panel over `depth` steps; `left` is FixedRows or StridedRows,
/// and step `step` of the panel is at step * panelStride, aligned. With every
/// chunk one line is fetched, the next one from `fetch` on: as many tiles as a
/// chunk has lines bring a block that comes later nearer at the pace at which
/// this one is used. Lines in a row, so that the hardware helps.
template <int Rows, int Vectors, class Left>
HWY_INLINE void multiplyTile(Left left, const float *HWY_RESTRICT panel,
                             int64_t depth, Tile<Rows, Vectors> &tile,
                             const float *fetch, int64_t panelStride = kPanel) {
  int64_t step = 0;
  for (; step + kUnrolledSteps <= depth; step += kUnrolledSteps) {
    fetchLine(fetch);
    fetch += kLineFloats;
#pragma GCC unroll 8
    for (int next = 0; next < kUnrolledSteps; ++next)
      multiplyStep(left, next, panel + next * panelStride, tile);
    left.nextChunk();
    panel += kUnrolledSteps * panelStride;
  }
  for (; step < depth; ++step) {
    multiplyStep(left, 0, panel, tile);
    left.nextStep();
    panel += panelStride;
  }
}

/// tile += left * panel over as many steps as there are rows, of which row r
/// takes part in the first r + 1; element (row, step) of the left operand is at
/// row * RowStride + step.
template <int Rows, int RowStride, int Vectors>
HWY_INLINE void multiplyTriangle(const float *HWY_RESTRICT left,
                                 const float *HWY_RESTRICT panel,
                                 int64_t panelStride,
                                 Tile<Rows, Vectors> &tile) {
  const FloatTag d;
#pragma GCC unroll 16
  for (int step = 0; step < Rows; ++step, panel += panelStride) {
    FloatVec columns[Vectors];
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec)
      columns[vec] = hn::Load(d, panel + vec * kLanes);
#pragma GCC unroll 16
    for (int row = step; row < Rows; ++row) {
      const FloatVec value = hn::Set(d, left[row * RowStride + step]);
#pragma GCC unroll 8
      for (int vec = 0; vec < Vectors; ++vec)
        tile.sums[row][vec] =
            hn::MulAdd(value, columns[vec], tile.sums[row][vec]);
    }
    pinTile(tile);
  }
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_MICROKERNEL_INL_H
