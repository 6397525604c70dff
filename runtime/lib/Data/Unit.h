// SPDX-License-Identifier: Apache-2.0
//
// How much one rounding to a type changes a number. Judgement.cpp derives it.

#ifndef RING_RUNTIME_DATA_UNIT_H
#define RING_RUNTIME_DATA_UNIT_H

#include "ring-runtime/Types.h"

namespace ring::rt {

/// The most, over the number itself, or over the largest of its block; 0 for
/// integers.
double largestUnit(ElementType element);

/// What is expected: a root mean square error over a root mean square.
double rootMeanSquareUnit(ElementType element);

} // namespace ring::rt

#endif // RING_RUNTIME_DATA_UNIT_H
