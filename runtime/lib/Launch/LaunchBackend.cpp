// SPDX-License-Identifier: Apache-2.0
//
// A program with launches is cut at them: parts in between run on the CPU mesh,
// each launch as one device program.

#include "Launch/LaunchBackend.h"

#include "Launch/LaunchMemory.h"
#include "Launch/ProgramPart.h"
#include "Mesh/CpuBackend.h"
#include "ring-runtime/AttentionWork.h"
#include "ring-runtime/MetalMachine.h"
#include "ring-runtime/TileMachine.h"
#include "ring/Machine/Machine.h"

#include <algorithm>
#include <chrono>

namespace ring::rt {

namespace {

/// Adds what a part of the run cost to the whole.
void add(DeviceStatistics &whole, const DeviceStatistics &part) {
  whole.seconds += part.seconds;
  whole.busySeconds += part.busySeconds;
  whole.flops += part.flops;
  whole.bytesSent += part.bytesSent;
  whole.bytesReceived += part.bytesReceived;
  whole.peakBytes = std::max(whole.peakBytes, part.peakBytes);
  whole.scratchBytes = std::max(whole.scratchBytes, part.scratchBytes);
  whole.peakKeyValueBytes =
      std::max(whole.peakKeyValueBytes, part.peakKeyValueBytes);
  for (const auto &[name, op] : part.ops) {
    OpStatistics &sum = whole.ops[name];
    sum.count += op.count;
    sum.seconds += op.seconds;
    sum.flops += op.flops;
    sum.bytes += op.bytes;
  }
}

/// One run of a program on one machine.
class LaunchRun {
public:
  LaunchRun(const Program &program, LaunchMachine &machine,
            const RunOptions &options)
      : program(program), machine(machine), options(options) {
    result.devices.resize(program.deviceCount());
    result.roundsWeights = true;
  }

  Result<RunResult> run(const std::vector<PortTensors> &inputs);

private:
  Status runPart(size_t begin, size_t end);
  Status runLaunch(const Composite &launch);

  const Program &program;
  LaunchMachine &machine;
  const RunOptions &options;
  CpuBackend cpu;
  TensorsByValue tensors;
  RunResult result;
};

Status LaunchRun::runPart(size_t begin, size_t end) {
  if (begin == end)
    return Status::success();
  Result<ProgramPart> part = partOf(program, begin, end);
  if (!part)
    return part.status();
  std::vector<PortTensors> inputs;
  for (int32_t value : part->inputs)
    inputs.push_back(tensors.at(value));
  RunOptions own;
  own.deviceMemory = options.deviceMemory;
  own.threads = options.threads;
  Result<RunResult> ran = cpu.run(part->program, inputs, own);
  if (!ran)
    return ran.status();
  for (size_t i = 0; i < part->outputs.size(); ++i)
    tensors[part->outputs[i]] = std::move(ran->outputs[i]);
  result.seconds += ran->seconds;
  for (size_t device = 0; device < result.devices.size(); ++device)
    add(result.devices[device], ran->devices[device]);
  add(result.host, ran->host);
  return Status::success();
}

Status LaunchRun::runLaunch(const Composite &composite) {
  Result<LaunchDescription> launch = describeLaunch(program, composite);
  if (!launch)
    return launch.status();
  Result<AttentionProgram> attention =
      attentionProgram(launch->schedule, launch->sizes, launch->options);
  if (!attention)
    return attention.status().in(kLaunchName);
  Result<DeviceProgram> placed =
      sideBySide(attention->program, launch->rings,
                 static_cast<uint32_t>(program.deviceCount()));
  if (!placed)
    return placed.status().in(kLaunchName);
  const DeviceProgram &mesh = *placed;
  const auto bytesOf = [&](uint32_t buffer) {
    return int64_t{mesh.buffers[buffer].pageBytes} * mesh.buffers[buffer].pages;
  };
  int64_t bytes = 0, keyValueBytes = 0;
  for (uint32_t buffer = 0; buffer < mesh.buffers.size(); ++buffer)
    bytes += bytesOf(buffer);
  if (options.deviceMemory && bytes > options.deviceMemory)
    return Status::outOfMemory({kLaunchName, bytes, 0, options.deviceMemory});
  MeshMemory memory = makeMemory(mesh);
  const std::vector<uint32_t> written =
      writeInputs(*launch, *attention, tensors, memory);

  const auto start = std::chrono::steady_clock::now();
  if (Status status =
          machine.run(program.mesh(), mesh, memory, written, options);
      !status)
    return status.in(kLaunchName);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  result.seconds += seconds;
  for (const auto *stores : {&attention->keys, &attention->values})
    for (uint32_t buffer : *stores)
      keyValueBytes += bytesOf(buffer);
  const std::vector<DeviceWork> works = workOf(*attention, launch->options);
  for (const std::vector<uint32_t> &ring : launch->rings)
    for (size_t rank = 0; rank < ring.size(); ++rank) {
      const AttentionWork &work = works[rank].all;
      DeviceStatistics own;
      own.seconds = own.busySeconds = seconds;
      own.peakBytes = bytes;
      own.peakKeyValueBytes = keyValueBytes;
      own.bytesSent = static_cast<int64_t>(work.fabricBytes);
      own.bytesReceived = static_cast<int64_t>(work.arrivedBytes);
      own.flops = machine::kTileProductFlops * double(work.products());
      own.ops[kLaunchName] = {1, seconds, own.flops,
                              static_cast<int64_t>(work.dramBytes)};
      add(result.devices[ring[rank]], own);
    }
  return readOutputs(*launch, *attention, memory, program, tensors);
}

Result<RunResult> LaunchRun::run(const std::vector<PortTensors> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors[program.inputs()[i].value] = inputs[i];
  size_t next = 0;
  for (const Composite &composite : program.composites()) {
    if (composite.name != kLaunchName)
      continue;
    if (Status status = runPart(next, composite.first); !status)
      return status;
    if (Status status = runLaunch(composite); !status)
      return status;
    next = composite.first + composite.count;
    if (options.progress)
      options.progress(static_cast<int64_t>(next),
                       static_cast<int64_t>(program.instructions().size()));
  }
  if (next == 0)
    return error("expects a program with launches, which the pipeline's "
                 "target=launch makes, but got none");
  if (Status status = runPart(next, program.instructions().size()); !status)
    return status;
  for (const Port &port : program.outputs())
    result.outputs.push_back(tensors.at(port.value));
  return std::move(result);
}

class TileLaunchMachine final : public LaunchMachine {
public:
  Status run(const Shape &, const DeviceProgram &program, MeshMemory &memory,
             const std::vector<uint32_t> &inputs,
             const RunOptions &options) override {
    TileOptions own;
    own.seed = options.interleaving;
    TileResult result = runOnTiles(program, memory, inputs, own);
    return result.passed() ? Status::success() : Status::failure(result.fault);
  }
};

/// Devices, or Tenstorrent's simulator, by way of TT-Metalium. The mesh stays
/// open from one launch to the next.
class MetalLaunchMachine final : public LaunchMachine {
public:
  Status run(const Shape &shape, const DeviceProgram &program,
             MeshMemory &memory, const std::vector<uint32_t> &inputs,
             const RunOptions &) override {
    uint32_t rows = 1;
    const auto columns =
        static_cast<uint32_t>(shape.empty() ? 1 : shape.back());
    for (size_t i = 0; i + 1 < shape.size(); ++i)
      rows *= static_cast<uint32_t>(shape[i]);
    if (!mesh || mesh->rows() != rows || mesh->columns() != columns) {
      mesh.reset();
      // More chips than a T3000 has are a torus.
      Result<std::unique_ptr<MetalMachine>> opened =
          MetalMachine::open(rows, columns, /*wraps=*/rows * columns > 8);
      if (!opened)
        return opened.status();
      mesh = std::move(*opened);
    }
    Result<MetalResult> ran = mesh->run(program, memory, inputs);
    return ran ? Status::success() : ran.status();
  }

private:
  std::unique_ptr<MetalMachine> mesh;
};

} // namespace

std::unique_ptr<LaunchMachine> makeMetalLaunchMachine() {
  return std::make_unique<MetalLaunchMachine>();
}

std::unique_ptr<LaunchMachine> makeTileLaunchMachine() {
  return std::make_unique<TileLaunchMachine>();
}

Result<RunResult> LaunchBackend::run(const Program &program,
                                     const std::vector<PortTensors> &inputs,
                                     const RunOptions &options) {
  return LaunchRun(program, *machine, options).run(inputs);
}

} // namespace ring::rt
