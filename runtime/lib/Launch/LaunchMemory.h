// SPDX-License-Identifier: Apache-2.0
//
// Tensors as pages in the devices' memory, and back.

#ifndef RING_RUNTIME_LAUNCH_LAUNCHMEMORY_H
#define RING_RUNTIME_LAUNCH_LAUNCHMEMORY_H

#include "ring-runtime/DeviceMemory.h"
#include "ring-runtime/LaunchDescription.h"
#include "ring-runtime/Runtime.h"

#include <map>

namespace ring::rt {

/// Tensors of a program by the number of their value.
using TensorsByValue = std::map<int32_t, PortTensors>;

/// Writes what a launch takes; gives the buffers that were written.
std::vector<uint32_t> writeInputs(const LaunchDescription &launch,
                                  const AttentionProgram &program,
                                  const TensorsByValue &tensors,
                                  MeshMemory &memory);

/// Reads what a launch gives: output and log-sum-exps.
Status readOutputs(const LaunchDescription &launch,
                   const AttentionProgram &program, const MeshMemory &memory,
                   const Program &types, TensorsByValue &tensors);

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCH_LAUNCHMEMORY_H
