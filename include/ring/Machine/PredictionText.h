// SPDX-License-Identifier: Apache-2.0
//
// A prediction in one line, the same in remarks, tables, summaries and reports.

#ifndef RING_MACHINE_PREDICTIONTEXT_H
#define RING_MACHINE_PREDICTIONTEXT_H

#include "ring/Machine/PublishedFigures.h"

namespace ring::machine {

/// "17.1 ms", "23.4 us", "136 s": three digits.
std::string formatSeconds(double seconds);

/// "+-8 %" or "not covered by any published figure".
std::string formatError(const EarnedError &error);

/// What a line says.
struct PredictedTime {
  double seconds = 0;
  double utilisation = 0;     ///< of the peak
  double transferSeconds = 0; ///< of the busiest link; 0: nothing is sent
  double exposedSeconds = 0;  ///< of them, in which a device stood still
  EarnedError error;
};
/// Share of the transfers that computing hides.
double hiddenShare(const PredictedTime &time);
/// "38.9 us predicted (6 % math utilisation; transfers hidden 92 %), +-8 %".
std::string formatPrediction(const PredictedTime &time);

} // namespace ring::machine

#endif // RING_MACHINE_PREDICTIONTEXT_H
