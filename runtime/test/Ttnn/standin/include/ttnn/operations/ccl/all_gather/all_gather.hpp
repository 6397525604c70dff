// SPDX-License-Identifier: Apache-2.0
//
// Shards of all ranks on every rank. What follows `sub_core_grid` goes away.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/ccl/ccl_host_types.hpp"

namespace ttnn {

Tensor
all_gather(const Tensor &input_tensor, int32_t dim,
           std::optional<uint32_t> cluster_axis = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor persistent_output_tensor = std::nullopt,
           standin::SubDevice subdevice_id = std::nullopt,
           standin::Cores sub_core_grid = std::nullopt,
           std::optional<uint32_t> num_links = std::nullopt,
           std::optional<tt::tt_fabric::Topology> topology = std::nullopt,
           std::optional<uint32_t> chunks_per_sync = std::nullopt,
           std::optional<uint32_t> num_workers_per_link = std::nullopt,
           std::optional<uint32_t> num_buffers_per_channel = std::nullopt,
           bool use_l1_small_for_semaphores = false);

} // namespace ttnn
