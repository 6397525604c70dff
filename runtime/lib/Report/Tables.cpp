// SPDX-License-Identifier: Apache-2.0
//
// The tables: all numbers of the figures, for those who read rather than look.

#include "Report/Page.h"
#include "Report/Template.h"
#include "Report/Units.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace ring::rt {

namespace {

constexpr int64_t kMostLines = 64;

/// A cell; where there is little room, its column's name stands in it.
std::string cell(const std::string &content, const std::string &column = "") {
  return "<td" +
         (column.empty() ? "" : " data-label=\"" + escapedHtml(column) + "\"") +
         ">" + content + "</td>";
}

/// The first cell of a row; a number needs its column's name beside it.
std::string headCell(const std::string &content,
                     const std::string &column = "") {
  return "<th scope=\"row\"" +
         (column.empty() ? "" : " data-label=\"" + escapedHtml(column) + "\"") +
         ">" + content + "</th>";
}

/// A number with a bar under it as long as its share of the largest.
std::string barCell(const std::string &content, double share,
                    const char *column) {
  char percent[32];
  std::snprintf(percent, sizeof(percent), "%.1f%%",
                100 * std::clamp(share, 0.0, 1.0));
  return "<td class=\"bar\" data-label=\"" + std::string(column) + "\">" +
         content + "<i style=\"width:" + percent + "\"></i></td>";
}

std::string row(const std::string &cells, const char *kind = "") {
  return std::string("<tr") +
         (*kind ? std::string(" class=\"") + kind + "\"" : "") + ">" + cells +
         "</tr>\n";
}

std::string dash() { return "\xE2\x80\x93"; }

/// Devices whose statistics are the same become one line.
struct DeviceClass {
  DeviceStatistics statistics;
  std::vector<int64_t> devices;
};

std::vector<DeviceClass> classifyDevices(const Report &report) {
  std::vector<DeviceClass> classes;
  double slack = report.seconds * 1e-9;
  for (size_t i = 0; i < report.devices.size(); ++i) {
    const DeviceStatistics &device = report.devices[i];
    auto same = [&](const DeviceClass &other) {
      const DeviceStatistics &known = other.statistics;
      return std::abs(known.seconds - device.seconds) <= slack &&
             std::abs(known.busySeconds - device.busySeconds) <= slack &&
             known.flops == device.flops &&
             known.bytesSent == device.bytesSent &&
             known.bytesReceived == device.bytesReceived &&
             known.peakBytes == device.peakBytes;
    };
    auto found = std::find_if(classes.begin(), classes.end(), same);
    if (found == classes.end())
      classes.push_back({device, {static_cast<int64_t>(i)}});
    else
      found->devices.push_back(static_cast<int64_t>(i));
  }
  return classes;
}

/// Ops with what they took, the slowest first.
std::string opLines(const std::map<std::string, OpStatistics> &ops) {
  std::vector<std::pair<std::string, OpStatistics>> lines(ops.begin(),
                                                          ops.end());
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto &a, const auto &b) {
                     return a.second.seconds > b.second.seconds;
                   });
  std::string out;
  for (const auto &[name, op] : lines)
    out += row(headCell("<code>" + escapedHtml(name) + "</code>") +
               cell(countText(op.count), "times") +
               cell(secondsText(op.seconds), "time") +
               cell(op.flops > 0 ? flopsText(op.flops) : dash(), "operations") +
               cell(bytesText(double(op.bytes)), "read and written"));
  return out;
}

} // namespace

std::string strategyRowsHtml(const Report &report) {
  double slowest = 0;
  for (const ReportStrategy &strategy : report.strategies)
    slowest = std::max(slowest, strategy.seconds);
  std::string out;
  for (const ReportStrategy &strategy : report.strategies) {
    std::string name = escapedHtml(strategy.name);
    if (strategy.chosen)
      name = "<b>" + name + "</b> <small>chosen" +
             (strategy.reason.empty() ? "" : ": ") + noteHtml(strategy.reason) +
             "</small>";
    std::string cells = headCell(name);
    if (!strategy.rejection.empty()) {
      out += row(cells + "<td colspan=\"4\" class=\"words\"><span>" +
                     noteHtml(strategy.rejection) + "</span></td>",
                 "rejected");
      continue;
    }
    cells +=
        strategy.seconds < 0
            ? cell(dash(), "time")
            : barCell(secondsText(strategy.seconds),
                      slowest > 0 ? strategy.seconds / slowest : 0, "time");
    cells += cell(strategy.utilisation < 0 ? dash()
                                           : percentText(strategy.utilisation),
                  "utilisation");
    cells +=
        cell(strategy.exposedSeconds < 0 ? dash()
                                         : secondsText(strategy.exposedSeconds),
             "exposed");
    cells +=
        cell(strategy.memoryBytes < 0 ? dash()
                                      : bytesText(double(strategy.memoryBytes)),
             "memory");
    out += row(cells, strategy.chosen ? "chosen" : "");
  }
  return out;
}

std::string stepRowsHtml(const Report &report) {
  std::string out;
  for (const StepFigures &step : figuresOfSteps(report, kMostLines)) {
    std::string name = std::to_string(step.first);
    if (step.last > step.first)
      name += " to " + std::to_string(step.last);
    out += row(
        headCell(name) + cell(secondsText(step.begin), "first start") +
        cell(secondsText(step.end), "last end") +
        cell(secondsText(step.computeSeconds), "work") +
        cell(secondsText(step.transferSeconds), "transfers") +
        cell(step.bytes > 0 ? bytesText(double(step.bytes)) : dash(), "sent"));
  }
  return out;
}

std::string deviceRowsHtml(const Report &report) {
  std::vector<DeviceClass> classes = classifyDevices(report);
  bool predicted = !report.prediction.empty();
  std::string out;
  auto lines = std::min<size_t>(classes.size(), kMostLines);
  for (size_t i = 0; i < lines; ++i) {
    const DeviceStatistics &device = classes[i].statistics;
    out += row(headCell(listText(classes[i].devices)) +
               cell(secondsText(device.seconds), "ends after") +
               (predicted ? cell(secondsText(device.busySeconds), "busy")
                          : std::string()) +
               cell(flopsText(device.flops), "operations") +
               cell(bytesText(double(device.bytesSent)), "sends") +
               cell(bytesText(double(device.bytesReceived)), "receives") +
               cell(bytesText(double(device.peakBytes)), "holds"));
  }
  if (lines < classes.size())
    out += row("<td colspan=\"7\" class=\"words\">and " +
               countText(static_cast<int64_t>(classes.size() - lines)) +
               " further devices that differ</td>");
  return out;
}

std::string opRowsHtml(const Report &report) {
  std::map<std::string, OpStatistics> most;
  for (const DeviceStatistics &device : report.devices)
    for (const auto &[name, op] : device.ops) {
      OpStatistics &slowest = most[name];
      if (op.seconds >= slowest.seconds)
        slowest = op;
    }
  return opLines(most);
}

std::string wholeRowsHtml(const Report &report) {
  return opLines(report.whole.ops);
}

bool linksAreTimed(const Report &report) {
  return std::any_of(
      report.links.begin(), report.links.end(),
      [](const LinkLoad &link) { return link.busySeconds >= 0; });
}

std::string linkRowsHtml(const Report &report) {
  bool areTimed = linksAreTimed(report);
  std::vector<LinkClass> classes = classifyLinks(report);
  std::string out;
  auto lines = std::min<size_t>(classes.size(), kMostLines);
  for (size_t i = 0; i < lines; ++i) {
    const LinkClass &entry = classes[i];
    const LinkLoad &first = report.links[entry.links[0]];
    std::string name = std::to_string(first.source) + " \xE2\x86\x92 " +
                       std::to_string(first.target);
    if (entry.links.size() > 1)
      name += " <small>and " +
              countText(static_cast<int64_t>(entry.links.size() - 1)) +
              " alike</small>";
    bool timed = entry.busySeconds >= 0 && report.seconds > 0;
    double share = timed ? entry.busySeconds / report.seconds : 0;
    std::string untimed =
        areTimed ? cell(dash(), "link busy") + cell(dash(), "of the run") : "";
    out += row(headCell(name) +
               barCell(bytesText(double(entry.bytes)),
                       double(entry.bytes) / double(classes[0].bytes), "sent") +
               (timed ? cell(secondsText(entry.busySeconds), "link busy") +
                            barCell(percentText(share), share, "of the run")
                      : untimed));
  }
  if (lines < classes.size())
    out += row("<td colspan=\"4\" class=\"words\">and " +
               countText(static_cast<int64_t>(classes.size() - lines)) +
               " further loads</td>");
  return out;
}

std::string scalingTablesHtml(const Report &report) {
  std::string out;
  for (const ReportScaling &scaling : report.scaling) {
    out += "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           escapedHtml(scaling.title) + "\"><table><caption>" +
           escapedHtml(scaling.title) + ", " + noteHtml(scaling.fixed) +
           "</caption><thead><tr><th scope=\"col\">" +
           escapedHtml(scaling.axis) + "</th>";
    std::set<double> places;
    for (const ReportSeries &series : scaling.series) {
      out += "<th scope=\"col\">" + noteHtml(series.name) + "</th>";
      for (const auto &[x, seconds] : series.points)
        places.insert(x);
    }
    out += "</tr></thead><tbody>\n";
    for (double x : places) {
      std::string cells = headCell(countText(static_cast<int64_t>(x)));
      for (const ReportSeries &series : scaling.series) {
        std::string text = dash();
        for (const auto &[place, seconds] : series.points)
          if (place == x)
            text = secondsText(seconds);
        cells += cell(text);
      }
      out += row(cells, x == scaling.current ? "chosen" : "");
    }
    out += "</tbody></table></div>\n";
  }
  return out;
}

std::string sweepsHtml(const Report &report) {
  std::string out;
  for (const ReportTable &table : report.sweeps) {
    std::string title = escapedHtml(table.title);
    out += "<h3>" + title + "</h3>\n<p>" + noteHtml(table.note) +
           "</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"" +
           title + "\"><table class=\"stack\"><thead><tr>";
    for (const std::string &column : table.columns)
      out += "<th scope=\"col\">" + escapedHtml(column) + "</th>";
    out += "</tr></thead><tbody>\n";
    for (size_t i = 0; i < table.rows.size(); ++i) {
      std::string cells;
      for (size_t j = 0; j < table.rows[i].size(); ++j) {
        std::string text = noteHtml(table.rows[i][j]);
        const std::string &column = table.columns[j];
        cells += j == 0 ? headCell(text, column) : cell(text, column);
      }
      out += row(cells, int64_t(i) == table.current ? "chosen" : "");
    }
    out += "</tbody></table></div>\n";
  }
  return out;
}

} // namespace ring::rt
