// SPDX-License-Identifier: Apache-2.0
//
// Whether a device program keeps to the limits of chip and fabric.

#include "ring-runtime/DeviceProgram.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ring::rt {

namespace {

bool has(const std::vector<DeviceCore> &cores, DeviceCore core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

/// How many of the device's semaphores a core has.
size_t semaphoresOf(const OneDevice &device, DeviceCore core) {
  return std::count_if(
      device.semaphores.begin(), device.semaphores.end(),
      [&](const LocalSemaphore &one) { return has(one.cores, core); });
}

size_t wordsOf(const std::vector<DeviceArgument> &arguments) {
  size_t words = 0;
  for (const DeviceArgument &argument : arguments)
    words += argument.kind == DeviceArgument::Kind::BufferAccessor
                 ? kAccessorWords
                 : 1;
  return words;
}

Status verifyArguments(const DeviceProgram &program,
                       const std::vector<DeviceArgument> &arguments,
                       const DeviceKernel &kernel, const ChipLimits &limits,
                       size_t devicesSemaphores) {
  if (wordsOf(arguments) > limits.arguments)
    return error(kernel.source, ": expects at most ", limits.arguments,
                 " arguments, but got ", wordsOf(arguments));
  for (const DeviceArgument &argument : arguments) {
    using Kind = DeviceArgument::Kind;
    const bool isBuffer = argument.kind == Kind::BufferAddress ||
                          argument.kind == Kind::BufferAccessor;
    if (isBuffer && argument.value >= program.buffers.size())
      return error(kernel.source, ": expects a buffer below ",
                   program.buffers.size(), ", but got ", argument.value);
    if (argument.kind == Kind::GlobalSemaphore &&
        argument.value >= program.globalSemaphores.size())
      return error(kernel.source, ": expects a global semaphore below ",
                   program.globalSemaphores.size(), ", but got ",
                   argument.value);
    if (argument.kind == Kind::LocalSemaphore &&
        argument.value >= devicesSemaphores)
      return error(kernel.source, ": expects a semaphore below ",
                   devicesSemaphores, ", but got ", argument.value);
  }
  return Status::success();
}

Status verifyDevice(const DeviceProgram &program, uint32_t number,
                    const ChipLimits &limits) {
  const OneDevice &device = program.devices[number];
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::string> processors;
  std::map<std::pair<uint32_t, uint32_t>, std::string> routers;
  for (const CircularBuffer &buffer : device.circularBuffers)
    if (buffer.index >= limits.circularBuffers || !buffer.pages)
      return error("expects circular buffers below ", limits.circularBuffers,
                   " with at least one page, but got number ", buffer.index,
                   " with ", buffer.pages);
  for (const DeviceKernel &kernel : device.kernels) {
    if (Status status = verifyArguments(program, kernel.common, kernel, limits,
                                        device.semaphores.size());
        !status)
      return status;
    for (const KernelOnCore &share : kernel.cores) {
      if (Status status = verifyArguments(program, share.arguments, kernel,
                                          limits, device.semaphores.size());
          !status)
        return status;
      const std::string &other = processors[{
          share.core.x, share.core.y, static_cast<uint32_t>(kernel.processor)}];
      if (!other.empty())
        return error("expects one kernel on each processor, but ",
                     kernel.source, " and ", other, " share one of core ",
                     share.core.x, "-", share.core.y);
      processors[{share.core.x, share.core.y,
                  static_cast<uint32_t>(kernel.processor)}] = kernel.source;
      for (const FabricConnection &connection : share.connections) {
        if (connection.neighbour >= program.devices.size())
          return error(kernel.source, ": expects a neighbour below ",
                       program.devices.size(), ", but got ",
                       connection.neighbour);
        std::string &taken = routers[{connection.neighbour, connection.link}];
        if (!taken.empty())
          return error("expects one worker for each router, but ", taken,
                       " and ", kernel.source, " both connect to device ",
                       connection.neighbour, " by link ", connection.link);
        taken = kernel.source;
      }
      const size_t semaphores =
          semaphoresOf(device, share.core) +
          share.connections.size() * limits.connectionSemaphores;
      if (semaphores > limits.semaphores)
        return error("expects at most ", limits.semaphores,
                     " semaphores on core ", share.core.x, "-", share.core.y,
                     ", but got ", semaphores);
      const uint64_t bytes = l1BytesOf(program, device, share.core, limits);
      if (bytes > limits.l1Bytes)
        return error("expects at most ", limits.l1Bytes,
                     " bytes of L1 on core ", share.core.x, "-", share.core.y,
                     ", but circular buffers, semaphores and what is reserved "
                     "take ",
                     bytes);
    }
  }
  return Status::success();
}

} // namespace

uint64_t l1BytesOf(const DeviceProgram &program, const OneDevice &device,
                   DeviceCore core, const ChipLimits &limits) {
  uint64_t bytes = limits.reservedL1;
  for (const CircularBuffer &buffer : device.circularBuffers)
    if (has(buffer.cores, core))
      bytes += uint64_t{buffer.pages} * tileBytes(buffer.format);
  return bytes +
         16 * (device.semaphores.size() + program.globalSemaphores.size());
}

Status verify(const DeviceProgram &program, const ChipLimits &limits) {
  for (const DeviceBuffer &buffer : program.buffers)
    if (!buffer.pageBytes || !buffer.pages || buffer.pageBytes % 32)
      return error("expects pages of a multiple of 32 bytes in buffer \"",
                   buffer.name, "\", but got ", buffer.pages, " of ",
                   buffer.pageBytes);
  for (uint32_t device = 0; device < program.devices.size(); ++device)
    if (Status status = verifyDevice(program, device, limits); !status)
      return status.in("device " + std::to_string(device));
  return Status::success();
}

} // namespace ring::rt
