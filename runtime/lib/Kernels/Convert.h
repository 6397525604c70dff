// SPDX-License-Identifier: Apache-2.0
//
// Conversion of whole arrays between element types.

#ifndef RING_RUNTIME_KERNELS_CONVERT_H
#define RING_RUNTIME_KERNELS_CONVERT_H

#include "Kernels/ElementType.h"

namespace ring::rt::kernels {

/// Widens `count` elements; exact.
void widenBf16(const uint16_t *from, int64_t count, float *to);

/// Rounds `count` elements to nearest, ties to even; NaN stays NaN.
void roundToBf16(const float *from, int64_t count, uint16_t *to);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_CONVERT_H
