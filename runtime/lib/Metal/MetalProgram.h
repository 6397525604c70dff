// SPDX-License-Identifier: Apache-2.0
//
// A device program on an open mesh: what TT-Metalium needs to launch it, for as
// long as this lives. TT-Metalium throws; whoever uses this catches.

#ifndef RING_RUNTIME_METAL_METALPROGRAM_H
#define RING_RUNTIME_METAL_METALPROGRAM_H

#include "ring-runtime/DeviceProgram.h"

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>

#include <memory>
#include <vector>

namespace ring::rt {

class MetalProgram {
public:
  using MeshDevice = tt::tt_metal::distributed::MeshDevice;
  using MeshBuffer = tt::tt_metal::distributed::MeshBuffer;
  using MeshCoordinate = tt::tt_metal::distributed::MeshCoordinate;

  /// Allocates the buffers and global semaphores, and makes one program for
  /// each device that has kernels.
  static Result<std::unique_ptr<MetalProgram>>
  make(const DeviceProgram &program, MeshDevice &mesh);

  /// Where a device of a program is on a mesh.
  static MeshCoordinate placeOf(uint32_t device, const MeshDevice &mesh);

  tt::tt_metal::distributed::MeshWorkload &workload() { return launched; }
  const std::shared_ptr<MeshBuffer> &buffer(size_t number) const {
    return buffers[number];
  }

  /// Whether a finished launch left the counters that other devices raise at 0,
  /// as the next one needs them.
  Status checkCounters() const;

private:
  MetalProgram(const DeviceProgram &program, MeshDevice &mesh)
      : program(program), mesh(mesh) {}

  void allocate();
  Status makeDevice(uint32_t number);
  Status makeSemaphores(const OneDevice &device);
  void makeCircularBuffers(const OneDevice &device);
  Status makeKernel(uint32_t device, const DeviceKernel &kernel);
  Status connect(uint32_t device, const KernelOnCore &share,
                 std::vector<uint32_t> &words);
  std::vector<uint32_t>
  wordsOf(const std::vector<DeviceArgument> &arguments) const;

  const DeviceProgram &program;
  MeshDevice &mesh;
  std::vector<std::shared_ptr<MeshBuffer>> buffers;
  std::vector<tt::tt_metal::GlobalSemaphore> semaphores;
  tt::tt_metal::Program current; ///< of the device that is being made
  tt::tt_metal::distributed::MeshWorkload launched;
};

} // namespace ring::rt

#endif // RING_RUNTIME_METAL_METALPROGRAM_H
