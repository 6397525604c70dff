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
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 12;
constexpr int kPanelVectors = 2;
#elif HWY_TARGET == HWY_NEON
constexpr int kTileRows = 6;
constexpr int kPanelVectors = 4;
#elif HWY_TARGET == HWY_SCALAR
// Vectors of one: a panel as narrow as the narrowest of the others.
constexpr int kTileRows = 4;
constexpr int kPanelVectors = 8;
#else
constexpr int kTileRows = 6;
constexpr int kPanelVectors = 2;
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
HWY_INLINE FloatVec clamp(FloatTag d, FloatVec x, float low, float high) {
  const FloatVec clamped =
      hn::Min(hn::Set(d, high), hn::Max(hn::Set(d, low), x));
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return clamped;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, clamped);
#endif
}

/// 2^x, relative error 1.7e-7; exactly 1 at 0, exactly 0 at -inf and where the
/// result would underflow; inf or NaN from 128 on; NaN for NaN.
///
/// x = n + r with an integer n; 2^r is a polynomial with the constant term 1,
/// fitted for the smallest largest relative error (8e-8 and 9e-8), and 2^n is
/// an addition to the exponent. AVX-512 has r and the scaling as one
/// instruction each, for n = floor(x).
HWY_INLINE FloatVec exp2(FloatTag d, FloatVec x) {
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
  // Below -127 the result is 0. At -127 itself r = 0 and p = 1, whose exponent
  // field 127 minus 127 leaves the bits of +0; nothing above gets negative.
  // From 127.5 on the field is 255: inf or NaN, never a wrong finite number.
  x = clamp(d, x, -127.0f, 128.0f);
  // Adding 1.5 * 2^23 leaves no bits for a fraction, which rounds to nearest;
  // the sum's low bits are then n as an integer.
  const FloatVec magic = hn::Set(d, 12582912.0f);
  const FloatVec shifted = hn::Add(x, magic);
  const FloatVec r = hn::Sub(x, hn::Sub(shifted, magic));
  FloatVec p = hn::Set(d, 1.32647273e-3f);
  p = hn::MulAdd(p, r, hn::Set(d, 9.67151299e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.55073358e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.40222424e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.93147004e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const IntTag di;
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p),
                                hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
#endif
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_SIMD_INL_H
