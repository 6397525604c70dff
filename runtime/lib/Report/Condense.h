// SPDX-License-Identifier: Apache-2.0
//
// Large runs made small enough to draw: devices that did the same become one
// row, and what is narrower than a pixel or so is drawn together. What is left
// out is said.

#ifndef RING_RUNTIME_REPORT_CONDENSE_H
#define RING_RUNTIME_REPORT_CONDENSE_H

#include "ring-runtime/Report.h"

namespace ring::rt {

/// The rows as the page draws them.
struct CondensedRows {
  std::vector<ReportRow> rows;
  int64_t rowsLeftOut = 0; ///< rows that are like none and are not drawn
  bool eventsMerged = false;
};
CondensedRows condense(const Report &report);

/// Links that carried the same.
struct LinkClass {
  std::vector<size_t> links; ///< indices into Report::links
  int64_t bytes = 0;
  double busySeconds = -1;
};
/// Classes by what they carried, the largest first.
std::vector<LinkClass> classifyLinks(const Report &report);

/// What the devices of one step did, and how long the slowest took.
struct StepFigures {
  int64_t first = 0; ///< steps first to last
  int64_t last = 0;
  double begin = 0;
  double end = 0;
  double computeSeconds = 0;
  double transferSeconds = 0;
  int64_t bytes = 0; ///< of the device that sent most
};
/// All steps in at most `lines` lines; long runs have several steps in one.
std::vector<StepFigures> figuresOfSteps(const Report &report, int64_t lines);

/// Numbers in few words: "0 to 3 and 7".
std::string listText(const std::vector<int64_t> &numbers);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_CONDENSE_H
