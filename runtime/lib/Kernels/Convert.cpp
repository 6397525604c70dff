// SPDX-License-Identifier: Apache-2.0
//
// Array conversions; see Convert.h. The scalar definitions are those of
// ElementType.h; they serve the last few elements here.

#include "Kernels/Convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/Convert.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

void widenArray(const uint16_t *from, int64_t count, float *to) {
  const FloatTag d;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(loadFloats(d, from + i), d, to + i);
  for (; i < count; ++i)
    to[i] = bf16ToFloat(from[i]);
}

void roundArray(const float *from, int64_t count, uint16_t *to) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> wide;
  const hn::Rebind<uint16_t, FloatTag> narrow;
  const auto one = hn::Set(wide, 1);
  const auto belowHalf = hn::Set(wide, 0x7fff);
  const auto quiet = hn::Set(wide, 0x0040);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto value = hn::LoadU(d, from + i);
    const auto bits = hn::BitCast(wide, value);
    const auto high = hn::ShiftRight<16>(bits);
    const auto rounded = hn::ShiftRight<16>(
        hn::Add(bits, hn::Add(belowHalf, hn::And(high, one))));
    const auto isNaN = hn::RebindMask(wide, hn::Ne(value, value));
    const auto result = hn::IfThenElse(isNaN, hn::Or(high, quiet), rounded);
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(IntTag(), result)), narrow,
               to + i);
  }
  for (; i < count; ++i)
    to[i] = floatToBf16(from[i]);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(widenArray);
HWY_EXPORT(roundArray);

void widenBf16(const uint16_t *from, int64_t count, float *to) {
  HWY_DYNAMIC_DISPATCH(widenArray)(from, count, to);
}

void roundToBf16(const float *from, int64_t count, uint16_t *to) {
  HWY_DYNAMIC_DISPATCH(roundArray)(from, count, to);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
