// SPDX-License-Identifier: Apache-2.0
//
// Runs a whole mesh in this process and collects what it gives.

#include "Mesh/CpuBackend.h"

#include "Mesh/LocalStreams.h"

#include <thread>

namespace ring::rt {

Result<RunResult> CpuBackend::run(const Program &program,
                                  const std::vector<PortTensors> &inputs,
                                  const RunOptions &options) {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<int64_t> all = holdersOf(program, Placement::Local);
  all.push_back(program.deviceCount());
  MeshRun mesh(program, threadsOr(options, cores), options, all,
               /*carrier=*/nullptr, pool);
  LocalStreams streams(mesh);
  if (Status status = streams.bind(inputs); !status)
    return status;
  if (Status status = streams.run(); !status)
    return status;

  RunResult result;
  result.seconds = mesh.now();
  result.links = mesh.linkLoads();
  for (const Port &port : program.outputs()) {
    Placement placement = program.values()[port.value].placement;
    PortTensors tensors;
    for (int64_t stream : holdersOf(program, placement))
      tensors.push_back(streams.tensorOf(stream, port.value));
    result.outputs.push_back(std::move(tensors));
  }
  for (int64_t stream : all) {
    DeviceStatistics statistics = streams.at(stream).takeStatistics();
    std::vector<TraceEvent> trace = streams.at(stream).takeTrace();
    result.trace.insert(result.trace.end(), trace.begin(), trace.end());
    if (stream < program.deviceCount())
      result.devices.push_back(std::move(statistics));
    else
      result.host = std::move(statistics);
  }
  return result;
}

} // namespace ring::rt
