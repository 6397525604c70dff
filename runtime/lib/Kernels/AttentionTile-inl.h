// SPDX-License-Identifier: Apache-2.0
//
// The three steps of attention on a tile of a few query rows and one block of
// keys: scores, weights, weighted values. Scores are in the log2 domain (packed
// keys carry the factor log2(e)), which saves a multiplication per score.
//
// Weights are relative to a reference that must be near the largest score but
// need not be it: any reference gives the same quotient in the end, as long as
// nothing overflows. So the common case looks for no maximum at all. It starts
// the accumulators at minus the reference, takes 2^x as they leave the
// registers and looks at the sums afterwards; only a sum above kLargestSum,
// which means that some score is far above the reference, has the block done
// again with a search (the careful way, which also serves additive masks). A
// row's first block tries the reference 0; there a sum may be too small as
// well.

#if defined(RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H) ==                       \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#undef RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#else
#define RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
#endif

#include "Kernels/AttentionLayout.h"
#include "Kernels/DelayedWeights-inl.h"
#include "Kernels/MicroKernel-inl.h"
#include "Kernels/RowFetch-inl.h"
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

/// The smallest sum of a row that is near a guessed reference: what is below
/// 2^-126 then is below 2^-66 of the row's sum.
constexpr float kSmallestSum = 8.67361738e-19f;

/// The queries of a tile, where StridedRows finds them; where none are read in
/// place, PackedQueries does with one pointer.
struct QueryRows {
  const float *first;
  int64_t rowStride, chunkStride;
};
using PackedQueries = FixedRows<kQueryChunk, 1, kTileRows * kQueryChunk>;

/// The rows of a tile as the functions below see them.
struct TileRows {
  QueryRows query;
  int64_t keyDim;
  const float *origin; ///< by row: minus the reference
  float *blockSums;    ///< [row][kMostLanes]: sums of the block's weights
};

/// tile += query * keys.
template <int Rows, int Vectors>
HWY_INLINE void multiplyQueries(const TileRows &rows, const float *keyPanel,
                                const float *fetch, Tile<Rows, Vectors> &tile) {
  const QueryRows &query = rows.query;
  if constexpr (kReadsInPlace)
    multiplyTile(
        StridedRows<Rows>(query.first, query.rowStride, query.chunkStride),
        keyPanel, rows.keyDim, tile, fetch);
  else
    multiplyTile(PackedQueries(query.first), keyPanel, rows.keyDim, tile,
                 fetch);
}

/// tile = -reference, to which query * keys is to be added.
template <int Rows, int Vectors>
HWY_INLINE void startScores(const TileRows &rows, Tile<Rows, Vectors> &tile) {
  const FloatTag d;
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec)
      tile.sums[row][vec] = hn::Set(d, rows.origin[row]);
}

/// tile = query * keys - reference.
template <int Rows, int Vectors>
HWY_INLINE void scoreTile(const TileRows &rows, const float *keyPanel,
                          const float *fetch, Tile<Rows, Vectors> &tile) {
  startScores(rows, tile);
  multiplyQueries(rows, keyPanel, fetch, tile);
}

/// The quick way, for consecutive panels that every row sees whole:
/// weights[row][0 .. panels * kPanel) = 2^(query * keys - reference[row]) and
/// their sums, added to blockSums. On the way lines are fetched from `fetch`
/// on, and all that is left of `rowFetch`.
template <int Rows>
HWY_NOINLINE void weighPanels(const TileRows &rows, const float *keyPanel,
                              int64_t panels, const float *fetch,
                              RowFetch &rowFetch, float *HWY_RESTRICT weights) {
  const FloatTag d;
  const int64_t lines = rowFetch.linesEach(panels);
  for (int64_t panel = 0; panel < panels; ++panel) {
    rowFetch.next(lines);
    Tile<Rows> tile;
    scoreTile(rows, keyPanel, fetch, tile);
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      float *sums = rows.blockSums + row * kMostLanes;
      FloatVec sum = hn::Load(d, sums);
#pragma GCC unroll 8
      for (int vec = 0; vec < kPanelVectors; ++vec) {
        const FloatVec weight = exp2(d, tile.sums[row][vec]);
        hn::Store(weight, d, weights + row * kWeightStride + vec * kLanes);
        sum = hn::Add(sum, weight);
      }
      hn::Store(sum, d, sums);
    }
    keyPanel += kPanel * rows.keyDim;
    fetch += rows.keyDim / kUnrolledSteps * kLineFloats;
    weights += kPanel;
  }
}

/// The same bit for bit, with the weights of each panel made while the next one
/// is scored. Takes tiles of kTileRows rows with keys of at least
/// DelayedWeights::kLeastDepth dimensions.
HWY_NOINLINE inline void weighPanelsDelayed(const TileRows &rows,
                                            const float *keyPanel,
                                            int64_t panels, const float *fetch,
                                            RowFetch &rowFetch,
                                            float *HWY_RESTRICT weights) {
  DelayedWeights delayed(rows.blockSums);
  float *before = nullptr; // where the weights of the panel before go
  const int64_t lines = rowFetch.linesEach(panels);
  for (int64_t panel = 0; panel < panels; ++panel) {
    rowFetch.next(lines);
    Tile<kTileRows> tile;
    startScores(rows, tile);
    delayed.multiplyTile(PackedQueries(rows.query.first), keyPanel, rows.keyDim,
                         tile, fetch, before);
    delayed.take(tile);
    before = weights;
    keyPanel += kPanel * rows.keyDim;
    fetch += rows.keyDim / kUnrolledSteps * kLineFloats;
    weights += kPanel;
  }
  delayed.finish(before, rows.blockSums);
}

/// The better of the two.
template <int Rows>
HWY_INLINE void weighWholePanels(const TileRows &rows, const float *keyPanel,
                                 int64_t panels, const float *fetch,
                                 RowFetch &rowFetch,
                                 float *HWY_RESTRICT weights) {
  if constexpr (kDelaysWeights && Rows == kTileRows)
    if (rows.keyDim >= DelayedWeights::kLeastDepth)
      return weighPanelsDelayed(rows, keyPanel, panels, fetch, rowFetch,
                                weights);
  weighPanels<Rows>(rows, keyPanel, panels, fetch, rowFetch, weights);
}

/// Which keys of a panel each row of a tile sees: those whose offset is in
/// [low, high]. All are offsets from one base (see clampedOffset).
struct PanelWindow {
  const int32_t *offsets; ///< by key
  const int32_t *low;     ///< by row
  const int32_t *high;    ///< by row
};

/// Lanes that are outside a row's window.
HWY_INLINE hn::Mask<FloatTag> outside(const PanelWindow &window, int64_t row,
                                      int vec) {
  const IntTag di;
  const auto offset = hn::LoadU(di, window.offsets + vec * kLanes);
  return hn::RebindMask(FloatTag(),
                        hn::Or(hn::Lt(offset, hn::Set(di, window.low[row])),
                               hn::Gt(offset, hn::Set(di, window.high[row]))));
}

/// The quick way for one panel of which some rows see a part, or for its first
/// vectors, where nobody sees the others.
template <int Rows, int Vectors>
HWY_NOINLINE void weighMaskedPanel(const TileRows &rows, const float *keyPanel,
                                   const PanelWindow &window,
                                   float *HWY_RESTRICT weights) {
  const FloatTag d;
  Tile<Rows, Vectors> tile;
  scoreTile(rows, keyPanel, /*fetch=*/keyPanel, tile);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    float *sums = rows.blockSums + row * kMostLanes;
    FloatVec sum = hn::Load(d, sums);
#pragma GCC unroll 8
    for (int vec = 0; vec < Vectors; ++vec) {
      // A hidden score may be anything: its weight is replaced, not multiplied.
      const FloatVec weight = hn::IfThenZeroElse(outside(window, row, vec),
                                                 exp2(d, tile.sums[row][vec]));
      hn::Store(weight, d, weights + row * kWeightStride + vec * kLanes);
      sum = hn::Add(sum, weight);
    }
    hn::Store(sum, d, sums);
  }
}

/// The same for the first `keys` keys of a panel, those that some row sees.
template <int Rows>
HWY_INLINE void weighMaskedPanel(const TileRows &rows, const float *keyPanel,
                                 int64_t keys, const PanelWindow &window,
                                 float *HWY_RESTRICT weights) {
  if (keys <= kPanel / 2)
    weighMaskedPanel<Rows, kPanelVectors / 2>(rows, keyPanel, window, weights);
  else
    weighMaskedPanel<Rows, kPanelVectors>(rows, keyPanel, window, weights);
}

/// The same where each row sees one key more than the row before it, up to the
/// last one: a last vector of few keys is for the last rows only. The others
/// have no weights there.
HWY_INLINE void weighDiagonal(const TileRows &rows, const float *keyPanel,
                              int64_t keys, const PanelWindow &window,
                              float *HWY_RESTRICT weights) {
  // Fewer rows would take as long: the sums of 8 keep the units busy.
  constexpr int kLastRows = 8;
  if constexpr (kTileRows > kLastRows && kPanelVectors == 2) {
    const int64_t before = keys > kLanes ? kLanes : 0;
    if (keys <= kPanel && keys - before <= kLastRows) {
      constexpr int kSkipped = kTileRows - kLastRows;
      if (before)
        weighMaskedPanel<kTileRows, 1>(rows, keyPanel, window, weights);
      weighMaskedPanel<kLastRows, 1>(
          {{rows.query.first + kSkipped * rows.query.rowStride,
            rows.query.rowStride, rows.query.chunkStride},
           rows.keyDim,
           rows.origin + kSkipped,
           rows.blockSums + kSkipped * kMostLanes},
          keyPanel + before,
          {window.offsets + before, window.low + kSkipped,
           window.high + kSkipped},
          weights + kSkipped * kWeightStride + before);
      return;
    }
  }
  weighMaskedPanel<kTileRows>(rows, keyPanel, keys, window, weights);
}

/// The first step of the careful way: scores[row][0 .. kPanel) = query * keys.
template <int Rows>
HWY_NOINLINE void scorePanel(const TileRows &rows, const float *keyPanel,
                             float *HWY_RESTRICT scores) {
  const FloatTag d;
  Tile<Rows> tile;
  clearTile(tile);
  multiplyQueries(rows, keyPanel, /*fetch=*/keyPanel, tile);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
    for (int vec = 0; vec < kPanelVectors; ++vec)
      hn::Store(tile.sums[row][vec], d,
                scores + row * kWeightStride + vec * kLanes);
}

/// Value panels, each [keys][kPanel], one for every kPanel value dimensions.
struct ValuePanels {
  const float *first;
  int64_t stride;    ///< from panel to panel
  int64_t keyStride; ///< from key to key within a panel
  /// What to fetch on the way; `fetchStride` floats further for each panel.
  const float *fetch;
  int64_t fetchStride;
};

/// The outputs of a tile's rows so far, and what is to become of them.
struct TileOutputs {
  float *out; ///< [row][dim]
  int64_t dim;
  bool started;         ///< false: they are 0, whatever `out` holds
  const float *rescale; ///< by row, or nullptr: 1
  /// If not nullptr, the rows are complete: they go there, `resultStride`
  /// floats apart, times `inverse`.
  float *result = nullptr;
  int64_t resultStride = 0;
  const float *inverse = nullptr;
};

/// out[row] = rescale[row] * out[row] + weights[row] * values, or the result.
/// If `endsInTriangle`, of the last kTileRows keys row r sees the first r + 1
/// only.
template <int Rows>
HWY_NOINLINE void weighValues(const float *weights, const ValuePanels &values,
                              int64_t keys, bool endsInTriangle,
                              const TileOutputs &outputs) {
  const int64_t dim = outputs.dim;
  const float *rescale = outputs.rescale;
  const int64_t square = endsInTriangle ? keys - kTileRows : keys;
  const FloatTag d;
  const float *panel = values.first, *fetch = values.fetch;
  for (int64_t column = 0; column < dim; column += kPanel) {
    float *out = outputs.out + column;
    Tile<Rows> tile;
    clearTile(tile);
    if (outputs.started) {
#pragma GCC unroll 16
      for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
        for (int vec = 0; vec < kPanelVectors; ++vec)
          tile.sums[row][vec] = hn::Load(d, out + row * dim + vec * kLanes);
      if (rescale) {
#pragma GCC unroll 16
        for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
          for (int vec = 0; vec < kPanelVectors; ++vec)
            tile.sums[row][vec] =
                hn::Mul(hn::Set(d, rescale[row]), tile.sums[row][vec]);
      }
    }
    multiplyTile(FixedRows<kWeightStride, 1>(weights), panel, square, tile,
                 fetch, values.keyStride);
    if (Rows == kTileRows && endsInTriangle)
      multiplyTriangle<Rows, kWeightStride>(weights + square,
                                            panel + square * values.keyStride,
                                            values.keyStride, tile);
    panel += values.stride;
    fetch += values.fetchStride;
    if (outputs.result) {
      float *result = outputs.result + column;
#pragma GCC unroll 16
      for (int row = 0; row < Rows; ++row, result += outputs.resultStride)
#pragma GCC unroll 8
        for (int vec = 0; vec < kPanelVectors; ++vec)
          hn::StoreU(
              hn::Mul(hn::Set(d, outputs.inverse[row]), tile.sums[row][vec]), d,
              result + vec * kLanes);
      continue;
    }
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 8
      for (int vec = 0; vec < kPanelVectors; ++vec)
        hn::Store(tile.sums[row][vec], d, out + row * dim + vec * kLanes);
  }
}

/// Hides the keys of one panel that a row does not see.
HWY_INLINE void maskScores(const PanelWindow &window, int64_t row,
                           float *scores) {
  const FloatTag d;
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int vec = 0; vec < kPanelVectors; ++vec)
    hn::Store(hn::IfThenElse(outside(window, row, vec), hidden,
                             hn::Load(d, scores + vec * kLanes)),
              d, scores + vec * kLanes);
}

/// The last step of the careful way, for one row and one panel: raises the
/// reference if need be and turns scores into weights. The `earlier` floats
/// before the panel are weights of the same block; they, the block's sums and
/// `rescale`, which is owed to the sums of earlier blocks, follow the
/// reference. A row that has not `seen` a key has the origin 0 but no reference
/// yet: any score becomes it, and hidden ones weigh 2^-inf.
HWY_INLINE void weighScores(float *scores, int64_t earlier, float &origin,
                            bool &seen, float &rescale,
                            float *HWY_RESTRICT blockSums) {
  const FloatTag d;
  const float minusInfinity = -std::numeric_limits<float>::infinity();
  FloatVec largest = hn::Load(d, scores), total = largest;
  for (int vec = 1; vec < kPanelVectors; ++vec) {
    const FloatVec next = hn::Load(d, scores + vec * kLanes);
    largest = hn::Max(largest, next);
    total = hn::Add(total, next);
  }
  // A maximum may lose NaN; a sum does not.
  const bool isNumber = hn::AllFalse(d, hn::IsNaN(total));
  FloatVec sum = hn::Load(d, blockSums);
  const FloatVec limit =
      hn::Set(d, seen ? kReferenceSlack - origin : minusInfinity);
  if (!isNumber || !hn::AllFalse(d, hn::Gt(largest, limit))) {
    const float raised = isNumber ? hn::GetLane(hn::MaxOfLanes(d, largest))
                                  : std::numeric_limits<float>::quiet_NaN();
    const FloatVec factor =
        exp2(d, hn::Set(d, seen ? -origin - raised : minusInfinity));
    for (float *weight = scores - earlier; weight < scores; weight += kLanes)
      hn::Store(hn::Mul(factor, hn::Load(d, weight)), d, weight);
    sum = hn::Mul(sum, factor);
    rescale *= hn::GetLane(factor);
    origin = -raised;
    seen = true;
  }
  const FloatVec shift = hn::Set(d, origin);
  for (int vec = 0; vec < kPanelVectors; ++vec) {
    float *at = scores + vec * kLanes;
    const FloatVec weight = exp2(d, hn::Add(hn::Load(d, at), shift));
    hn::Store(weight, d, at);
    sum = hn::Add(sum, weight);
  }
  // 0, or NaN, which 2^x of some instruction sets has lost.
  sum = hn::Add(sum, hn::Sub(shift, shift));
  hn::Store(sum, d, blockSums);
}

template <int Rows>
HWY_INLINE void clearBlockSums(float *blockSums) {
  const FloatTag d;
  for (int row = 0; row < Rows; ++row)
    hn::Store(hn::Zero(d), d, blockSums + row * kMostLanes);
}

/// Whether none of the rows' lane sums is too large; false for NaN too.
template <int Rows>
HWY_INLINE bool areNearReference(const float *blockSums) {
  const FloatTag d;
  const FloatVec limit = hn::Set(d, kLargestSum);
  auto near = hn::Le(hn::Load(d, blockSums), limit);
  for (int row = 1; row < Rows; ++row)
    near =
        hn::And(near, hn::Le(hn::Load(d, blockSums + row * kMostLanes), limit));
  return hn::AllTrue(d, near);
}

/// Whether some lane sum of a row is large enough for a guessed reference.
HWY_INLINE bool isNearGuess(const float *blockSums) {
  const FloatTag d;
  return !hn::AllFalse(
      d, hn::Ge(hn::Load(d, blockSums), hn::Set(d, kSmallestSum)));
}

/// laneSums := rescale * laneSums + blockSums, for each row. Without a
/// `rescale` its factor is 1.
template <int Rows>
HWY_INLINE void addBlockSums(const float *blockSums, const float *rescale,
                             float *HWY_RESTRICT laneSums) {
  const FloatTag d;
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    const FloatVec factor = hn::Set(d, rescale ? rescale[row] : 1.0f);
    float *sums = laneSums + row * kMostLanes;
    hn::Store(hn::MulAdd(factor, hn::Load(d, sums),
                         hn::Load(d, blockSums + row * kMostLanes)),
              d, sums);
  }
}

HWY_INLINE float sumOfLanes(const float *laneSums) {
  const FloatTag d;
  return hn::GetLane(hn::SumOfLanes(d, hn::Load(d, laneSums)));
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ATTENTIONTILE_INL_H
