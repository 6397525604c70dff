// SPDX-License-Identifier: Apache-2.0
//
// The run in words.

#include "Report/Page.h"
#include "Report/Template.h"
#include "Report/Units.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// The largest and the smallest over all devices.
struct Extremes {
  double busySeconds = 0;
  double leastBusySeconds = 0;
  double flops = 0;
  double leastFlops = 0;
  int64_t bytesSent = 0;
  int64_t peakBytes = 0;
};

Extremes extremesOf(const Report &report) {
  Extremes out;
  bool first = true;
  for (const DeviceStatistics &device : report.devices) {
    out.busySeconds = std::max(out.busySeconds, device.busySeconds);
    out.flops = std::max(out.flops, device.flops);
    out.bytesSent = std::max(out.bytesSent, device.bytesSent);
    out.peakBytes = std::max(out.peakBytes, device.peakBytes);
    out.leastBusySeconds =
        first ? device.busySeconds
              : std::min(out.leastBusySeconds, device.busySeconds);
    out.leastFlops =
        first ? device.flops : std::min(out.leastFlops, device.flops);
    first = false;
  }
  return out;
}

/// Whether work on whole tensors is more than next to nothing.
bool isWorthTelling(const DeviceStatistics &whole) {
  constexpr double kLeastTold = 5e5;
  return whole.flops >= kLeastTold;
}

/// Whether no device has a share of anything, as in a model that no pass has
/// distributed: what devices do is then nothing to talk about.
bool isAllWhole(const Report &report) {
  Extremes most = extremesOf(report);
  return isWorthTelling(report.whole) && most.flops == 0 &&
         most.busySeconds == 0 && most.bytesSent == 0;
}

std::string devicesText(size_t count) {
  return withNumbersWhole(countText(static_cast<int64_t>(count)) +
                          (count == 1 ? " device" : " devices"));
}

std::string definition(const std::string &term, const std::string &value,
                       const std::string &remark) {
  return "<div><dt>" + term + "</dt><dd><b>" + value + "</b> <small>" + remark +
         "</small></dd></div>\n";
}

} // namespace

std::string titleText(const Report &report) {
  std::string title =
      report.program + " on " + devicesText(report.devices.size());
  if (!report.machine.empty())
    title += " of " + report.machine;
  return title;
}

std::string noteHtml(std::string note) {
  for (size_t at; (at = note.find("+-")) != std::string::npos;)
    note.replace(at, 2, "\xC2\xB1");
  return escapedHtml(withNumbersWhole(note));
}

std::string provenanceHtml(const Report &report) {
  if (report.prediction.empty())
    return "<strong>Measured</strong> on the CPU mesh" +
           (report.threads > 0
                ? ": " + std::to_string(report.threads) +
                      (report.threads == 1 ? " thread" : " threads") +
                      " played " + devicesText(report.devices.size())
                : std::string()) +
           ". Bytes, memory and operations are the program\xE2\x80\x99s; "
           "times are this processor\xE2\x80\x99s, not a Tenstorrent "
           "device\xE2\x80\x99s.";
  return "<strong>Predicted</strong>: " + noteHtml(report.prediction) +
         ". Nothing on this page was measured.";
}

std::string checkHtml(const Report &report) {
  using Verdict = ReportCheck::Verdict;
  const ReportCheck &check = report.check;
  auto mark = [](const char *kind, const char *word) {
    return "<strong class=\"" + std::string(kind) + "\">" + word + "</strong> ";
  };
  if (check.verdict == Verdict::NotChecked)
    return mark("unchecked", "Not checked.") +
           (report.prediction.empty()
                ? "Nothing compared the results with double precision; "
                  "<code>--check</code> does."
                : "A prediction computes no results.");
  std::string what = check.sample.empty()
                         ? "all numbers"
                         : escapedHtml(check.sample) + ", a sample,";
  std::string used = check.worst < 0
                         ? ""
                         : ", and use up " + percentText(check.worst) +
                               " of the bound at most";
  if (check.verdict == Verdict::Right)
    return mark("right",
                check.sample.empty() ? "Right." : "Right where sampled.") +
           "Compared with the same in double precision, " + what +
           " are within their bounds" + used + ".";
  return mark("wrong", "Wrong.") +
         "Compared with the same in double "
         "precision (" +
         (check.sample.empty() ? "all numbers" : escapedHtml(check.sample)) +
         "), results break their bounds. <code>ring-run --bisect</code> names "
         "the pass that changes them.";
}

std::string adviceHtml(const Report &report) {
  std::string out;
  for (const std::string &advice : report.advice)
    out += "<li>" + noteHtml(advice) + "</li>\n";
  return out;
}

std::string summaryHtml(const Report &report) {
  bool predicted = !report.prediction.empty();
  Extremes most = extremesOf(report);
  std::string text = "<code>" + escapedHtml(report.program) + "</code> " +
                     (predicted ? "takes " : "took ") + "<b>" +
                     secondsText(report.seconds) + "</b> on " +
                     devicesText(report.devices.size()) + " (mesh " +
                     meshText(report.mesh) + ").";
  if (isAllWhole(report))
    return text + " All of it is work on whole tensors: nothing is "
                  "distributed, and every device would do all of it.";
  if (predicted && report.seconds > 0 && !report.devices.empty()) {
    text += " The busiest device works for " + secondsText(most.busySeconds) +
            " of that, " + percentText(most.busySeconds / report.seconds);
    if (report.devices.size() > 1 &&
        most.leastBusySeconds < most.busySeconds * 0.95)
      text += ", the least busy for " + secondsText(most.leastBusySeconds);
    text += ".";
  }
  if (report.exposedSeconds >= 0)
    text += report.exposedSeconds == 0
                ? " Every transfer hides behind computing."
                : " Transfers that nothing hides take " +
                      secondsText(report.exposedSeconds) + ".";
  if (most.bytesSent > 0)
    text +=
        " A device sends at most " + bytesText(double(most.bytesSent)) + ".";
  else if (report.devices.size() > 1)
    text += " No device sends anything to another.";
  text += " A device holds at most " + bytesText(double(most.peakBytes));
  if (report.memoryLimit > 0)
    text += " of the " + bytesText(double(report.memoryLimit)) + " it has";
  text += ".";
  if (most.leastFlops < most.flops * 0.95)
    text += " The work is uneven: from " + flopsText(most.leastFlops) + " to " +
            flopsText(most.flops) + " a device.";
  return text;
}

std::string wholeHtml(const Report &report) {
  if (report.whole.ops.empty())
    return "";
  double most = extremesOf(report).flops;
  if (!isWorthTelling(report.whole))
    return "Next to nothing is computed on whole tensors: the ops here cut "
           "tensors into shards, put them together again, and the like.";
  std::string text =
      "The program computes " + flopsText(report.whole.flops) +
      " on whole tensors. No device has a share of that: each would do all of "
      "it";
  if (most > 0)
    text += ", beside at most " + flopsText(most) + " of its own";
  return text + ".";
}

std::string keyFiguresHtml(const Report &report) {
  Extremes most = extremesOf(report);
  std::string out =
      definition("time", secondsText(report.seconds),
                 report.prediction.empty() ? "measured" : "predicted");
  if (report.utilisation >= 0)
    out += definition("utilisation", percentText(report.utilisation),
                      "of the peak");
  if (isAllWhole(report))
    return out + definition("on whole tensors", flopsText(report.whole.flops),
                            "every device would do");
  // Devices that share a processor are busy when they have a core.
  if (report.seconds > 0 && !report.prediction.empty())
    out += definition("busy", percentText(most.busySeconds / report.seconds),
                      "the busiest device");
  if (report.exposedSeconds >= 0)
    out += definition("exposed transfers", secondsText(report.exposedSeconds),
                      "the worst device");
  out +=
      definition("sent", bytesText(double(most.bytesSent)), "a device at most");
  out += definition("memory", bytesText(double(most.peakBytes)),
                    "a device at most");
  if (most.flops > 0)
    out += definition("operations", flopsText(most.flops), "a device at most");
  if (isWorthTelling(report.whole))
    out += definition("on whole tensors", flopsText(report.whole.flops),
                      "every device would do");
  return out;
}

} // namespace ring::rt
