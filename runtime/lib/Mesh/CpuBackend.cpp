// SPDX-License-Identifier: Apache-2.0
//
// Sets a mesh up, runs it, and collects what it gives.

#include "Mesh/CpuBackend.h"

#include "Mesh/DeviceStream.h"

#include <algorithm>
#include <thread>

namespace ring::rt {

MeshRun::MeshRun(const Program &program, int threads, const RunOptions &options)
    : program(program), options(options), scheduler(threads),
      board(program.instructions().size(), program.deviceCount() + 1,
            [this](size_t stream) { scheduler.wake(stream); }),
      start(std::chrono::steady_clock::now()), sent(program.deviceCount() + 1),
      received(program.deviceCount() + 1) {
  for (const Instruction &step : program.instructions())
    ops.push_back(opTable().find(step.op));
}

void MeshRun::countTransfer(int64_t source, int64_t target, int64_t bytes) {
  if (source == target)
    return;
  sent[source] += bytes;
  received[target] += bytes;
}

StorageRef MeshRun::once(size_t index,
                         const std::function<StorageRef()> &make) {
  std::lock_guard<std::mutex> lock(onceMutex);
  StorageRef &storage = made[index];
  if (!storage)
    storage = make();
  return storage;
}

double MeshRun::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void MeshRun::countDone() {
  int64_t finished = ++done;
  if (!options.progress)
    return;
  constexpr double kSecondsBetween = 0.2;
  std::lock_guard<std::mutex> lock(progressMutex);
  if (now() - lastProgress < kSecondsBetween && finished != all)
    return;
  lastProgress = now();
  options.progress(finished, all);
}

Result<RunResult> CpuBackend::run(const Program &program,
                                  const std::vector<PortTensors> &inputs,
                                  const RunOptions &options) {
  int threads = options.threads;
  if (threads <= 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  MeshRun mesh(program, threads, options);
  int64_t devices = program.deviceCount();
  std::vector<std::unique_ptr<DeviceStream>> streams;
  std::vector<Stream *> pointers;
  for (int64_t i = 0; i <= devices; ++i) {
    int64_t limit = i < devices ? options.deviceMemory : 0;
    streams.push_back(std::make_unique<DeviceStream>(mesh, i, limit));
    pointers.push_back(streams.back().get());
    for (size_t step = 0; step < program.instructions().size(); ++step)
      mesh.all += streams.back()->takesPart(step);
  }
  for (size_t port = 0; port < inputs.size(); ++port) {
    int32_t value = program.inputs()[port].value;
    bool whole = program.values()[value].placement == Placement::Whole;
    for (size_t i = 0; i < inputs[port].size(); ++i) {
      DeviceStream &stream = *streams[whole ? devices : i];
      Status status =
          stream.bind(value, Storage::wrap(inputs[port][i].shared()));
      if (!status)
        return status;
    }
  }

  mesh.start = std::chrono::steady_clock::now();
  if (Status status = mesh.scheduler.run(pointers); !status)
    return status;

  RunResult result;
  result.seconds = mesh.now();
  for (const Port &port : program.outputs()) {
    const ValueType &type = program.values()[port.value];
    bool whole = type.placement == Placement::Whole;
    PortTensors tensors;
    for (int64_t i = whole ? devices : 0; i < (whole ? devices + 1 : devices);
         ++i)
      tensors.push_back(Tensor::share(
          type.element, type.shape, streams[i]->valueOf(port.value)->share()));
    result.outputs.push_back(std::move(tensors));
  }
  for (int64_t i = 0; i <= devices; ++i) {
    DeviceStatistics statistics = streams[i]->takeStatistics();
    std::vector<TraceEvent> trace = streams[i]->takeTrace();
    result.trace.insert(result.trace.end(), trace.begin(), trace.end());
    if (i < devices)
      result.devices.push_back(std::move(statistics));
    else
      result.host = std::move(statistics);
  }
  return result;
}

} // namespace ring::rt
