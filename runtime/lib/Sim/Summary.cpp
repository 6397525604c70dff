// SPDX-License-Identifier: Apache-2.0
//
// A prediction for people.

#include "FlopsText.h"
#include "ring-runtime/Runtime.h"
#include "ring/Machine/Bytes.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>

namespace ring::rt {

namespace {

/// printf into a string.
__attribute__((format(printf, 1, 2))) std::string print(const char *format,
                                                        ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  return line;
}

/// "1.25 ms".
std::string time(double seconds) {
  if (seconds >= 1)
    return print("%.3f s", seconds);
  if (seconds >= 1e-3)
    return print("%.3f ms", seconds * 1e3);
  return print("%.2f us", seconds * 1e6);
}

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

/// What goes between hosts and chips, and how long that takes.
std::string describeHost(const PredictedHost &host) {
  if (host.bytesIn + host.bytesOut <= 0)
    return "";
  return "  apart from that, hosts send " + machine::formatBytes(host.bytesIn) +
         " and get " + machine::formatBytes(host.bytesOut) + ": " +
         time(host.seconds) + print(" at %.3g GB/s", host.bandwidth * 1e-9) +
         (host.bandwidthAssumed ? ", which is assumed\n" : "\n");
}

/// What share of the ops has no time, and which they are.
std::string describeUntimed(const Prediction &prediction) {
  int64_t count = 0;
  std::string names;
  for (const auto &[name, times] : prediction.untimed) {
    count += times;
    names += (names.empty() ? "" : ", ") + name +
             (times > 1 ? " x " + std::to_string(times) : "");
  }
  if (count == 0)
    return print("  untimed: none of %lld ops\n",
                 static_cast<long long>(prediction.ops));
  return print("  untimed: %lld of %lld ops (%.1f %%): ",
               static_cast<long long>(count),
               static_cast<long long>(prediction.ops),
               percent(double(count), double(prediction.ops))) +
         names + "\n";
}

} // namespace

std::string describeFlops(double flops) {
  static const char *const kUnits[] = {"GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  constexpr double kNextUnit = 999.9995; // which rounds to 1000
  double number = flops * 1e-9;
  size_t unit = 0;
  for (; number >= kNextUnit && unit + 1 < std::size(kUnits); ++unit)
    number /= 1000;
  return print("%.3f %s", number, kUnits[unit]);
}

std::string describeWholeWork(const RunResult &result) {
  constexpr double kLeastShown = 5e5; // 0.001 GFLOP, rounded
  if (result.host.flops < kLeastShown)
    return "";
  return ", and " + describeFlops(result.host.flops) +
         " on whole tensors, which every chip would do";
}

std::string describePrediction(const Program &program,
                               const RunResult &result) {
  const Prediction &prediction = *result.prediction;
  DeviceStatistics most;
  PredictedDevice load;
  for (size_t i = 0; i < result.devices.size(); ++i) {
    const DeviceStatistics &device = result.devices[i];
    most.bytesSent = std::max(most.bytesSent, device.bytesSent);
    most.peakBytes = std::max(most.peakBytes, device.peakBytes);
    most.flops = std::max(most.flops, device.flops);
    load.linkSeconds =
        std::max(load.linkSeconds, prediction.devices[i].linkSeconds);
    load.dramSeconds =
        std::max(load.dramSeconds, prediction.devices[i].dramSeconds);
  }
  const PredictedDevice &last = prediction.devices[prediction.lastDevice];
  std::string out = "@" + program.name() + " on " + prediction.machine +
                    ", mesh " + describe(program.mesh()) + ": " +
                    prediction.note + "\n";
  if (!prediction.chips.empty())
    out += "  " + describe(program.mesh()) + " of " + prediction.machine +
           ": " + prediction.chips + "\n";
  out +=
      print("  device %zu ends last: computes %s (%.1f %%), transfers exposed "
            "%s (%.1f %%), waits %s (%.1f %%)\n",
            prediction.lastDevice, time(last.computeSeconds).c_str(),
            percent(last.computeSeconds, result.seconds),
            time(last.exposedSeconds).c_str(),
            percent(last.exposedSeconds, result.seconds),
            time(last.waitingSeconds).c_str(),
            percent(last.waitingSeconds, result.seconds));
  if (!prediction.transfers.empty())
    out += "  transfers run " + prediction.transfers + "\n";
  out += print("  busiest link %.1f %% of the time, busiest DRAM %.1f %%\n",
               percent(load.linkSeconds, result.seconds),
               percent(load.dramSeconds, result.seconds));
  out += "  a device at most: " + machine::formatBytes(double(most.bytesSent)) +
         " sent, " + machine::formatBytes(double(most.peakBytes)) + " held" +
         ", " + describeFlops(most.flops) + describeWholeWork(result) + "\n";
  if (!prediction.fitsDram)
    out += "  does not fit: a chip has " +
           machine::formatBytes(double(prediction.dramBytes)) + " of DRAM\n";
  if (!prediction.fitsL1)
    out += "  does not fit: an attention's chunks take more L1 than there is\n";
  constexpr size_t kMostSteps = 40;
  if (!prediction.steps.empty())
    out += "  layer step  instruction      begin       time    exposed  "
           "utilisation  bound by\n";
  size_t step = 0;
  for (size_t i = 0; i < prediction.steps.size(); ++i) {
    const PredictedStep &one = prediction.steps[i];
    step = i > 0 && one.layer == prediction.steps[i - 1].layer ? step + 1 : 0;
    if (i >= kMostSteps)
      continue;
    out += print("  %5zu %4zu  %11zu %10s %10s %10s %10.1f %%  %s\n", one.layer,
                 step, one.instruction, time(one.begin).c_str(),
                 time(one.end - one.begin).c_str(),
                 time(one.exposedSeconds).c_str(), 100 * one.utilisation,
                 one.bound.c_str());
  }
  if (prediction.steps.size() > kMostSteps)
    out +=
        print("  and %zu steps more\n", prediction.steps.size() - kMostSteps);
  return out + describeHost(prediction.host) + describeUntimed(prediction);
}

} // namespace ring::rt
