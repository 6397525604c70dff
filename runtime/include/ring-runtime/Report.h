// SPDX-License-Identifier: Apache-2.0
//
// A run as one page of HTML that needs nothing but a browser: what happened in
// words, when and where it happened, and what each device held and sent. The
// page takes everything from the plain structs here, so that whoever knows more
// about a run than the runtime does (the planner, the machine model) adds it.

#ifndef RING_RUNTIME_REPORT_H
#define RING_RUNTIME_REPORT_H

#include "ring-runtime/Judgement.h"

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
  std::string reason;    ///< of the choice
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

/// A table of what was tried, ready to be read: machines, sizes, settings.
struct ReportTable {
  std::string title;
  std::string note; ///< how the numbers came about
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows; ///< as many cells as columns
  int64_t current = -1;                       ///< the row of this run
};

/// Whether the results are right.
struct ReportCheck {
  enum class Verdict { NotChecked, Right, Wrong };
  Verdict verdict = Verdict::NotChecked;
  /// The largest share of a bound that any output uses up; below 0: unknown.
  double worst = -1;
  std::string sample; ///< "64 of 4096 rows"; empty: every number
  std::string lines;  ///< the judgement, a line for each output
};

/// Rows of a sequence: `size` of them from `begin` on, every `stride`-th.
struct ReportPositions {
  int64_t begin = 0;
  int64_t size = 0;
  int64_t stride = 1;
};

/// What a device computes an attention with in a round.
struct ReportHolding {
  int64_t device = 0;
  std::vector<int64_t> keysOf;       ///< devices that the keys came from
  std::vector<int64_t> queriesOf;    ///< and the queries
  std::vector<ReportPositions> keys; ///< empty where the program says none
  std::vector<ReportPositions> queries;
  double flops = 0; ///< 0: a mask leaves nothing to do
};

/// What a device sends to another in a round.
struct ReportSend {
  int64_t source = 0;
  int64_t target = 0;
  int64_t bytes = 0;
  std::vector<int64_t> shardsOf; ///< devices that the data came from first
  std::string what;              ///< "keys and values"
};

/// A step of an attention over several devices.
struct ReportRound {
  int32_t step = 0;                    ///< as the events count them
  std::vector<ReportHolding> holdings; ///< none where nothing is attended to
  std::vector<ReportSend> sends;       ///< on their way in the meantime
};

/// Devices that exchange keys, queries or results among themselves.
struct ReportRing {
  std::vector<int64_t> devices;
  int64_t alike = 0; ///< further rings that do the same
  std::vector<ReportRound> rounds;
  int64_t roundsLeftOut = 0;
};

/// Everything on the page.
struct Report {
  std::string program;
  std::vector<int64_t> mesh;
  /// What it ran on, or was predicted for.
  std::string machine;
  /// The model that predicted all this, and its known error. Empty: measured.
  std::string prediction;
  int threads = 0; ///< that played the devices; 0: unknown
  ReportCheck check;
  /// A sentence on what the time goes into.
  std::string bound;
  /// What to try next, a sentence each.
  std::vector<std::string> advice;
  double seconds = 0;
  std::vector<DeviceStatistics> devices;
  DeviceStatistics whole; ///< work on whole tensors, which no device shares
  std::vector<std::string> labels;
  int64_t steps = 0; ///< events have steps below this one
  std::vector<ReportRow> rows;
  std::vector<ReportRing> rings; ///< each kind once
  std::vector<LinkLoad> links;
  int64_t memoryLimit = 0; ///< bytes of a device; 0: none is known
  double utilisation = -1; ///< share of the peak in products; below 0: unknown
  double exposedSeconds = -1; ///< transfers that nothing hid; below 0: unknown
  std::vector<ReportStrategy> strategies; ///< of one attention
  std::string strategiesNote; ///< which attention, and who predicted the times
  std::vector<ReportScaling> scaling;
  std::string scalingNote; ///< how the figures of scaling came about
  std::vector<ReportTable> sweeps;
};

/// What a traced run shows by itself: no strategies and no scaling.
Report makeReport(const Program &program, const RunResult &result);

/// Writes down what the check found.
void addCheck(const OutputJudgements &judged, Report &report);

/// The page.
std::string reportPage(const Report &report);
/// Writes the page.
Status writeReport(const std::string &path, const Report &report);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_H
