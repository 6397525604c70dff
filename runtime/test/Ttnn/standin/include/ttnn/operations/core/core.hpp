// SPDX-License-Identifier: Apache-2.0
//
// Between host and devices.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/to_dtype/to_dtype_op.hpp"
#include "ttnn/operations/core/to_layout/to_layout_op.hpp"
#include "ttnn/operations/core/to_memory_config/to_memory_config_op.hpp"
#include "ttnn/operations/data_movement/reshape_view/reshape.hpp"

namespace ttnn {
namespace operations::core {

Tensor to_device(const Tensor &tensor, MeshDevice *mesh_device,
                 standin::Memory memory_config,
                 std::optional<QueueId> queue_id = std::nullopt);
Tensor from_device(const Tensor &tensor, bool blocking = true,
                   std::optional<QueueId> queue_id = std::nullopt);
void deallocate(Tensor &tensor, bool force = true);

} // namespace operations::core

using operations::core::deallocate;
using operations::core::from_device;
using operations::core::to_device;

} // namespace ttnn
