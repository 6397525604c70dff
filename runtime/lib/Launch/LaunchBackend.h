// SPDX-License-Identifier: Apache-2.0
//
// Runs launches on kernels of our own, and all else on the CPU mesh.

#ifndef RING_RUNTIME_LAUNCH_LAUNCHBACKEND_H
#define RING_RUNTIME_LAUNCH_LAUNCHBACKEND_H

#include "ring-runtime/DeviceMemory.h"
#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Something that kernels run on.
class LaunchMachine {
public:
  virtual ~LaunchMachine() = default;
  /// Runs a program of all devices of a mesh once: the buffers of `inputs` are
  /// written before, all are read back.
  virtual Status run(const Shape &mesh, const DeviceProgram &program,
                     MeshMemory &memory, const std::vector<uint32_t> &inputs,
                     const RunOptions &options) = 0;
};

/// Kernels on the host, tile by tile.
std::unique_ptr<LaunchMachine> makeTileLaunchMachine();
/// Devices, or a simulator of them.
std::unique_ptr<LaunchMachine> makeMetalLaunchMachine();

class LaunchBackend final : public Backend {
public:
  explicit LaunchBackend(std::unique_ptr<LaunchMachine> machine)
      : machine(std::move(machine)) {}

  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override;

private:
  std::unique_ptr<LaunchMachine> machine;
};

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCH_LAUNCHBACKEND_H
