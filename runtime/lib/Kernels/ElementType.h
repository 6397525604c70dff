// SPDX-License-Identifier: Apache-2.0
//
// The storage types that kernels read and write element by element, and the
// scalar conversions between them. Block formats are in BlockFloat.h.

#ifndef RING_RUNTIME_KERNELS_ELEMENTTYPE_H
#define RING_RUNTIME_KERNELS_ELEMENTTYPE_H

#include <cstdint>
#include <cstring>

namespace ring::rt::kernels {

/// How one element is stored. All arithmetic is done in f32.
enum class ElementType : uint8_t { F32, BF16 };

/// Bytes of one stored element.
constexpr int64_t elementBytes(ElementType type) {
  return type == ElementType::F32 ? 4 : 2;
}

/// bf16 is the upper half of an f32, so widening is exact.
inline float bf16ToFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// Rounds to nearest, ties to even: adding 0x7fff plus the lowest kept bit
/// carries into the kept half exactly when the dropped half is above one half,
/// or equal to it with an odd kept half. Example: 0x3f808000 is half way
/// between 0x3f80 and 0x3f81 and goes to the even 0x3f80. NaN stays NaN: its
/// quiet bit is set so that rounding cannot carry it into infinity.
inline uint16_t floatToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x0040u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// Element `index` of the array at `data`.
inline float loadElement(const void *data, ElementType type, int64_t index) {
  if (type == ElementType::F32)
    return static_cast<const float *>(data)[index];
  return bf16ToFloat(static_cast<const uint16_t *>(data)[index]);
}

/// Stores `value` as element `index` of the array at `data`.
inline void storeElement(void *data, ElementType type, int64_t index,
                         float value) {
  if (type == ElementType::F32)
    static_cast<float *>(data)[index] = value;
  else
    static_cast<uint16_t *>(data)[index] = floatToBf16(value);
}

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ELEMENTTYPE_H
