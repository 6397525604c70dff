// SPDX-License-Identifier: Apache-2.0
//
// Conversion between stored elements and the numbers that are computed with.

#ifndef RING_RUNTIME_DATA_NUMBERS_H
#define RING_RUNTIME_DATA_NUMBERS_H

#include "ring-runtime/Types.h"

#include <cstdint>

namespace ring::rt {

/// Reads `count` elements, the first at `offset`, each `stride` further on; a
/// stride of 0 repeats one. `Number` is float or double.
template <typename Number>
void loadNumbers(const void *data, ElementType element, int64_t offset,
                 int64_t stride, Number *into, int64_t count);

/// Writes `count` elements from `offset` on. Real types round to nearest even,
/// integers towards zero and saturating, NaN as 0. Block formats are neither
/// read nor written here: see BlockTensor.h.
template <typename Number>
void storeNumbers(void *data, ElementType element, int64_t offset,
                  const Number *from, int64_t count);

/// One element as a double.
double loadNumber(const void *data, ElementType element, int64_t offset);

} // namespace ring::rt

#endif // RING_RUNTIME_DATA_NUMBERS_H
