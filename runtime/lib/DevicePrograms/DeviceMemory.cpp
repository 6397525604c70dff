// SPDX-License-Identifier: Apache-2.0

#include "ring-runtime/DeviceMemory.h"

namespace ring::rt {

MeshMemory makeMemory(const DeviceProgram &program) {
  MeshMemory memory(program.devices.size());
  for (auto &device : memory)
    for (const DeviceBuffer &buffer : program.buffers)
      device.emplace_back(size_t{buffer.pageBytes} * buffer.pages, 0xff);
  return memory;
}

Status verifyMemory(const DeviceProgram &program, const MeshMemory &memory,
                    const std::vector<uint32_t> &inputs) {
  if (memory.size() != program.devices.size())
    return error("expects memory of ", program.devices.size(),
                 " devices, but got that of ", memory.size());
  for (const auto &device : memory) {
    if (device.size() != program.buffers.size())
      return error("expects ", program.buffers.size(),
                   " buffers on every device, but got ", device.size());
    for (size_t i = 0; i < device.size(); ++i) {
      const DeviceBuffer &buffer = program.buffers[i];
      const uint64_t bytes = uint64_t{buffer.pageBytes} * buffer.pages;
      if (device[i].size() != bytes)
        return error("expects ", bytes, " bytes in buffer \"", buffer.name,
                     "\", but got ", device[i].size());
    }
  }
  for (uint32_t input : inputs)
    if (input >= program.buffers.size())
      return error("expects inputs below ", program.buffers.size(),
                   ", but got ", input);
  return Status::success();
}

} // namespace ring::rt
