// SPDX-License-Identifier: Apache-2.0
//
// Rows, events and memory samples are cut down one after the other.

#include "Report/Condense.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ring::rt {

namespace {

constexpr size_t kMostRows = 64;
constexpr size_t kMostEvents = 6000; ///< of all rows together
constexpr size_t kFewestPerRow = 48; ///< what a row may always have
constexpr size_t kMostPerRow = 480;
constexpr size_t kMostSamples = 240; ///< of a row's memory

/// Whether two rows are the same to the eye: times may differ by `slack`.
bool alike(const ReportRow &a, const ReportRow &b, double slack) {
  auto close = [&](double x, double y) { return std::fabs(x - y) <= slack; };
  return a.devices.empty() == b.devices.empty() &&
         a.events.size() == b.events.size() &&
         a.memory.size() == b.memory.size() &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(),
                    [&](const ReportEvent &x, const ReportEvent &y) {
                      return close(x.start, y.start) && close(x.end, y.end) &&
                             x.kind == y.kind && x.label == y.label &&
                             x.step == y.step && x.bytes == y.bytes;
                    }) &&
         std::equal(a.memory.begin(), a.memory.end(), b.memory.begin(),
                    [&](const ReportMemory &x, const ReportMemory &y) {
                      return close(x.time, y.time) && x.bytes == y.bytes;
                    });
}

std::vector<ReportRow> joinAlike(const std::vector<ReportRow> &rows,
                                 double slack) {
  std::vector<ReportRow> classes;
  for (const ReportRow &row : rows) {
    auto found = std::find_if(
        classes.begin(), classes.end(),
        [&](const ReportRow &other) { return alike(row, other, slack); });
    if (found == classes.end())
      classes.push_back(row);
    else
      found->devices.insert(found->devices.end(), row.devices.begin(),
                            row.devices.end());
  }
  for (ReportRow &row : classes) {
    size_t count = row.devices.size();
    if (count < 2)
      continue;
    auto apart = static_cast<size_t>(row.devices.back() - row.devices[0]);
    row.name = apart == count - 1
                   ? listText(row.devices)
                   : row.name + " and " + std::to_string(count - 1) + " alike";
  }
  return classes;
}

double endOf(const ReportRow &row) {
  double end = 0;
  for (const ReportEvent &event : row.events)
    end = std::max(end, event.end);
  return end;
}

/// Keeps rows at even distances, and the one that ends last.
std::vector<ReportRow> thinOut(std::vector<ReportRow> rows) {
  if (rows.size() <= kMostRows)
    return rows;
  size_t slowest = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (endOf(rows[i]) > endOf(rows[slowest]))
      slowest = i;
  std::vector<size_t> kept = {slowest};
  for (size_t i = 0; i + 1 < kMostRows; ++i)
    kept.push_back(i * (rows.size() - 1) / (kMostRows - 2));
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<ReportRow> left;
  for (size_t index : kept)
    left.push_back(std::move(rows[index]));
  return left;
}

/// Events of one kind whose starts fall into the same slice of the time become
/// one, under the label that took longest; steps are kept apart where there are
/// fewer of them than slices.
std::vector<ReportEvent> mergeEvents(const std::vector<ReportEvent> &events,
                                     double seconds, size_t slices,
                                     bool keepSteps) {
  std::map<std::tuple<int64_t, ReportKind, int32_t>,
           std::pair<ReportEvent, std::map<int32_t, double>>>
      merged;
  double width = seconds / static_cast<double>(slices);
  for (const ReportEvent &event : events) {
    auto key = std::make_tuple(static_cast<int64_t>(event.start / width),
                               event.kind, keepSteps ? event.step : 0);
    auto [place, isNew] =
        merged.try_emplace(key, event, std::map<int32_t, double>());
    auto &[into, labels] = place->second;
    labels[event.label] += event.busySeconds();
    if (isNew)
      continue;
    into.seconds = into.busySeconds() + event.busySeconds();
    into.start = std::min(into.start, event.start);
    into.end = std::max(into.end, event.end);
    into.count += event.count;
    into.bytes += event.bytes;
    into.lastStep = std::max(event.step, into.lastStep);
  }
  std::vector<ReportEvent> out;
  for (auto &[key, entry] : merged) {
    auto &[event, labels] = entry;
    for (const auto &[label, time] : labels)
      if (time > labels[event.label])
        event.label = label;
    out.push_back(event);
  }
  return out;
}

/// The largest sample of every slice of the time, so that no peak is lost.
std::vector<ReportMemory> mergeSamples(const std::vector<ReportMemory> &samples,
                                       double seconds) {
  if (samples.size() <= kMostSamples)
    return samples;
  std::vector<ReportMemory> out;
  int64_t slice = -1;
  for (const ReportMemory &sample : samples) {
    auto place = static_cast<int64_t>(sample.time / seconds * kMostSamples);
    if (place != slice)
      out.push_back(sample);
    else if (sample.bytes > out.back().bytes)
      out.back() = sample;
    slice = place;
  }
  return out;
}

} // namespace

CondensedRows condense(const Report &report) {
  CondensedRows out;
  std::vector<ReportRow> classes =
      joinAlike(report.rows, report.seconds * 1e-9);
  size_t before = classes.size();
  out.rows = thinOut(std::move(classes));
  out.rowsLeftOut = static_cast<int64_t>(before - out.rows.size());
  if (out.rows.empty() || report.seconds <= 0)
    return out;
  size_t perRow =
      std::clamp(kMostEvents / out.rows.size(), kFewestPerRow, kMostPerRow);
  for (ReportRow &row : out.rows) {
    std::sort(row.events.begin(), row.events.end(),
              [](const ReportEvent &a, const ReportEvent &b) {
                return a.start < b.start;
              });
    if (row.events.size() > perRow) {
      bool keepSteps = static_cast<size_t>(report.steps) <= perRow / 4;
      row.events = mergeEvents(row.events, report.seconds, perRow, keepSteps);
      out.eventsMerged = true;
    }
    row.memory = mergeSamples(row.memory, report.seconds);
  }
  return out;
}

std::vector<LinkClass> classifyLinks(const Report &report) {
  std::map<std::pair<int64_t, int64_t>, LinkClass> classes;
  for (size_t i = 0; i < report.links.size(); ++i) {
    const LinkLoad &link = report.links[i];
    // To a millionth of the run; what is not timed stays together.
    double slack = std::max(report.seconds * 1e-6, 1e-15);
    auto busy =
        link.busySeconds < 0 ? -1 : std::llround(link.busySeconds / slack);
    LinkClass &entry = classes[{-link.bytes, -busy}];
    entry.links.push_back(i);
    entry.bytes = link.bytes;
    entry.busySeconds = link.busySeconds;
  }
  std::vector<LinkClass> out;
  for (auto &[key, entry] : classes)
    out.push_back(std::move(entry));
  return out;
}

std::vector<StepFigures> figuresOfSteps(const Report &report, int64_t lines) {
  int64_t perLine = std::max<int64_t>(1, (report.steps + lines - 1) / lines);
  auto count = static_cast<size_t>((report.steps + perLine - 1) / perLine);
  std::vector<StepFigures> steps(count);
  std::vector<bool> seen(count, false);
  for (size_t i = 0; i < count; ++i) {
    steps[i].first = static_cast<int64_t>(i) * perLine;
    steps[i].last = std::min(report.steps, steps[i].first + perLine) - 1;
  }
  for (const ReportRow &row : report.rows) {
    if (row.devices.empty())
      continue;
    std::vector<double> compute(count, 0), transfer(count, 0);
    std::vector<int64_t> bytes(count, 0);
    for (const ReportEvent &event : row.events) {
      size_t line = static_cast<size_t>(event.step / perLine);
      StepFigures &step = steps[line];
      step.begin = seen[line] ? std::min(step.begin, event.start) : event.start;
      step.end = std::max(step.end, event.end);
      seen[line] = true;
      if (event.kind == ReportKind::Transfer)
        transfer[line] += event.busySeconds();
      else if (event.kind != ReportKind::Wait)
        compute[line] += event.busySeconds();
      bytes[line] += event.bytes;
    }
    for (size_t i = 0; i < count; ++i) {
      steps[i].computeSeconds = std::max(steps[i].computeSeconds, compute[i]);
      steps[i].transferSeconds =
          std::max(steps[i].transferSeconds, transfer[i]);
      steps[i].bytes = std::max(steps[i].bytes, bytes[i]);
    }
  }
  return steps;
}

std::string listText(const std::vector<int64_t> &numbers) {
  std::vector<std::string> pieces;
  constexpr size_t kMostPieces = 4;
  size_t named = 0;
  for (size_t i = 0; i < numbers.size() && pieces.size() < kMostPieces;) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    bool isRange = end - i > 2;
    if (!isRange)
      end = i + 1;
    pieces.push_back(
        std::to_string(numbers[i]) +
        (isRange ? " to " + std::to_string(numbers[end - 1]) : std::string()));
    named += end - i;
    i = end;
  }
  if (named < numbers.size())
    pieces.push_back(std::to_string(numbers.size() - named) + " more");
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i)
    text += (i == 0 ? "" : i + 1 == pieces.size() ? " and " : ", ") + pieces[i];
  return text;
}

} // namespace ring::rt
