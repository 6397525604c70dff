// SPDX-License-Identifier: Apache-2.0
//
// Metrics between a result and its reference.

#include "ring-runtime/Tensor.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

Comparison compare(const std::vector<double> &found,
                   const std::vector<double> &reference) {
  Comparison result;
  double sumA = 0, sumB = 0, count = 0;
  double largest = 0, squares = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double a = found[i], b = reference[i];
    if (!std::isfinite(a) || !std::isfinite(b)) {
      // An infinity must be the same one, and NaN be NaN on both sides.
      bool same = a == b || (std::isnan(a) && std::isnan(b));
      result.finite &= same;
      continue;
    }
    sumA += a;
    sumB += b;
    ++count;
    result.maxError = std::max(result.maxError, std::fabs(a - b));
    largest = std::max(largest, std::fabs(b));
    squares += (a - b) * (a - b);
  }
  if (count == 0)
    return result;
  result.rmse = std::sqrt(squares / count);
  result.relativeError =
      largest > 0 ? result.maxError / largest : (result.maxError > 0 ? 1 : 0);
  double meanA = sumA / count, meanB = sumB / count;
  double varA = 0, varB = 0, covariance = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(found[i]) || !std::isfinite(reference[i]))
      continue;
    double a = found[i] - meanA, b = reference[i] - meanB;
    varA += a * a;
    varB += b * b;
    covariance += a * b;
  }
  // Constants correlate perfectly if they agree, and not at all otherwise.
  if (varA == 0 || varB == 0)
    result.pcc = varA == varB && result.maxError == 0 ? 1 : 0;
  else
    result.pcc = covariance / std::sqrt(varA * varB);
  if (varA == 0 && varB == 0 && result.relativeError < 1e-6)
    result.pcc = 1;
  return result;
}

} // namespace ring::rt
