// SPDX-License-Identifier: Apache-2.0
//
// From natural logarithms, which sinks, masks and lse are, to the scores that
// kernels compute with.

#ifndef RING_RUNTIME_KERNELS_BASETWO_H
#define RING_RUNTIME_KERNELS_BASETWO_H

#include <algorithm>
#include <cmath>
#include <limits>

namespace ring::rt::kernels {

constexpr double kLog2E = 1.4426950408889634074;
constexpr double kLn2 = 0.69314718055994530942;

/// log2(e) * `log`, finite where `log` is: a mask may have the lowest number
/// that there is, which is not -inf and hides no row as a whole.
inline float inBaseTwo(float log) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::isinf(log) ? log
                         : static_cast<float>(
                               std::clamp(double(log) * kLog2E, -kMost, kMost));
}

/// A row that has seen a weight of e^log: its reference and its sum.
struct RowStart {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0;

  bool isEmpty() const {
    return max == -std::numeric_limits<float>::infinity();
  }
};

/// The sum has what rounding took from the reference. Example: a sink of 3 has
/// the reference 4.3280849 and the sum 1 + 1.2e-7. From about 2^30 on, where
/// f32 numbers lie further apart than a sum could make up for, it is 1.
inline RowStart startFrom(float log) {
  RowStart start;
  start.max = inBaseTwo(log);
  if (start.isEmpty())
    return start;
  constexpr double kMostLost = 64;
  const double lost = double(log) - double(start.max) * kLn2;
  start.sum = std::fabs(lost) < kMostLost ? float(std::exp(lost)) : 1.0f;
  return start;
}

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_BASETWO_H
