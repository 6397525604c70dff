// SPDX-License-Identifier: Apache-2.0
// Plans an attention at every point of a grid of tokens and devices.

#include "ring/Tooling/Sweep.h"
#include "ring/Machine/ChipModel.h"
#include "ring/Planner/PlanReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

/// Devices of a machine that takes any mesh, where nobody says how many.
static constexpr int64_t kDevicesOfAnyMesh = 32;
/// Ranks and tokens are varied from an eighth to eight times as many.
static constexpr int64_t kMostDoublings = 3;

SmallVector<int64_t> doublings(int64_t number) {
  int64_t first = number;
  for (int64_t i = 0; i < kMostDoublings && first % 2 == 0; ++i)
    first /= 2;
  SmallVector<int64_t> numbers;
  for (; first <= number << kMostDoublings; first *= 2)
    numbers.push_back(first);
  return numbers;
}

double pairsOf(const AttentionTraits &traits) {
  return double(traits.batch) * double(traits.heads) * double(traits.queries) *
         double(traits.keys);
}

AttentionTraits withTokens(const AttentionTraits &traits, int64_t tokens) {
  AttentionTraits other = traits;
  other.keys = tokens;
  if (traits.queries > kTileRows)
    other.queries = std::max<int64_t>(1, traits.queries * tokens / traits.keys);
  if (other.realKeys)
    other.realKeys = *traits.realKeys * tokens / traits.keys;
  if (other.maskRows > 1)
    other.maskRows = other.queries;
  return other;
}

std::string fixedLengthOf(const AttentionTraits &traits) {
  if (traits.perDevice)
    return "is a device's own";
  if (traits.pages)
    return "has a table of pages";
  if (traits.dilation)
    return "has dilated segments";
  if (traits.documents)
    return "has packed documents";
  return "";
}

Sweep::Sweep(SweepSubject given, PlannerMachine on, SweepRanges asked)
    : subject(std::move(given)), machine(std::move(on)),
      ranges(std::move(asked)) {
  int64_t own = subject.traits.keys;
  if (ranges.tokens.empty() && fixedLengthOf(subject.traits).empty()) {
    SmallVector<int64_t> numbers = doublings(own);
    ranges.tokens.assign(numbers.begin(), numbers.end());
  } else if (ranges.tokens.empty()) {
    ranges.tokens = {own};
  }
  int64_t most =
      machine.spec.takesAnyMesh() ? kDevicesOfAnyMesh : machine.spec.chips();
  if (ranges.devices.empty())
    for (int64_t count = 1; count <= most; count *= 2)
      ranges.devices.push_back(count);
}

std::string Sweep::check() const {
  std::string fixed = fixedLengthOf(subject.traits);
  if (subject.traits.perDevice)
    return "expects an attention on whole tensors with --sweep, but it " +
           fixed;
  if (!fixed.empty() && ranges.tokens != std::vector{subject.traits.keys})
    return "expects an attention whose length may change with --sweep "
           "tokens=..., but it " +
           fixed;
  if (!machine.spec.takesAnyMesh() &&
      ranges.devices.back() > machine.spec.chips())
    return "expects at most the " + std::to_string(machine.spec.chips()) +
           " chips of " + machine.spec.name +
           " with --sweep devices=..., but got " +
           std::to_string(ranges.devices.back());
  return "";
}

/// Every way to deal the devices to the sequence and to another axis, most to
/// the sequence first. One device of the sequence is a mesh for one device
/// alone.
std::vector<std::vector<int64_t>> Sweep::meshesOf(int64_t devices) const {
  size_t axes = subject.mesh.size();
  std::vector<std::vector<int64_t>> meshes;
  for (int64_t ranks = devices; ranks >= std::min<int64_t>(devices, 2);
       --ranks) {
    if (devices % ranks != 0 || (ranks < devices && axes < 2))
      continue;
    std::vector<int64_t> mesh(axes, 1);
    mesh[subject.heads.value_or(subject.sequence == 0 ? axes - 1 : 0)] =
        devices / ranks;
    mesh[subject.sequence] = ranks;
    meshes.push_back(mesh);
  }
  return meshes;
}

SweepPoint Sweep::plan(int64_t tokens, int64_t devices) const {
  SweepPoint point;
  point.tokens = tokens;
  point.devices = devices;
  AttentionTraits traits = tokens == subject.traits.keys
                               ? subject.traits
                               : withTokens(subject.traits, tokens);
  for (std::vector<int64_t> &mesh : meshesOf(devices)) {
    PlannerMachine on = onMesh(machine, mesh);
    PlanPlace place;
    place.axis = AxisAttr::get(subject.context, subject.sequence, mesh);
    place.headsAxis = subject.heads;
    place.headsFree = !subject.heads;
    PlanSearchResult result;
    result.error = on.error;
    if (on.error.empty())
      result = searchPlans(traits, place, subject.request, on);
    if (!result.best()) {
      if (point.error.empty())
        point.error = result.error;
      continue;
    }
    if (!point.best || result.best()->cost.seconds < point.best->cost.seconds) {
      point.best = *result.best();
      point.machine = on;
    }
  }
  return point;
}

void Sweep::run(const std::function<void(size_t, size_t)> &progress) {
  size_t all = ranges.tokens.size() * ranges.devices.size();
  for (int64_t tokens : ranges.tokens)
    for (int64_t devices : ranges.devices) {
      points.push_back(plan(tokens, devices));
      progress(points.size(), all);
    }
}

//===----------------------------------------------------------------------===//
// What was found
//===----------------------------------------------------------------------===//

static const char *const kColumns[] = {"tokens",  "devices",   "mesh",
                                       "plan",    "predicted", "used",
                                       "exposed", "a device"};

static std::vector<std::string> cellsOf(const SweepPoint &point) {
  std::vector<std::string> cells{std::to_string(point.tokens),
                                 std::to_string(point.devices)};
  if (!point.best) {
    cells.insert(cells.end(), {"-", point.error, "-", "-", "-", "-"});
    return cells;
  }
  const PlanCost &cost = point.best->cost;
  std::string used;
  llvm::raw_string_ostream(used)
      << llvm::format("%.0f %%", 100 * cost.utilisation);
  cells.insert(cells.end(), {machine::shapeText(point.machine.mesh),
                             describe(*point.best), formatSeconds(cost.seconds),
                             used, formatSeconds(cost.exposedSeconds),
                             formatBytes(cost.deviceBytes)});
  return cells;
}

void Sweep::printTable(llvm::raw_ostream &out) const {
  std::vector<std::vector<std::string>> rows{
      {std::begin(kColumns), std::end(kColumns)}};
  for (const SweepPoint &point : points)
    rows.push_back(cellsOf(point));
  // Reasons are longer than columns, and nothing stands behind them.
  std::vector<size_t> widths(rows[0].size());
  for (auto [number, row] : llvm::enumerate(rows))
    for (auto [column, cell] : llvm::enumerate(row))
      if (number == 0 || points[number - 1].best)
        widths[column] = std::max(widths[column], cell.size());
  for (auto [number, row] : llvm::enumerate(rows)) {
    bool isReason = number > 0 && !points[number - 1].best;
    for (auto [column, cell] : llvm::enumerate(row)) {
      bool isText = column == 2 || column == 3;
      if (isReason && column > 3)
        continue;
      out << "  "
          << (isText ? llvm::left_justify(cell, isReason ? 0 : widths[column])
                     : llvm::right_justify(cell, widths[column]));
    }
    out << "\n";
  }
  out << "on " << machine.spec.name
      << ", the fastest mesh of that many devices; all times are predicted\n";
}

/// Numbers for other programs: seconds and bytes, and reasons in quotes.
void Sweep::printCsv(llvm::raw_ostream &out) const {
  auto quoted = [](std::string text) {
    for (size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
      text.insert(at, "\"");
    return '"' + text + '"';
  };
  out << "tokens,devices,mesh,plan,seconds,utilisation,exposed_seconds,"
         "device_bytes,error\n";
  for (const SweepPoint &point : points) {
    out << point.tokens << ',' << point.devices << ',';
    if (!point.best) {
      out << ",,,,,," << quoted(point.error) << "\n";
      continue;
    }
    const PlanCost &cost = point.best->cost;
    out << machine::shapeText(point.machine.mesh) << ','
        << quoted(describe(*point.best)) << ','
        << llvm::format("%.6g,%.4g,%.6g,%.0f,", cost.seconds, cost.utilisation,
                        cost.exposedSeconds, cost.deviceBytes)
        << "\n";
  }
}

void Sweep::addTo(rt::Report &report) const {
  std::string note = "The best plan at each point, on the fastest mesh of that "
                     "many devices of " +
                     machine.spec.name + "; all times are predicted.";
  auto figure = [&](StringRef title, StringRef axis, bool overTokens) {
    rt::ReportScaling scaling{
        title.str(), axis.str(), "the best plans", -1, {}};
    for (int64_t fixed : overTokens ? ranges.devices : ranges.tokens) {
      rt::ReportSeries series{std::to_string(fixed) +
                                  (overTokens ? " devices" : " tokens"),
                              {},
                              false};
      for (const SweepPoint &point : points)
        if ((overTokens ? point.devices : point.tokens) == fixed && point.best)
          series.points.push_back(
              {double(overTokens ? point.tokens : point.devices),
               point.best->cost.seconds});
      if (!series.points.empty())
        scaling.series.push_back(std::move(series));
    }
    return scaling;
  };
  if (ranges.tokens.size() > 1)
    report.scaling.push_back(figure("Sweep over tokens", "tokens", true));
  if (ranges.devices.size() > 1)
    report.scaling.push_back(figure("Sweep over devices", "devices", false));
  if (report.scalingNote.empty())
    report.scalingNote = note;
  rt::ReportTable table;
  table.title = "The largest attention, with other tokens and devices";
  table.note = note;
  table.columns.assign(std::begin(kColumns), std::end(kColumns));
  for (auto [number, point] : llvm::enumerate(points)) {
    table.rows.push_back(cellsOf(point));
    if (point.best && point.tokens == subject.traits.keys &&
        point.machine.mesh == subject.mesh)
      table.current = static_cast<int64_t>(number);
  }
  report.sweeps.push_back(std::move(table));
}

} // namespace mlir::ring
