// SPDX-License-Identifier: Apache-2.0
//
// Programs of a few devices, put next to each other on a larger mesh.

#include "ring-runtime/DeviceProgram.h"

namespace ring::rt {

Result<DeviceProgram>
sideBySide(const DeviceProgram &program,
           const std::vector<std::vector<uint32_t>> &groups, uint32_t devices) {
  DeviceProgram result = program;
  result.devices.assign(devices, {});
  std::vector<bool> taken(devices);
  for (const std::vector<uint32_t> &group : groups) {
    if (group.size() != program.devices.size())
      return error("expects groups of ", program.devices.size(),
                   " devices, but got one of ", group.size());
    for (uint32_t device : group) {
      if (device >= devices || taken[device])
        return error("expects every device below ", devices,
                     " at most once, but got ", device);
      taken[device] = true;
    }
    for (size_t d = 0; d < group.size(); ++d) {
      OneDevice &placed = result.devices[group[d]];
      placed = program.devices[d];
      for (DeviceKernel &kernel : placed.kernels)
        for (KernelOnCore &share : kernel.cores)
          for (FabricConnection &connection : share.connections) {
            if (connection.neighbour >= group.size())
              return error(kernel.source, ": expects a neighbour below ",
                           group.size(), ", but got ", connection.neighbour);
            connection.neighbour = group[connection.neighbour];
          }
    }
  }
  return result;
}

} // namespace ring::rt
