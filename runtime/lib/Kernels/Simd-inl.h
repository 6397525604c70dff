// SPDX-License-Identifier: Apache-2.0
//
// What every vector kernel shares: the tile geometry of the instruction set,
// loads that widen to f32, and exp2. Included once per target by
// hwy/foreach_target.h, hence the guard that toggles.

#if defined(RING_RUNTIME_KERNELS_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_SIMD_INL_H
#undef RING_RUNTIME_KERNELS_SIMD_INL_H
#else
#define RING_RUNTIME_KERNELS_SIMD_INL_H
#endif

#include "hwy/highway.h"

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::RebindToSigned<FloatTag>;
using FloatVec = hn::Vec<FloatTag>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(FloatTag()));

// A tile of kTileRows x kPanel results stays in registers. Registers in use:
// rows * vectors accumulators, one row of the panel and one broadcast.
//   AVX-512: 12 * 2 + 2 + 1 = 27 of 32;  AVX2: 6 * 2 + 2 + 1 = 15 of 16;
//   NEON: 6 * 4 + 4 + 1 = 29 of 32.
// The rest is what was fastest: with AVX-512 on a machine with 1 MiB of L2
// cache, with AVX2 on Zen 3, which has half of that.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 12;
constexpr int kPanelVectors = 2;
/// Keys that all rows of an item meet before the next ones (see blockKeys).
constexpr int kBlockKeys = 512;
/// Whether f32 queries and values are read where they are, not packed.
constexpr bool kReadsInPlace = true;
/// Whether weights are made while the next panel is scored.
constexpr bool kDelaysWeights = false;
#elif HWY_TARGET == HWY_NEON
constexpr int kTileRows = 6;
constexpr int kPanelVectors = 4;
constexpr int kBlockKeys = 512;
constexpr bool kReadsInPlace = true;
constexpr bool kDelaysWeights = false;
#elif HWY_TARGET == HWY_SCALAR
// Vectors of one: a panel as narrow as the narrowest of the others.
constexpr int kTileRows = 4;
constexpr int kPanelVectors = 8;
constexpr int kBlockKeys = 512;
constexpr bool kReadsInPlace = true;
constexpr bool kDelaysWeights = false;
#else
constexpr int kTileRows = 6;
constexpr int kPanelVectors = 2;
constexpr int kBlockKeys = 384;
constexpr bool kReadsInPlace = false;
constexpr bool kDelaysWeights = true;
#endif

/// Columns of a packed panel.
constexpr int kPanel = kPanelVectors * kLanes;

template <class D>
HWY_INLINE hn::Vec<D> loadFloats(D d, const float *from) {
  return hn::LoadU(d, from);
}

/// Widens bf16, given as its bits.
template <class D>
HWY_INLINE hn::Vec<D> loadFloats(D d, const uint16_t *from) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<uint16_t, D> narrow;
  return hn::BitCast(
      d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(narrow, from))));
}

/// x, but at least `low` and at most `high`; NaN stays NaN. x86 returns the
/// second operand if one is NaN, others the one that is not.
HWY_INLINE FloatVec clamp(FloatVec x, FloatVec low, FloatVec high) {
  const FloatVec clamped = hn::Min(high, hn::Max(low, x));
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return clamped;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, clamped);
#endif
}

/// The numbers that 2^x is made with, by their places in a list.
enum Exp2Number {
  kLowest,
  kHighest,
  kRounder,
  kFifth, ///< coefficients, by their powers
  kFourth,
  kThird,
  kSecond,
  kFirst,
  kZeroth,
  kExp2Numbers
};
constexpr float kExp2Number[kExp2Numbers] = {
    // Below -127 the result is 0. At -127 itself the fraction is 0 and the
    // polynomial 1, whose exponent field 127 minus 127 leaves the bits of +0;
    // nothing above gets negative. From 127.5 on the field is 255: inf or NaN,
    // never a wrong finite number.
    -127.0f, 128.0f,
    // Adding 1.5 * 2^23 leaves no bits for a fraction, which rounds to nearest;
    // the sum's low bits are then the integer.
    12582912.0f, 1.32647273e-3f, 9.67151299e-3f, 5.55073358e-2f, 2.40222424e-1f,
    6.93147004e-1f, 1.0f};

/// They, as registers that the compiler fills where it likes.
struct Exp2Registers {
  HWY_INLINE FloatVec operator[](Exp2Number number) const {
    return hn::Set(FloatTag(), kExp2Number[number]);
  }
};

/// x = n + fraction with an integer n, which `rounded` has in its low bits.
template <class Numbers>
HWY_INLINE FloatVec splitExponent(const Numbers &numbers, FloatVec x,
                                  FloatVec &rounded) {
  x = clamp(x, numbers[kLowest], numbers[kHighest]);
  rounded = hn::Add(x, numbers[kRounder]);
  return hn::Sub(x, hn::Sub(rounded, numbers[kRounder]));
}

/// All terms of 2^fraction but 1, divided by the fraction.
template <class Numbers>
HWY_INLINE FloatVec powerTerms(const Numbers &numbers, FloatVec fraction) {
  FloatVec terms = numbers[kFifth];
  terms = hn::MulAdd(terms, fraction, numbers[kFourth]);
  terms = hn::MulAdd(terms, fraction, numbers[kThird]);
  terms = hn::MulAdd(terms, fraction, numbers[kSecond]);
  return hn::MulAdd(terms, fraction, numbers[kFirst]);
}

/// 2^(n + fraction): adding n to the exponent multiplies by 2^n.
template <class Numbers>
HWY_INLINE FloatVec joinExponent(const Numbers &numbers, FloatVec terms,
                                 FloatVec fraction, FloatVec rounded) {
  const FloatTag d;
  const IntTag di;
  const FloatVec power = hn::MulAdd(terms, fraction, numbers[kZeroth]);
  return hn::BitCast(d, hn::Add(hn::BitCast(di, power),
                                hn::ShiftLeft<23>(hn::BitCast(di, rounded))));
}

/// 2^x, relative error 1.7e-7; exactly 1 at 0, exactly 0 at -inf and where the
/// result would underflow; inf or NaN from 128 on; NaN for NaN.
///
/// x = n + r with an integer n; 2^r is a polynomial with the constant term 1,
/// fitted for the smallest largest relative error (8e-8 and 9e-8), and 2^n is
/// an addition to the exponent. AVX-512 has r and the scaling as one
/// instruction each, for n = floor(x).
HWY_INLINE FloatVec exp2([[maybe_unused]] FloatTag d, FloatVec x) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kSubtractFloor = 0x01;
  const FloatVec r{_mm512_reduce_ps(x.raw, kSubtractFloor)};
  FloatVec p = hn::Set(d, 1.86713005e-3f);
  p = hn::MulAdd(p, r, hn::Set(d, 9.01703071e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.57999127e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.40164444e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.93151295e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return FloatVec{_mm512_scalef_ps(p.raw, x.raw)};
#else
  const Exp2Registers numbers;
  FloatVec rounded;
  const FloatVec fraction = splitExponent(numbers, x, rounded);
  return joinExponent(numbers, powerTerms(numbers, fraction), fraction,
                      rounded);
#endif
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_SIMD_INL_H
