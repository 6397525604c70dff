// SPDX-License-Identifier: Apache-2.0
//
// What the figures are drawn from. Events are short arrays, since there may be
// thousands; report.js names their places.

#include "Api/JsonText.h"
#include "Report/Page.h"
#include "Report/Template.h"

#include <algorithm>
#include <sstream>

namespace ring::rt {

namespace {

/// As in figures.js.
constexpr size_t kMostLinkedDevices = 64;

void printRow(std::ostream &out, const ReportRow &row) {
  out << "\n{\"name\":" << quoted(row.name) << ",\"devices\":";
  printList(out, row.devices, [&](int64_t device) { out << device; });
  out << ",\"events\":";
  printList(out, row.events, [&](const ReportEvent &event) {
    out << "[" << event.start << "," << event.end << ","
        << static_cast<int>(event.kind) << "," << event.label << ","
        << event.step << "," << event.count << "," << event.busySeconds() << ","
        << event.bytes << "," << std::max(event.step, event.lastStep) << "]";
  });
  out << ",\"memory\":";
  printList(out, row.memory, [&](const ReportMemory &sample) {
    out << "[" << sample.time << "," << sample.bytes << "]";
  });
  out << "}";
}

} // namespace

std::string pageData(const Report &report, const CondensedRows &rows) {
  std::ostringstream out;
  // As many digits as --stats has, so that the two can be compared.
  out.precision(15);
  out << "{\"program\":" << quoted(report.program)
      << ",\"predicted\":" << (report.prediction.empty() ? "false" : "true")
      << ",\"seconds\":" << report.seconds << ",\"steps\":" << report.steps
      << ",\"memoryLimit\":" << report.memoryLimit << ",\"mesh\":";
  printList(out, report.mesh, [&](int64_t size) { out << size; });
  out << ",\n\"devices\":";
  printList(out, report.devices, [&](const DeviceStatistics &device) {
    out << "\n{\"seconds\":" << device.seconds
        << ",\"busy_seconds\":" << device.busySeconds
        << ",\"flops\":" << device.flops
        << ",\"bytes_sent\":" << device.bytesSent
        << ",\"bytes_received\":" << device.bytesReceived
        << ",\"peak_bytes\":" << device.peakBytes << "}";
  });
  out << ",\n\"labels\":";
  printList(out, report.labels,
            [&](const std::string &label) { out << quoted(label); });
  out << ",\n\"links\":";
  // Drawn as a square of senders and receivers, which needs room.
  bool drawn = report.devices.size() <= kMostLinkedDevices;
  printList(out, drawn ? report.links : std::vector<LinkLoad>(),
            [&](const LinkLoad &link) {
              out << "[" << link.source << "," << link.target << ","
                  << link.bytes << "," << link.busySeconds << "]";
            });
  out << ",\n\"scaling\":";
  printList(out, report.scaling, [&](const ReportScaling &scaling) {
    out << "{\"title\":" << quoted(scaling.title)
        << ",\"axis\":" << quoted(scaling.axis)
        << ",\"fixed\":" << quoted(scaling.fixed)
        << ",\"current\":" << scaling.current << ",\"series\":";
    printList(out, scaling.series, [&](const ReportSeries &series) {
      out << "{\"name\":" << quoted(series.name)
          << ",\"ideal\":" << (series.ideal ? "true" : "false")
          << ",\"points\":";
      printList(out, series.points,
                [&](const std::pair<double, double> &point) {
                  out << "[" << point.first << "," << point.second << "]";
                });
      out << "}";
    });
    out << "}";
  });
  out << ",\n\"rings\":";
  printRings(out, report);
  out.precision(9);
  out << ",\n\"rows\":";
  printList(out, rows.rows, [&](const ReportRow &row) { printRow(out, row); });
  out << "}\n";
  // No text of a program may close the script: "<" only ever is in a string.
  std::string safe;
  for (char c : out.str())
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

} // namespace ring::rt
