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

std::string devicesText(size_t count) {
  return countText(static_cast<int64_t>(count)) +
         (count == 1 ? " device" : " devices");
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
  if (size_t at = note.find("<="); at != std::string::npos)
    note.replace(at, 2, "\xE2\x89\xA4");
  return escapedHtml(note);
}

std::string provenanceHtml(const Report &report) {
  if (report.prediction.empty())
    return "<strong>Measured</strong> in one run on the CPU mesh, whose "
           "virtual devices share the processor. Bytes, memory and operations "
           "are those of the program; the times are the "
           "processor\xE2\x80\x99s, "
           "not a Tenstorrent device\xE2\x80\x99s.";
  // The models introduce themselves as "predicted by ...".
  std::string by = report.prediction, lead = "predicted ";
  if (by.rfind(lead, 0) == 0)
    by = by.substr(lead.size());
  return "<strong>Predicted</strong> " + noteHtml(by) +
         ". Nothing on this page was measured.";
}

std::string summaryHtml(const Report &report) {
  bool predicted = !report.prediction.empty();
  Extremes most = extremesOf(report);
  std::string text = "<code>" + escapedHtml(report.program) + "</code> " +
                     (predicted ? "takes " : "took ") + "<b>" +
                     secondsText(report.seconds) + "</b> on " +
                     devicesText(report.devices.size()) + " (mesh " +
                     meshText(report.mesh) + ").";
  if (report.seconds > 0 && !report.devices.empty()) {
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

std::string keyFiguresHtml(const Report &report) {
  Extremes most = extremesOf(report);
  std::string out =
      definition("time", secondsText(report.seconds),
                 report.prediction.empty() ? "measured" : "predicted");
  if (report.utilisation >= 0)
    out += definition("utilisation", percentText(report.utilisation),
                      "of the peak");
  if (report.seconds > 0)
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
  return out;
}

} // namespace ring::rt
