// SPDX-License-Identifier: Apache-2.0
//
// A mesh of virtual devices in one process.

#ifndef RING_RUNTIME_MESH_CPUBACKEND_H
#define RING_RUNTIME_MESH_CPUBACKEND_H

#include "Memory/MemoryPool.h"
#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Every device is a stream of instructions with memory of its own; one pool of
/// threads runs them all.
class CpuBackend final : public Backend {
public:
  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override;

private:
  /// Of one run for the next.
  std::shared_ptr<MemoryPool> pool = MemoryPool::make();
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_CPUBACKEND_H
