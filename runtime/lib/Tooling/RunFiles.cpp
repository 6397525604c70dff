// SPDX-License-Identifier: Apache-2.0
//
// What goes into a run and what comes out of it: inputs, the truth that results
// are judged by, a summary, files.

#include "Sim/FlopsText.h"
#include "ring-runtime/Tooling.h"
#include "ring/Machine/Bytes.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace ring::rt::tooling {

Status checkHostMemory(const Program &program, const Settings &settings) {
  if (settings.run.backend == "sim")
    return Status::success();
  double needed = 0;
  for (const std::vector<Port> &ports : {program.inputs(), program.outputs()})
    for (const Port &port : ports) {
      const ValueType &type = program.values()[port.value];
      int64_t count =
          type.placement == Placement::Whole ? 1 : program.deviceCount();
      needed += static_cast<double>(heldBytes(type)) * double(count);
    }
  double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<double>(sysconf(_SC_PAGESIZE));
  if (there <= 0 || needed <= there)
    return Status::success();
  return error("expects a machine with ", machine::formatBytes(needed),
               " of memory for the inputs and outputs of @", program.name(),
               ", but this one has ", machine::formatBytes(there),
               "; --backend=sim predicts without them");
}

Result<std::vector<PortTensors>> makeInputs(const Program &program,
                                            const Settings &settings) {
  if (settings.run.backend == "sim")
    return std::vector<PortTensors>();
  if (settings.inputs.size() > program.inputs().size())
    return error("expects at most ", program.inputs().size(),
                 " input files, but got ", settings.inputs.size());
  Result<std::vector<PortTensors>> inputs =
      generateInputs(program, settings.seed, settings.distribution);
  if (!inputs)
    return inputs;
  for (size_t i = 0; i < settings.inputs.size(); ++i) {
    const ValueType &type = program.values()[program.inputs()[i].value];
    Result<Tensor> tensor = readNpy(settings.inputs[i], type.element);
    if (!tensor)
      return tensor.status();
    if (type.placement == Placement::Whole) {
      (*inputs)[i] = {*tensor};
      continue;
    }
    Result<PortTensors> shards = unstack(*tensor, program.deviceCount());
    if (!shards)
      return shards.status().in("cannot use '" + settings.inputs[i] + "'");
    (*inputs)[i] = *shards;
  }
  if (Status status = checkInputs(program, *inputs); !status)
    return status;
  return inputs;
}

Status checkOutputs(const Program &program, const Settings &settings) {
  if (settings.outputs.size() > program.outputs().size())
    return error("expects at most ", program.outputs().size(),
                 " output files, but got ", settings.outputs.size());
  return Status::success();
}

/// Operations in words: 3.5e+13 FLOP.
static std::string describeWork(double flops) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2g FLOP", flops);
  return text;
}

namespace {

/// What is worth a line: work that takes longer. With fewer operations nothing
/// takes as long, and no trial is run.
struct LongWork {
  double seconds, flops;
};
constexpr LongWork kToSomebody = {2, 1e9};
/// A log hears of what its reader would take for a program that hangs.
constexpr LongWork kToALog = {60, 1e11};

const LongWork &longWork(const Progress &progress) {
  return progress.isShown() ? kToSomebody : kToALog;
}

} // namespace

void beginRun(const Program &program, const Settings &settings,
              Progress &progress) {
  // Counting the work of a thousand devices is work, too.
  if (!progress.isShown() && settings.run.backend == "sim")
    return;
  const LongWork &least = longWork(progress);
  ProgramWork work = workOf(program);
  work.flops *= settings.run.repeat;
  double seconds = 0;
  bool reference = settings.run.backend == "reference";
  bool known = reference || settings.run.backend == "cpu";
  if (known && work.flops > least.flops)
    seconds = reference ? estimateReference(work)
                        : estimateRun(work, settings.run.threads);
  if (settings.run.backend != "sim" &&
      (settings.progress || seconds > least.seconds))
    progress.say("@" + program.name() + ": " + describeWork(work.flops) + ", " +
                 machine::formatBytes(work.bytes * settings.run.repeat) +
                 " read and written by " +
                 std::to_string(program.instructions().size()) +
                 " instructions" +
                 (seconds > 0 ? ", about " + describeDuration(seconds) +
                                    " here by the speed of a trial"
                              : ""));
  progress.begin(settings.run.backend == "sim" ? "simulates" : "runs", seconds);
}

/// The same for the reference.
static void beginReference(const Program &meaning, const RowSample &sample,
                           Progress &progress) {
  const LongWork &least = longWork(progress);
  ProgramWork work = workOf(meaning);
  work.flops *= sampledShare(meaning, sample);
  double seconds = work.flops > least.flops ? estimateReference(work) : 0;
  if (seconds > least.seconds)
    progress.say(
        "computes " + describeWork(work.flops) +
        " in double precision to check by, about " + describeDuration(seconds) +
        (sample.isAll() ? "; --check=rows:64 would judge a sample" : ""));
  progress.begin("computes what is meant in double precision", seconds);
}

Status checkMeaning(const Program &program, const Program &meaning,
                    const std::vector<PortTensors> &inputs) {
  if (Status status = checkInputs(meaning, inputs); !status)
    return status;
  if (program.outputs().size() != meaning.outputs().size())
    return error("expects ", meaning.outputs().size(), " outputs, but got ",
                 program.outputs().size());
  for (size_t i = 0; i < program.outputs().size(); ++i) {
    const ValueType &type = program.values()[program.outputs()[i].value];
    const ValueType &meant = meaning.values()[meaning.outputs()[i].value];
    if (type != meant)
      return error("expects output ", i, " to be ", describe(meant),
                   ", but got ", describe(type));
  }
  return Status::success();
}

Result<Truth> findTruth(const Program &program, const Program &meaning,
                        const std::vector<PortTensors> &inputs,
                        const RowSample &sample, Progress *progress) {
  if (Status status = checkMeaning(program, meaning, inputs); !status)
    return status;
  std::function<void(int64_t, int64_t)> advance;
  if (progress) {
    beginReference(meaning, sample, *progress);
    advance = progress->callback();
  }
  Result<PortNumbers> outputs = runReference(meaning, inputs, advance, sample);
  if (progress)
    progress->end();
  if (!outputs)
    return outputs.status();
  return Truth{meaning, std::move(*outputs)};
}

std::string summaryOf(const Program &program, const RunResult &result) {
  if (result.prediction)
    return describePrediction(program, result);
  DeviceStatistics most;
  for (const DeviceStatistics &device : result.devices) {
    most.bytesSent = std::max(most.bytesSent, device.bytesSent);
    most.peakBytes = std::max(most.peakBytes, device.peakBytes);
    most.flops = std::max(most.flops, device.flops);
  }
  size_t steps = program.instructions().size();
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.3f", result.seconds);
  std::string text = "@" + program.name() + " on " + describe(program.mesh()) +
                     " (" + std::to_string(program.deviceCount()) + " device" +
                     (program.deviceCount() == 1 ? "" : "s") +
                     "): " + std::to_string(steps) + " instruction" +
                     (steps == 1 ? "" : "s") + " in " + seconds + " s\n";
  if (!result.devices.empty())
    text += "a device at most: " + machine::formatBytes(most.bytesSent) +
            " sent, " + machine::formatBytes(most.peakBytes) + " held, " +
            describeFlops(most.flops) + describeWholeWork(result) + "\n";
  return text;
}

Report makeReport(const Program &program, const RunResult &result,
                  const RunOptions &options) {
  Report page = ring::rt::makeReport(program, result);
  if (options.deviceMemory > 0)
    page.memoryLimit = options.deviceMemory;
  if (options.backend == "cpu")
    page.threads = options.threads > 0
                       ? options.threads
                       : static_cast<int>(std::thread::hardware_concurrency());
  return page;
}

Status writeResults(const Settings &settings, const Program &program,
                    const RunResult &result,
                    const std::function<void(Report &)> &addSections) {
  for (size_t i = 0; i < settings.outputs.size(); ++i) {
    const ValueType &type = program.values()[program.outputs()[i].value];
    Result<Tensor> tensor = type.placement == Placement::Whole
                                ? Result<Tensor>(result.outputs[i][0])
                                : stack(result.outputs[i]);
    if (!tensor)
      return tensor.status();
    if (Status status = writeNpy(settings.outputs[i], *tensor); !status)
      return status;
  }
  if (!settings.statistics.empty())
    if (Status status = writeStatistics(settings.statistics, program, result);
        !status)
      return status;
  if (!settings.trace.empty())
    if (Status status = writeTrace(settings.trace, program, result); !status)
      return status;
  if (settings.report.empty())
    return Status::success();
  Report page = makeReport(program, result, settings.run);
  if (addSections)
    addSections(page);
  return writeReport(settings.report, page);
}

} // namespace ring::rt::tooling
