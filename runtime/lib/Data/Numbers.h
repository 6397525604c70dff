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
/// integers towards zero and saturating, NaN as 0. The block formats are
/// written as bf16: round whole rows with `roundToBlocks` first.
template <typename Number>
void storeNumbers(void *data, ElementType element, int64_t offset,
                  const Number *from, int64_t count);

/// One element as a double.
double loadNumber(const void *data, ElementType element, int64_t offset);

/// Rounds rows of `row` numbers to what a block format represents: each 16
/// numbers share the exponent of the largest, and keep 7 (bfp8_b) or 3 (bfp4_b)
/// bits below it. Any other element type leaves them as they are.
void roundToBlocks(float *numbers, int64_t rows, int64_t row,
                   ElementType element);

} // namespace ring::rt

#endif // RING_RUNTIME_DATA_NUMBERS_H
