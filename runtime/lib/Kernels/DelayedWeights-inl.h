// SPDX-License-Identifier: Apache-2.0
//
// The scores of one panel become weights between the multiplications of the
// next one: what to do where registers are few.
//
// 2^x is a chain of some 33 cycles that needs the multipliers for five
// operations only, so a processor that looks ahead could do it beside a
// product. Zen 3 does not: in one piece between two steps it is no cheaper than
// after the product, presumably since the registers of what is under way are
// used up by then. In three links, in places of their own, the 12 vectors of a
// panel take some 36 cycles instead of 72, and 30 of them are their own
// multiply-adds. What a link hands on goes through memory, since a tile leaves
// four registers, and those only between two steps.

#if defined(RING_RUNTIME_KERNELS_DELAYEDWEIGHTS_INL_H) ==                      \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_DELAYEDWEIGHTS_INL_H
#undef RING_RUNTIME_KERNELS_DELAYEDWEIGHTS_INL_H
#else
#define RING_RUNTIME_KERNELS_DELAYEDWEIGHTS_INL_H
#endif

#include "Kernels/MicroKernel-inl.h"
#include "Kernels/WeightTile.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// The numbers of 2^x in memory, each as a vector: operands that take no
/// register.
class Exp2Memory {
public:
  Exp2Memory() {
    for (int number = 0; number < kExp2Numbers; ++number)
      hn::Store(hn::Set(FloatTag(), kExp2Number[number]), FloatTag(),
                vectors + number * kLanes);
#if HWY_COMPILER_CLANG || HWY_COMPILER_GCC
    // Otherwise the compiler remembers what they are, and loads registers.
    asm("" : : "r"(vectors) : "memory");
#endif
  }
  HWY_INLINE FloatVec operator[](Exp2Number number) const {
    return hn::Load(FloatTag(), vectors + number * kLanes);
  }

private:
  alignas(kBufferAlignment) float vectors[kExp2Numbers * kLanes];
};

/// A row of a panel on its way from scores to weights.
struct DelayedRow {
  HWY_INLINE void split(const Exp2Memory &numbers, int at) {
    const FloatTag d;
    FloatVec shifted;
    const FloatVec fraction =
        splitExponent(numbers, hn::Load(d, scores + at), shifted);
    hn::Store(shifted, d, rounded + at);
    hn::Store(fraction, d, scores + at);
  }
  HWY_INLINE void raise(const Exp2Memory &numbers, int at) {
    const FloatTag d;
    hn::Store(powerTerms(numbers, hn::Load(d, scores + at)), d, terms + at);
  }
  HWY_INLINE void join(const Exp2Memory &numbers, int at, float *weights) {
    const FloatTag d;
    store(joinExponent(numbers, hn::Load(d, terms + at),
                       hn::Load(d, scores + at), hn::Load(d, rounded + at)),
          weights + at);
  }
  HWY_INLINE void store(FloatVec weight, float *to) {
    const FloatTag d;
    hn::Store(weight, d, to);
    hn::Store(hn::Add(hn::Load(d, sum), weight), d, sum);
  }

  // Side by side: were they a multiple of 4 KiB apart, loads of one would wait
  // for stores of the other.
  alignas(kBufferAlignment) float scores[kPanel]; ///< then fractions
  float rounded[kPanel];
  float terms[kPanel];
  float sum[kPanel]; ///< of all weights, kLanes of them
};

/// The scores of a panel on their way to be weights.
class DelayedWeights {
  static constexpr int kRows = kTileRows;

public:
  /// Steps of a product that it takes at least: each row needs three chunks,
  /// and one more row begins with every chunk.
  static constexpr int64_t kLeastDepth = (kRows + 2) * kUnrolledSteps;

  explicit DelayedWeights(const float *blockSums) {
    const FloatTag d;
    for (int row = 0; row < kRows; ++row)
      hn::Store(hn::Load(d, blockSums + row * kMostLanes), d, rows[row].sum);
  }

  /// Takes the scores of a panel.
  HWY_INLINE void take(const Tile<kRows> &tile) {
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
      for (int vec = 0; vec < kPanelVectors; ++vec)
        hn::Store(tile.sums[row][vec], FloatTag(),
                  rows[row].scores + vec * kLanes);
  }

  /// tile += left * panel, as the other multiplyTile bit for bit. Unless
  /// `weights` is nullptr, the scores that were taken become them on the way.
  template <class Left>
  HWY_INLINE void multiplyTile(Left left, const float *panel, int64_t depth,
                               Tile<kRows> &tile, const float *fetch,
                               float *weights) {
    int64_t step = weights ? kLeastDepth : 0;
    for (; step + kUnrolledSteps <= depth; step += kUnrolledSteps)
      multiplyChunk<false, false, false>(left, panel, tile, fetch, 0, nullptr);
    if (weights)
      makeWeights(left, panel, tile, fetch, weights);
    for (; step < depth; ++step) {
      multiplyStep(left, 0, panel, tile);
      left.nextStep();
      panel += kPanel;
    }
  }

  /// Makes the weights of the panel that was taken last, and returns all sums.
  HWY_INLINE void finish(float *weights, float *blockSums) {
    const FloatTag d;
#pragma GCC unroll 1
    for (int row = 0; row < kRows; ++row, weights += kWeightStride) {
#pragma GCC unroll 8
      for (int at = 0; at < kPanel; at += kLanes)
        rows[row].store(exp2(d, hn::Load(d, rows[row].scores + at)),
                        weights + at);
      hn::Store(hn::Load(d, rows[row].sum), d, blockSums + row * kMostLanes);
    }
  }

private:
  /// tile += left * panel over kLeastDepth steps.
  template <class Left>
  HWY_INLINE void makeWeights(Left &left, const float *&panel,
                              Tile<kRows> &tile, const float *&fetch,
                              float *weights) {
    multiplyChunk<true, false, false>(left, panel, tile, fetch, 0, nullptr);
    multiplyChunk<true, true, false>(left, panel, tile, fetch, 1, nullptr);
    // Unrolled whole it is so long that it was slower.
#pragma GCC unroll 1
    for (int64_t row = 2; row < kRows; ++row, weights += kWeightStride)
      multiplyChunk<true, true, true>(left, panel, tile, fetch, row, weights);
    multiplyChunk<false, true, true>(left, panel, tile, fetch, kRows, weights);
    multiplyChunk<false, false, true>(left, panel, tile, fetch, kRows + 1,
                                      weights + kWeightStride);
  }

  /// tile += left * panel over a chunk. Between its steps `row` is split, the
  /// one before it raised, and the one before that joined to be `weights`.
  template <bool Split, bool Raise, bool Join, class Left>
  HWY_INLINE void multiplyChunk(Left &left, const float *&panel,
                                Tile<kRows> &tile, const float *&fetch,
                                int64_t row, float *weights) {
    constexpr int kSteps = kUnrolledSteps / kPanelVectors; // for each vector
    static_assert(kSteps == 4 || !kDelaysWeights);
    fetchLine(fetch);
    fetch += kLineFloats;
#pragma GCC unroll 8
    for (int step = 0; step < kUnrolledSteps; ++step) {
      multiplyStep(left, step, panel + step * kPanel, tile);
      const int at = step / kSteps * kLanes;
      if (Split && step % kSteps == 0)
        rows[row].split(numbers, at);
      if (Raise && step % kSteps == 1)
        rows[row - 1].raise(numbers, at);
      if (Join && step % kSteps == 3)
        rows[row - 2].join(numbers, at, weights);
      pinTile(tile);
    }
    left.nextChunk();
    panel += kUnrolledSteps * kPanel;
  }

  const Exp2Memory numbers;
  DelayedRow rows[kRows];
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_DELAYEDWEIGHTS_INL_H
