// SPDX-License-Identifier: Apache-2.0
//
// A run as one page of HTML that needs nothing but a browser: what happened in
// words, when and where it happened, and what each device held and sent. The
// page takes everything from the plain structs here, so that whoever knows more
// about a run than the runtime does (the planner, the machine model) adds it.

#ifndef RING_RUNTIME_REPORT_H
#define RING_RUNTIME_REPORT_H

#include "ring-runtime/Runtime.h"

#include <string>
#include <utility>
#include <vector>

namespace ring::rt {

/// What a bar of the timeline stands for.
enum class ReportKind {
  Compute,  ///< an op with floating-point operations
  Move,     ///< an op that copies, cuts or deals within a device
  Transfer, ///< data between devices
  Wait      ///< standing still until data comes
};

/// A bar of the timeline, or several that are drawn as one.
struct ReportEvent {
  double start = 0; ///< seconds from the start of the run
  double end = 0;
  ReportKind kind = ReportKind::Compute;
  int32_t label = 0; ///< index into Report::labels
  int32_t step = 0;
  int32_t count = 1;     ///< events that the bar stands for
  double seconds = -1;   ///< of these together; below 0: all of it
  int64_t bytes = 0;     ///< of a transfer
  int32_t lastStep = -1; ///< of these; below 0: `step`

  /// How long the bar's events took together.
  double busySeconds() const { return seconds < 0 ? end - start : seconds; }
};

/// What a device holds from `time` on.
struct ReportMemory {
  double time = 0;
  int64_t bytes = 0;
};

/// A row of the timeline: a device, the host, or devices that did the same.
struct ReportRow {
  std::string name;             ///< "0", "0, 2 to 7" or "host"
  std::vector<int64_t> devices; ///< empty for the host
  std::vector<ReportEvent> events;
  std::vector<ReportMemory> memory;
};

/// A way to do the same attention that was considered.
struct ReportStrategy {
  std::string name;
  double seconds = -1; ///< below 0: not known, as the next three
  double utilisation = -1;
  double exposedSeconds = -1;
  int64_t memoryBytes = -1;
  bool chosen = false;
  std::string rejection; ///< the constraint that rules it out
};

/// A line in a figure of scaling.
struct ReportSeries {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< x and seconds
  bool ideal = false; ///< no prediction, but what would be perfect
};

/// Time over something that was varied.
struct ReportScaling {
  std::string title;   ///< "Time over devices"
  std::string axis;    ///< what x counts: "devices"
  std::string fixed;   ///< what was left alone: "75 600 tokens"
  double current = -1; ///< the x of this run
  std::vector<ReportSeries> series;
};

/// Everything on the page.
struct Report {
  std::string program;
  std::vector<int64_t> mesh;
  /// What it ran on, or was predicted for.
  std::string machine;
  /// The model that predicted all this, and its known error. Empty: measured.
  std::string prediction;
  double seconds = 0;
  std::vector<DeviceStatistics> devices;
  std::vector<std::string> labels;
  int64_t steps = 0; ///< events have steps below this one
  std::vector<ReportRow> rows;
  std::vector<LinkLoad> links;
  int64_t memoryLimit = 0; ///< bytes of a device; 0: none is known
  double utilisation = -1; ///< share of the peak in products; below 0: unknown
  double exposedSeconds = -1; ///< transfers that nothing hid; below 0: unknown
  std::vector<ReportStrategy> strategies; ///< of one attention
  std::string strategiesNote; ///< which attention, and who predicted the times
  std::vector<ReportScaling> scaling;
  std::string scalingNote; ///< how the figures of scaling came about
};

/// What a traced run shows by itself: no strategies and no scaling.
Report makeReport(const Program &program, const RunResult &result);

/// The page.
std::string reportPage(const Report &report);
/// Writes the page.
Status writeReport(const std::string &path, const Report &report);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_H
