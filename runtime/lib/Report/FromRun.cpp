// SPDX-License-Identifier: Apache-2.0
//
// What a traced run shows by itself.

#include "Report/Page.h"
#include "Report/Steps.h"

#include <algorithm>
#include <map>

namespace ring::rt {

namespace {

ReportKind kindOf(const Op &op) {
  if (op.role == Op::Role::Start || exchangesData(op))
    return ReportKind::Transfer;
  return op.costs.flops ? ReportKind::Compute : ReportKind::Move;
}

const int64_t *intAttribute(const Instruction &instruction, const char *name) {
  auto found = instruction.attributes.find(name);
  return found == instruction.attributes.end()
             ? nullptr
             : std::get_if<int64_t>(&found->second);
}

/// +1 or a real minus sign.
std::string signedText(int64_t number) {
  if (number < 0)
    return "\xE2\x88\x92" + std::to_string(-number);
  return "+" + std::to_string(number);
}

/// "accumulate, keys of rank r-1" for {op = ring.accumulate, source = -1}.
std::string labelOf(const Program &program, size_t index) {
  const Instruction &instruction = program.instructions()[index];
  if (opTable().find(instruction.op)->role == Op::Role::Wait)
    return "wait for " + labelOf(program, program.startOf(index));
  std::string label = instruction.op;
  for (const char *prefix : {"ring.", "start_"})
    if (label.rfind(prefix, 0) == 0)
      label = label.substr(std::string(prefix).size());
  if (const int64_t *by = intAttribute(instruction, "by"))
    label += " by " + signedText(*by);
  if (const int64_t *source = intAttribute(instruction, "source"))
    label +=
        *source == 0 ? ", own keys" : ", keys of rank r" + signedText(*source);
  return label;
}

/// Fills the rows and the labels of a report.
class RowBuilder {
public:
  RowBuilder(const Program &program, const RunResult &result, Report &report)
      : program(program), result(result), report(report),
        steps(stepsOf(program)), rows(program.deviceCount() + 1) {}

  void build() {
    countBlocks();
    std::map<std::pair<int64_t, size_t>, int32_t> seen;
    for (const TraceEvent &event : result.trace) {
      bool onLink = event.lane > 0;
      const Op &op =
          *opTable().find(program.instructions()[event.instruction].op);
      ReportEvent bar{event.begin, event.end,
                      onLink                       ? ReportKind::Transfer
                      : isFused(event.instruction) ? ReportKind::Compute
                                                   : kindOf(op)};
      bar.label = labelAt(event.instruction);
      bar.step = steps[event.instruction];
      if (!onLink) {
        bar.step += seen[{event.device, event.instruction}]++;
        rows[event.device].memory.push_back({event.begin, event.heldBytes});
      }
      report.steps = std::max<int64_t>(report.steps, bar.step + 1);
      rows[event.device].events.push_back(bar);
    }
    for (size_t i = 0; i < rows.size(); ++i)
      finish(rows[i], static_cast<int64_t>(i));
    report.rings = findRings(program, steps);
  }

private:
  bool isHost(int64_t row) const { return row == program.deviceCount(); }

  /// The composite that ran as one op from this instruction on.
  const Composite *isFused(size_t index) const {
    for (const Composite &composite : program.composites())
      if (composite.first == index && !result.devices.empty() &&
          result.devices[0].ops.count(composite.name))
        return &composite;
    return nullptr;
  }

  /// A fused attention is one instruction that computes several blocks. Each is
  /// a step, and what follows moves on by as many.
  void countBlocks() {
    std::map<size_t, std::map<int64_t, int32_t>> blocks;
    for (const TraceEvent &event : result.trace)
      if (event.lane == 0)
        ++blocks[event.instruction][event.device];
    int32_t more = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i] += more;
      int32_t most = 1;
      for (const auto &[device, count] : blocks[i])
        most = std::max(most, count);
      more += most - 1;
    }
  }

  int32_t label(const std::string &text) {
    auto [place, isNew] =
        labels.try_emplace(text, static_cast<int32_t>(labels.size()));
    if (isNew)
      report.labels.push_back(text);
    return place->second;
  }

  int32_t labelAt(size_t index) {
    auto known = labelOfInstruction.find(index);
    if (known != labelOfInstruction.end())
      return known->second;
    const Composite *composite = isFused(index);
    int32_t made = label(composite ? composite->name : labelOf(program, index));
    return labelOfInstruction[index] = made;
  }

  /// In a simulation a device only stands still for data or for a peer.
  void addWaits(ReportRow &row) {
    std::vector<ReportEvent> waits;
    double busyTo = 0;
    for (const ReportEvent &event : row.events) {
      if (event.kind == ReportKind::Transfer)
        continue;
      // Not what rounding leaves.
      if (event.start > busyTo + report.seconds * 1e-9) {
        ReportEvent wait{busyTo, event.start, ReportKind::Wait};
        wait.label = label("standing still for data or a peer");
        wait.step = event.step;
        waits.push_back(wait);
      }
      busyTo = std::max(busyTo, event.end);
    }
    row.events.insert(row.events.end(), waits.begin(), waits.end());
  }

  void finish(ReportRow &row, int64_t number) {
    if (row.events.empty())
      return;
    row.name = isHost(number) ? "host" : std::to_string(number);
    if (isHost(number))
      row.memory.clear();
    else
      row.devices = {number};
    std::stable_sort(row.events.begin(), row.events.end(),
                     [](const ReportEvent &a, const ReportEvent &b) {
                       return a.start < b.start;
                     });
    std::stable_sort(row.memory.begin(), row.memory.end(),
                     [](const ReportMemory &a, const ReportMemory &b) {
                       return a.time < b.time;
                     });
    if (result.prediction)
      addWaits(row);
    report.rows.push_back(std::move(row));
  }

  const Program &program;
  const RunResult &result;
  Report &report;
  std::vector<int32_t> steps; ///< by instruction
  std::vector<ReportRow> rows;
  std::map<std::string, int32_t> labels;
  std::map<size_t, int32_t> labelOfInstruction;
};

} // namespace

Report makeReport(const Program &program, const RunResult &result) {
  Report report;
  report.program = program.name();
  report.mesh = program.mesh();
  report.seconds = result.seconds;
  report.devices = result.devices;
  report.whole = result.host;
  report.bound = boundText(result);
  report.links = result.links;
  if (result.prediction) {
    const Prediction &prediction = *result.prediction;
    report.machine = prediction.machine;
    report.prediction = prediction.note;
    report.memoryLimit = prediction.dramBytes;
    report.utilisation = prediction.utilisation;
    report.exposedSeconds = 0;
    for (const PredictedDevice &device : prediction.devices)
      report.exposedSeconds =
          std::max(report.exposedSeconds, device.exposedSeconds);
  }
  RowBuilder(program, result, report).build();
  return report;
}

} // namespace ring::rt
