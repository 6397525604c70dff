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

/// Has the sums of a tile that fills the registers stay in them. Left to
/// itself, the compiler moves loads of later steps up and spills sums for them.
template <int Rows, int Vectors>
HWY_INLINE void pinTile(Tile<Rows, Vectors> &tile) {
#if HWY_TARGET == HWY_AVX2 && HWY_COMPILER_CLANG
  if constexpr (Rows == 6 && Vectors == 2) {
    auto &sums = tile.sums;
    asm(""
        : "+x"(sums[0][0].raw), "+x"(sums[0][1].raw), "+x"(sums[1][0].raw),
          "+x"(sums[1][1].raw), "+x"(sums[2][0].raw), "+x"(sums[2][1].raw),
          "+x"(sums[3][0].raw), "+x"(sums[3][1].raw), "+x"(sums[4][0].raw),
          "+x"(sums[4][1].raw), "+x"(sums[5][0].raw), "+x"(sums[5][1].raw));
  }
#else
  (void)tile;
#endif
}

/// tile[row] += left[row * RowStride] * panel[0 .. Vectors * kLanes).
template <int Rows, int RowStride, int Vectors>
HWY_INLINE void multiplyStep(const float *HWY_RESTRICT left,
                             const float *HWY_RESTRICT panel,
                             Tile<Rows, Vectors> &tile) {
  const FloatTag d;
  FloatVec columns[Vectors];
#pragma GCC unroll 8
  for (int vec = 0; vec < Vectors; ++vec)
    columns[vec] = hn::Load(d, panel + vec * kLanes);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    const FloatVec value = hn::Set(d, left[row * RowStride]);
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec)
      tile.sums[row][vec] =
          hn::MulAdd(value, columns[vec], tile.sums[row][vec]);
  }
  pinTile(tile);
}

/// Steps of the unrolled loop, and the cache lines of a panel that they read.
constexpr int kUnrolledSteps = 8;
constexpr int kLineFloats = 16;
constexpr int kUnrolledLines = kUnrolledSteps * kPanel / kLineFloats;

/// Starts to fetch the line of `at` into the L2 cache. The address need not be
/// valid.
HWY_INLINE void fetchLine(const void *at) {
  constexpr int kRead = 0, kOutermostButOne = 2;
  __builtin_prefetch(at, kRead, kOutermostButOne);
}

/// tile += left * panel over `depth` steps; element (row, step) of the left
/// operand is at row * RowStride + step * StepStride within a chunk of
/// kUnrolledSteps steps, chunks are ChunkStride apart, and step `step` of the
/// panel is at step * panelStride, aligned. With every chunk one line is
/// fetched, `ahead` floats from the panel's own: as many tiles as there are
/// lines, each with one of them, bring a panel that comes later nearer at the
/// pace at which this one is used.
template <int Rows, int RowStride, int StepStride,
          int ChunkStride = kUnrolledSteps *StepStride, int Vectors>
HWY_INLINE void multiplyTile(const float *HWY_RESTRICT left,
                             const float *HWY_RESTRICT panel, int64_t depth,
                             Tile<Rows, Vectors> &tile, ptrdiff_t ahead = 0,
                             int64_t panelStride = kPanel) {
  int64_t step = 0;
  for (; step + kUnrolledSteps <= depth; step += kUnrolledSteps) {
    fetchLine(panel + ahead);
#pragma GCC unroll 8
    for (int next = 0; next < kUnrolledSteps; ++next)
      multiplyStep<Rows, RowStride>(left + next * StepStride,
                                    panel + next * panelStride, tile);
    left += ChunkStride;
    panel += kUnrolledSteps * panelStride;
  }
  for (; step < depth; ++step) {
    multiplyStep<Rows, RowStride>(left, panel, tile);
    left += StepStride;
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
