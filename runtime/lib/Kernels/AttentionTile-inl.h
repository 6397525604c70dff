// SPDX-License-Identifier: Apache-2.0
//
// The three steps of attention on a tile of a few query rows and one block of
// keys: scores, weights, weighted values. Scores are in the log2 domain (the
// packed query carries the factor log2(e)), which saves a multiplication per
// score.
//
// Weights are relative to a reference that must be near the largest score but
// need not be it: any reference gives the same quotient in the end, as long as
// nothing overflows. So the common case looks for no maximum at all. It starts
// the accumulators at minus the reference, takes 2^x as they leave the
// registers and looks at the sums afterwards; only a sum above kLargestSum,
// which means that some score is far above the reference, has the block done
// again with a search (the careful way, which also serves masks and first
// blocks).

#if defined(RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H) ==                       \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#undef RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#else
#define RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#endif

#include "Kernels/AttentionLayout.h"
#include "Kernels/MicroKernel-inl.h"
#include "Kernels/WeightTile.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// A reference is raised when a score is above it by more than this, so that
/// weights found the careful way are at most 2^16.
constexpr float kReferenceSlack = 16.0f;

/// The largest lane sum of a block that counts as near the reference: more than
/// 512 / 4 keys of a lane can add up to at 2^16 each.
constexpr float kLargestSum = 16777216.0f;

/// The quick way: weights[row][0 .. kPanel) = 2^(query * keys - reference[row])
/// and their sums, added to blockSums. `query` is [keyDim][kTileRows].
template <int Rows>
HWY_NOINLINE void weighKeyPanel(const float *query, const float *keyPanel,
                                int64_t keyDim, const float *reference,
                                float *HWY_RESTRICT weights,
                                float *HWY_RESTRICT blockSums) {
  const FloatTag d;
  Tile<Rows> tile;
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      tile.sums[row][vec] = hn::Set(d, -reference[row]);
  multiplyTile<Rows, 1, kTileRows>(query, keyPanel, keyDim, tile);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    float *sums = blockSums + row * kMostLanes;
    FloatVec sum = hn::Load(d, sums);
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec) {
      const FloatVec weight = exp2(d, tile.sums[row][vec]);
      hn::Store(weight, d, weights + row * kWeightStride + vec * kLanes);
      sum = hn::Add(sum, weight);
    }
    hn::Store(sum, d, sums);
  }
}

/// The first step of the careful way: scores[row][0 .. kPanel) = query * keys.
template <int Rows>
HWY_NOINLINE void scoreKeyPanel(const float *query, const float *keyPanel,
                                int64_t keyDim, float *scores) {
  const FloatTag d;
  Tile<Rows> tile;
  clearTile(tile);
  multiplyTile<Rows, 1, kTileRows>(query, keyPanel, keyDim, tile);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      hn::Store(tile.sums[row][vec], d,
                scores + row * kWeightStride + vec * kLanes);
}

/// out[row][0 .. kPanel) = rescale[row] * out[row] + weights[row] * values,
/// where the value panel is [keys][kPanel].
template <int Rows>
HWY_NOINLINE void weighPanel(const float *weights, const float *valuePanel,
                             int64_t keys, const float *rescale, float *out,
                             int64_t outStride) {
  const FloatTag d;
  Tile<Rows> tile;
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      tile.sums[row][vec] =
          hn::Mul(hn::Set(d, rescale[row]),
                  hn::Load(d, out + row * outStride + vec * kLanes));
  multiplyTile<Rows, kWeightStride, 1>(weights, valuePanel, keys, tile);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int vec = 0; vec < kPanelVectors; ++vec)
      hn::Store(tile.sums[row][vec], d, out + row * outStride + vec * kLanes);
}

/// Hides the keys of one panel outside [low, high]; all are
/// offsets from one base (see clampedOffset).
HWY_INLINE void maskPanelRow(const int32_t *keyOffsets, int32_t low,
                             int32_t high, float *scores) {
  const FloatTag d;
  const IntTag di;
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int vec = 0; vec < kPanelVectors; ++vec) {
    const auto offset = hn::LoadU(di, keyOffsets + vec * kLanes);
    const auto outside = hn::Or(hn::Lt(offset, hn::Set(di, low)),
                                hn::Gt(offset, hn::Set(di, high)));
    const auto score = hn::Load(d, scores + vec * kLanes);
    hn::Store(hn::IfThenElse(hn::RebindMask(d, outside), hidden, score), d,
              scores + vec * kLanes);
  }
}

/// The last step of the careful way, for one row and one panel: raises the
/// reference if need be and turns scores into weights. The `earlier` floats
/// before the panel are weights of the same block; they, the block's sums and
/// `rescale`, which is owed to the sums of earlier blocks, follow the
/// reference.
HWY_INLINE void weighScores(float *scores, int64_t earlier, float &reference,
                            float &rescale, float *HWY_RESTRICT blockSums) {
  const FloatTag d;
  const float minusInfinity = -std::numeric_limits<float>::infinity();
  FloatVec largest = hn::Load(d, scores);
  for (int vec = 1; vec < kPanelVectors; ++vec)
    largest = hn::Max(largest, hn::Load(d, scores + vec * kLanes));
  FloatVec sum = hn::Load(d, blockSums);
  const FloatVec limit = hn::Set(d, reference + kReferenceSlack);
  if (!hn::AllFalse(d, hn::Gt(largest, limit))) {
    const float raised = hn::GetLane(hn::MaxOfLanes(d, largest));
    const FloatVec factor = exp2(d, hn::Set(d, reference - raised));
    for (float *weight = scores - earlier; weight < scores; weight += kLanes)
      hn::Store(hn::Mul(factor, hn::Load(d, weight)), d, weight);
    sum = hn::Mul(sum, factor);
    rescale *= hn::GetLane(factor);
    reference = raised;
  }
  // A row that has seen no key yet: -inf minus 0 weighs 0, while -inf minus
  // -inf would be NaN.
  const FloatVec origin =
      hn::Set(d, reference == minusInfinity ? 0.0f : reference);
  for (int vec = 0; vec < kPanelVectors; ++vec) {
    float *at = scores + vec * kLanes;
    const FloatVec weight = exp2(d, hn::Sub(hn::Load(d, at), origin));
    hn::Store(weight, d, at);
    sum = hn::Add(sum, weight);
  }
  hn::Store(sum, d, blockSums);
}

/// Whether a row's sums of this block are near its reference; false for inf and
/// NaN too.
HWY_INLINE bool isNearReference(const float *blockSums) {
  const FloatTag d;
  return hn::AllTrue(d,
                     hn::Le(hn::Load(d, blockSums), hn::Set(d, kLargestSum)));
}

/// laneSums := rescale * laneSums + blockSums.
HWY_INLINE void addBlockSums(const float *blockSums, float rescale,
                             float *HWY_RESTRICT laneSums) {
  const FloatTag d;
  hn::Store(hn::MulAdd(hn::Set(d, rescale), hn::Load(d, laneSums),
                       hn::Load(d, blockSums)),
            d, laneSums);
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
