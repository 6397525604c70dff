// SPDX-License-Identifier: Apache-2.0
//
// Between the host and the devices: one tensor for each device on one side, one
// tensor of tt-metal over the mesh on the other.

#ifndef RING_RUNTIME_TTNN_TTNNTRANSFER_H
#define RING_RUNTIME_TTNN_TTNNTRANSFER_H

#include "Ttnn/TtnnMesh.h"
#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Sends a shard to each device.
Result<::ttnn::Tensor> send(OpenMesh &mesh, const PortTensors &shards);

/// Fetches the shards of all devices, in a type of the program.
Result<PortTensors> fetch(const ::ttnn::Tensor &tensor, const ValueType &type);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNTRANSFER_H
