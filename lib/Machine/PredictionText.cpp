// SPDX-License-Identifier: Apache-2.0
//
// Times, errors and what stands beside them.

#include "ring/Machine/PredictionText.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ring::machine {

std::string formatSeconds(double seconds) {
  const char *unit = seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us";
  double value = seconds * (seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6);
  int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
  return text;
}

std::string formatError(const EarnedError &error) {
  if (!error.covered)
    return "not covered by any published figure";
  // Rounded up, and never better than figures are published.
  int percent = std::max(1, static_cast<int>(std::ceil(100 * error.most)));
  return "+-" + std::to_string(percent) + " %";
}

double hiddenShare(const PredictedTime &time) {
  return time.transferSeconds > 0
             ? std::clamp(1 - time.exposedSeconds / time.transferSeconds, 0.0,
                          1.0)
             : 1;
}

std::string formatPrediction(const PredictedTime &time) {
  char inside[96];
  int used = std::snprintf(inside, sizeof(inside), "%.0f %% math utilisation",
                           100 * time.utilisation);
  if (time.transferSeconds > 0)
    std::snprintf(inside + used, sizeof(inside) - used,
                  "; transfers hidden %.0f %%", 100 * hiddenShare(time));
  return formatSeconds(time.seconds) + " predicted (" + inside + "), " +
         formatError(time.error);
}

} // namespace ring::machine
