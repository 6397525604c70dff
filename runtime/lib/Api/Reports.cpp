// SPDX-License-Identifier: Apache-2.0
//
// Traces and statistics as JSON.

#include "Api/JsonText.h"
#include "Api/StatisticsText.h"
#include "Data/Files.h"
#include "ring-runtime/Runtime.h"

#include <filesystem>
#include <sstream>

namespace ring::rt {

namespace {

void print(std::ostream &out, const PredictedDevice &device) {
  out << "{\"compute_seconds\": " << device.computeSeconds
      << ", \"exposed_seconds\": " << device.exposedSeconds
      << ", \"waiting_seconds\": " << device.waitingSeconds
      << ", \"link_seconds\": " << device.linkSeconds
      << ", \"dram_seconds\": " << device.dramSeconds << "}";
}

void print(std::ostream &out, const PredictedStep &step) {
  out << "{\"layer\": " << step.layer
      << ", \"instruction\": " << step.instruction
      << ", \"begin\": " << step.begin << ", \"end\": " << step.end
      << ", \"exposed_seconds\": " << step.exposedSeconds
      << ", \"flops\": " << step.flops
      << ", \"utilisation\": " << step.utilisation
      << ", \"bound\": " << quoted(step.bound) << "}";
}

/// What only a simulation knows.
void print(std::ostream &out, const Prediction &prediction) {
  out << "{\"machine\": " << quoted(prediction.machine)
      << ", \"note\": " << quoted(prediction.note)
      << ", \"utilisation\": " << prediction.utilisation
      << ", \"transfers\": " << quoted(prediction.transfers)
      << ", \"dram_bytes\": " << prediction.dramBytes
      << ", \"fits_dram\": " << (prediction.fitsDram ? "true" : "false")
      << ", \"fits_l1\": " << (prediction.fitsL1 ? "true" : "false")
      << ", \"last_device\": " << prediction.lastDevice
      << ",\n\"host\": {\"bytes_in\": " << prediction.host.bytesIn
      << ", \"bytes_out\": " << prediction.host.bytesOut
      << ", \"seconds\": " << prediction.host.seconds
      << ", \"bandwidth\": " << prediction.host.bandwidth << ", \"assumed\": "
      << (prediction.host.bandwidthAssumed ? "true" : "false")
      << "},\n\"ops\": " << prediction.ops << ", \"untimed\": {";
  bool first = true;
  for (const auto &[name, count] : prediction.untimed) {
    out << (first ? "" : ", ") << quoted(name) << ": " << count;
    first = false;
  }
  out << "},\n\"devices\": [\n";
  for (size_t i = 0; i < prediction.devices.size(); ++i) {
    print(out, prediction.devices[i]);
    out << (i + 1 < prediction.devices.size() ? ",\n" : "\n");
  }
  out << "],\n\"steps\": [\n";
  for (size_t i = 0; i < prediction.steps.size(); ++i) {
    print(out, prediction.steps[i]);
    out << (i + 1 < prediction.steps.size() ? ",\n" : "\n");
  }
  out << "]}";
}

void print(std::ostream &out, const DeviceStatistics &device) {
  out << "{\"seconds\": " << device.seconds
      << ", \"busy_seconds\": " << device.busySeconds
      << ", \"flops\": " << device.flops
      << ", \"bytes_sent\": " << device.bytesSent
      << ", \"bytes_received\": " << device.bytesReceived
      << ", \"peak_bytes\": " << device.peakBytes
      << ", \"peak_key_value_bytes\": " << device.peakKeyValueBytes
      << ", \"scratch_bytes\": " << device.scratchBytes << ", \"ops\": {";
  bool first = true;
  for (const auto &[name, op] : device.ops) {
    out << (first ? "" : ", ") << quoted(name) << ": {\"count\": " << op.count
        << ", \"seconds\": " << op.seconds << ", \"flops\": " << op.flops
        << ", \"bytes\": " << op.bytes << "}";
    first = false;
  }
  out << "}}";
}

} // namespace

Status checkWritable(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    if (path.empty())
      continue;
    std::error_code ignored;
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (std::filesystem::is_directory(path, ignored))
      return error("cannot write '", path, "': it is a folder");
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      return error("cannot write '", path, "': there is no folder ", folder);
  }
  return Status::success();
}

Status writeTrace(const std::string &path, const Program &program,
                  const RunResult &result) {
  std::ostringstream out;
  out.precision(15);
  out << "{\"traceEvents\": [\n";
  for (int64_t i = 0; i <= program.deviceCount(); ++i)
    out << "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": "
        << i << ", \"args\": {\"name\": \""
        << (i == program.deviceCount() ? "host" : "device " + std::to_string(i))
        << "\"}},\n";
  // The links of a simulation come behind the devices.
  auto laneOf = [&](const TraceEvent &event) {
    return event.lane == 0
               ? event.device
               : program.deviceCount() + static_cast<int64_t>(event.lane);
  };
  if (result.prediction)
    for (size_t i = 0; i < result.prediction->links.size(); ++i) {
      const PredictedLink &link = result.prediction->links[i];
      out << "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": "
          << program.deviceCount() + 1 + static_cast<int64_t>(i)
          << ", \"args\": {\"name\": \"device " << link.device << " axis "
          << link.axis << (link.forward ? " forward" : " backward")
          << (link.leavesHost ? " to another host" : "") << "\"}},\n";
    }
  for (const TraceEvent &event : result.trace) {
    const Instruction &step = program.instructions()[event.instruction];
    out << "{\"ph\": \"X\", \"name\": " << quoted(step.op)
        << ", \"pid\": 0, \"tid\": " << laneOf(event)
        << ", \"ts\": " << event.begin * 1e6
        << ", \"dur\": " << (event.end - event.begin) * 1e6
        << ", \"args\": {\"instruction\": " << event.instruction
        << ", \"text\": " << quoted(program.text(event.instruction))
        << ", \"location\": " << quoted(step.location) << "}},\n";
  }
  out << "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": "
         "{\"name\": "
      << quoted(program.name() +
                (result.prediction ? ", " + result.prediction->note : ""))
      << "}}\n]}\n";
  return writeFile(path, {out.str()});
}

std::string statisticsText(const Program &program, const RunResult &result) {
  std::ostringstream out;
  out.precision(15);
  out << "{\"program\": " << quoted(program.name()) << ", \"mesh\": \""
      << describe(program.mesh()) << "\", \"seconds\": " << result.seconds
      << ",\n\"devices\": [\n";
  for (size_t i = 0; i < result.devices.size(); ++i) {
    print(out, result.devices[i]);
    out << (i + 1 < result.devices.size() ? ",\n" : "\n");
  }
  out << "],\n\"host\": ";
  print(out, result.host);
  if (result.prediction) {
    out << ",\n\"prediction\": ";
    print(out, *result.prediction);
  }
  out << "}\n";
  return out.str();
}

Status writeStatistics(const std::string &path, const Program &program,
                       const RunResult &result) {
  return writeFile(path, {statisticsText(program, result)});
}

} // namespace ring::rt
