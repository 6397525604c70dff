// SPDX-License-Identifier: Apache-2.0
//
// DRAM of the devices of a mesh, as the host sees it: what it writes before a
// device program runs, and what it reads afterwards. Whoever executes programs
// takes memory in this form.

#ifndef RING_RUNTIME_DEVICEMEMORY_H
#define RING_RUNTIME_DEVICEMEMORY_H

#include "ring-runtime/DeviceProgram.h"

#include <cstdint>
#include <vector>

namespace ring::rt {

/// The pages of one buffer on one device.
using PageBytes = std::vector<uint8_t>;

/// DRAM of all devices: `memory[device][buffer]`.
using MeshMemory = std::vector<std::vector<PageBytes>>;

/// Memory of the right size. What the host writes is given to whoever runs the
/// program, buffer by buffer; nothing else may be read before it was written.
MeshMemory makeMemory(const DeviceProgram &program);

/// Whether memory has the devices, buffers and bytes of a program, and inputs
/// are buffers of it.
Status verifyMemory(const DeviceProgram &program, const MeshMemory &memory,
                    const std::vector<uint32_t> &inputs);

} // namespace ring::rt

#endif // RING_RUNTIME_DEVICEMEMORY_H
