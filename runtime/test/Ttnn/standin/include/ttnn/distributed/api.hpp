// SPDX-License-Identifier: Apache-2.0
//
// Opening a mesh, and tensors of one shard a device.

#pragma once

#include "ttnn/distributed/types.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::distributed {

std::shared_ptr<MeshDevice>
open_mesh_device(const MeshShape &mesh_shape, size_t l1_small_size,
                 size_t trace_region_size, size_t num_command_queues,
                 const tt::tt_metal::DispatchCoreConfig &dispatch_core_config,
                 const std::optional<MeshCoordinate> &offset = std::nullopt,
                 const std::vector<int> &physical_device_ids = {},
                 size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

std::shared_ptr<MeshDevice>
open_mesh_device(size_t l1_small_size, size_t trace_region_size,
                 size_t num_command_queues,
                 const tt::tt_metal::DispatchCoreConfig &dispatch_core_config,
                 const std::optional<MeshShape> &mesh_shape,
                 const std::optional<MeshCoordinate> &offset = std::nullopt,
                 const std::vector<int> &physical_device_ids = {},
                 size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

void close_mesh_device(const std::shared_ptr<MeshDevice> &mesh_device);

std::vector<Tensor> get_device_tensors(const Tensor &tensor);
Tensor from_host_shards(const std::vector<Tensor> &tensor_shards,
                        const MeshShape &mesh_shape, int shard_dim = 0);
Tensor combine_device_tensors(const std::vector<Tensor> &tensor_shards,
                              int shard_dim = 0);

} // namespace ttnn::distributed
