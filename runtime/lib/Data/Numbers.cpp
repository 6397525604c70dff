// SPDX-License-Identifier: Apache-2.0
//
// Conversions, one loop per storage type.

#include "Data/Numbers.h"

#include "Kernels/ElementType.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace ring::rt {

namespace {

template <typename Stored, typename Number, typename Convert>
void loadAs(const void *data, int64_t offset, int64_t stride, Number *into,
            int64_t count, Convert convert) {
  const Stored *from = static_cast<const Stored *>(data) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i)
      into[i] = convert(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    into[i] = convert(from[i * stride]);
}

template <typename Stored, typename Number, typename Convert>
void storeAs(void *data, int64_t offset, const Number *from, int64_t count,
             Convert convert) {
  Stored *into = static_cast<Stored *>(data) + offset;
  for (int64_t i = 0; i < count; ++i)
    into[i] = convert(from[i]);
}

/// The integer next to `value` towards zero, within the range of `Stored`.
template <typename Stored>
Stored saturate(double value) {
  if (std::isnan(value))
    return 0;
  // The upper bound of the 64-bit range is not a double: compare with the
  // power of two above it.
  if (value <= static_cast<double>(std::numeric_limits<Stored>::min()))
    return std::numeric_limits<Stored>::min();
  if (value >= static_cast<double>(std::numeric_limits<Stored>::max()))
    return std::numeric_limits<Stored>::max();
  return static_cast<Stored>(value);
}

template <typename Stored, typename Number>
void storeInteger(void *data, int64_t offset, const Number *from,
                  int64_t count) {
  storeAs<Stored>(data, offset, from, count, [](Number value) {
    return saturate<Stored>(static_cast<double>(value));
  });
}

template <typename Stored, typename Number>
void loadInteger(const void *data, int64_t offset, int64_t stride, Number *into,
                 int64_t count) {
  loadAs<Stored>(data, offset, stride, into, count,
                 [](Stored value) { return static_cast<Number>(value); });
}

} // namespace

template <typename Number>
void loadNumbers(const void *data, ElementType element, int64_t offset,
                 int64_t stride, Number *into, int64_t count) {
  switch (element) {
  case ElementType::F32:
    return loadInteger<float>(data, offset, stride, into, count);
  case ElementType::BFP8B:
  case ElementType::BFP4B:
    assert(false && "expects block formats to be unpacked");
    return;
  case ElementType::BF16:
    return loadAs<uint16_t>(
        data, offset, stride, into, count, [](uint16_t bits) {
          return static_cast<Number>(kernels::bf16ToFloat(bits));
        });
  case ElementType::I32:
    return loadInteger<int32_t>(data, offset, stride, into, count);
  case ElementType::U32:
    return loadInteger<uint32_t>(data, offset, stride, into, count);
  case ElementType::U16:
    return loadInteger<uint16_t>(data, offset, stride, into, count);
  case ElementType::U8:
    return loadInteger<uint8_t>(data, offset, stride, into, count);
  case ElementType::I64:
    return loadInteger<int64_t>(data, offset, stride, into, count);
  case ElementType::Bool:
    return loadAs<uint8_t>(data, offset, stride, into, count, [](uint8_t bit) {
      return static_cast<Number>(bit ? 1 : 0);
    });
  }
}

template <typename Number>
void storeNumbers(void *data, ElementType element, int64_t offset,
                  const Number *from, int64_t count) {
  switch (element) {
  case ElementType::F32:
    return storeAs<float>(data, offset, from, count, [](Number value) {
      return static_cast<float>(value);
    });
  case ElementType::BFP8B:
  case ElementType::BFP4B:
    assert(false && "expects block formats to be packed afterwards");
    return;
  case ElementType::BF16:
    return storeAs<uint16_t>(data, offset, from, count, [](Number value) {
      return kernels::floatToBf16(static_cast<float>(value));
    });
  case ElementType::I32:
    return storeInteger<int32_t>(data, offset, from, count);
  case ElementType::U32:
    return storeInteger<uint32_t>(data, offset, from, count);
  case ElementType::U16:
    return storeInteger<uint16_t>(data, offset, from, count);
  case ElementType::U8:
    return storeInteger<uint8_t>(data, offset, from, count);
  case ElementType::I64:
    return storeInteger<int64_t>(data, offset, from, count);
  case ElementType::Bool:
    return storeAs<uint8_t>(data, offset, from, count, [](Number value) {
      return static_cast<uint8_t>(value != 0);
    });
  }
}

template void loadNumbers(const void *, ElementType, int64_t, int64_t, float *,
                          int64_t);
template void loadNumbers(const void *, ElementType, int64_t, int64_t, double *,
                          int64_t);
template void storeNumbers(void *, ElementType, int64_t, const float *,
                           int64_t);
template void storeNumbers(void *, ElementType, int64_t, const double *,
                           int64_t);

double loadNumber(const void *data, ElementType element, int64_t offset) {
  double number = 0;
  loadNumbers(data, element, offset, 1, &number, 1);
  return number;
}

} // namespace ring::rt
