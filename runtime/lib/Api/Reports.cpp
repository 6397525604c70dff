// SPDX-License-Identifier: Apache-2.0
//
// Traces and statistics as JSON.

#include "Api/JsonText.h"
#include "Api/TextFile.h"
#include "ring-runtime/Runtime.h"

#include <sstream>

namespace ring::rt {

namespace {

void print(std::ostream &out, const DeviceStatistics &device) {
  out << "{\"seconds\": " << device.seconds
      << ", \"busy_seconds\": " << device.busySeconds
      << ", \"flops\": " << device.flops
      << ", \"bytes_sent\": " << device.bytesSent
      << ", \"bytes_received\": " << device.bytesReceived
      << ", \"peak_bytes\": " << device.peakBytes
      << ", \"peak_value_bytes\": " << device.peakValueBytes
      << ", \"peak_key_value_bytes\": " << device.peakKeyValueBytes
      << ", \"ops\": {";
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
  for (const TraceEvent &event : result.trace) {
    const Instruction &step = program.instructions()[event.instruction];
    out << "{\"ph\": \"X\", \"name\": " << quoted(step.op)
        << ", \"pid\": 0, \"tid\": " << event.device
        << ", \"ts\": " << event.begin * 1e6
        << ", \"dur\": " << (event.end - event.begin) * 1e6
        << ", \"args\": {\"instruction\": " << event.instruction
        << ", \"text\": " << quoted(program.text(event.instruction))
        << ", \"location\": " << quoted(step.location) << "}},\n";
  }
  out << "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": "
         "{\"name\": "
      << quoted(program.name()) << "}}\n]}\n";
  return writeText(path, out.str());
}

Status writeStatistics(const std::string &path, const Program &program,
                       const RunResult &result) {
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
  out << "}\n";
  return writeText(path, out.str());
}

} // namespace ring::rt
