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

#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// Rows x kPanel sums. The loops over it have constant bounds and are unrolled
/// whole, so that it lives in registers.
template <int Rows>
struct Tile {
  FloatVec sums[Rows][kPanelVectors];
};

template <int Rows>
HWY_INLINE void clearTile(Tile<Rows> &tile) {
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      tile.sums[row][vec] = hn::Zero(FloatTag());
}

/// Steps that a panel is fetched ahead; 0 for not at all. It matters for the
/// first pass over a block, which comes from the L3 cache or from a peer's
/// memory: some 300 cycles at 12 cycles a step. Narrower vectors ask for half
/// as much a cycle, which the hardware foresees.
constexpr int kPrefetchSteps = kLanes >= 16 ? 24 : 0;

/// tile[row] += left[row * RowStride] * panel[0 .. kPanel).
template <int Rows, int RowStride>
HWY_INLINE void multiplyStep(const float *HWY_RESTRICT left,
                             const float *HWY_RESTRICT panel,
                             Tile<Rows> &tile) {
  const FloatTag d;
  FloatVec columns[kPanelVectors];
  if constexpr (kPrefetchSteps > 0) {
    constexpr int kLineFloats = 16;
#pragma GCC unroll 4
    for (int column = 0; column < kPanel; column += kLineFloats)
      hwy::Prefetch(panel + kPrefetchSteps * kPanel + column);
  }
#pragma GCC unroll 4
  for (int vec = 0; vec < kPanelVectors; ++vec)
    columns[vec] = hn::Load(d, panel + vec * kLanes);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    const FloatVec value = hn::Set(d, left[row * RowStride]);
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      tile.sums[row][vec] =
          hn::MulAdd(value, columns[vec], tile.sums[row][vec]);
  }
}

/// tile += left * panel over `depth` steps; element (row, step) of the left
/// operand is at row * RowStride + step * StepStride, and the panel is
/// [depth][kPanel], aligned.
template <int Rows, int RowStride, int StepStride>
HWY_INLINE void multiplyTile(const float *HWY_RESTRICT left,
                             const float *HWY_RESTRICT panel, int64_t depth,
                             Tile<Rows> &tile) {
  int64_t step = 0;
  for (; step + 4 <= depth; step += 4) {
    multiplyStep<Rows, RowStride>(left, panel, tile);
    multiplyStep<Rows, RowStride>(left + StepStride, panel + kPanel, tile);
    multiplyStep<Rows, RowStride>(left + 2 * StepStride, panel + 2 * kPanel,
                                  tile);
    multiplyStep<Rows, RowStride>(left + 3 * StepStride, panel + 3 * kPanel,
                                  tile);
    left += 4 * StepStride;
    panel += 4 * kPanel;
  }
  for (; step < depth; ++step) {
    multiplyStep<Rows, RowStride>(left, panel, tile);
    left += StepStride;
    panel += kPanel;
  }
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_MICROKERNEL_INL_H
