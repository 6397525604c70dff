// SPDX-License-Identifier: Apache-2.0
//
// What a traced run shows by itself. Steps come from the program: a new one
// begins with the first op that computes after devices have exchanged data, so
// the blocks of a ring are steps 0 to P-1.

#include "Ops/Op.h"
#include "ring-runtime/Report.h"

#include <algorithm>
#include <map>

namespace ring::rt {

namespace {

bool exchangesData(const Op &op) {
  return op.role == Op::Role::Wait || (op.role == Op::Role::Compute &&
                                       op.exchanges() && !op.crossesPlacement);
}

/// The step of every instruction.
std::vector<int32_t> stepsOf(const Program &program) {
  std::vector<int32_t> steps;
  int32_t step = 0;
  bool exchanged = false;
  for (const Instruction &instruction : program.instructions()) {
    const Op &op = *opTable().find(instruction.op);
    if (exchanged && op.flops && !op.exchanges()) {
      ++step;
      exchanged = false;
    }
    exchanged |= exchangesData(op);
    steps.push_back(step);
  }
  return steps;
}

ReportKind kindOf(const Op &op) {
  if (op.role == Op::Role::Start || exchangesData(op))
    return ReportKind::Transfer;
  return op.flops ? ReportKind::Compute : ReportKind::Move;
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

} // namespace

Report makeReport(const Program &program, const RunResult &result) {
  Report report;
  report.program = program.name();
  report.mesh = program.mesh();
  report.seconds = result.seconds;
  report.devices = result.devices;
  report.links = result.links;

  std::vector<int32_t> steps = stepsOf(program);
  std::map<std::string, int32_t> labels;
  std::vector<int32_t> labelOfInstruction(program.instructions().size(), -1);
  auto label = [&](size_t index) {
    int32_t &known = labelOfInstruction[index];
    if (known < 0) {
      auto [place, isNew] = labels.try_emplace(
          labelOf(program, index), static_cast<int32_t>(labels.size()));
      if (isNew)
        report.labels.push_back(place->first);
      known = place->second;
    }
    return known;
  };

  int64_t devices = program.deviceCount();
  std::vector<ReportRow> rows(devices + 1);
  auto addEvent = [&](int64_t row, ReportEvent event, size_t instruction) {
    event.label = label(instruction);
    event.step = steps[instruction];
    report.steps = std::max<int64_t>(report.steps, event.step + 1);
    rows[row].events.push_back(event);
  };
  for (const TraceEvent &event : result.trace) {
    const Op &op =
        *opTable().find(program.instructions()[event.instruction].op);
    addEvent(event.device, {event.begin, event.end, kindOf(op)},
             event.instruction);
    rows[event.device].memory.push_back({event.begin, event.heldBytes});
  }
  for (int64_t i = 0; i <= devices; ++i) {
    ReportRow &row = rows[i];
    if (row.events.empty())
      continue;
    row.name = i < devices ? std::to_string(i) : "host";
    if (i < devices)
      row.devices = {i};
    else
      row.memory.clear();
    std::sort(row.memory.begin(), row.memory.end(),
              [](const ReportMemory &a, const ReportMemory &b) {
                return a.time < b.time;
              });
    report.rows.push_back(std::move(row));
  }
  return report;
}

} // namespace ring::rt
