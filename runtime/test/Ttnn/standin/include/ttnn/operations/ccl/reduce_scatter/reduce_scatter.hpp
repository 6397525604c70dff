// SPDX-License-Identifier: Apache-2.0
//
// The own share of the sum of all ranks.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/ccl/ccl_host_types.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"

namespace ttnn {

Tensor reduce_scatter(
    const Tensor &input_tensor, int32_t dim,
    std::optional<uint32_t> cluster_axis = std::nullopt,
    standin::SubDevice subdevice_id = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    standin::Memory intermediate_memory_config = std::nullopt,
    standin::MaybeTensor optional_output_tensor = std::nullopt,
    std::optional<uint32_t> num_links = std::nullopt,
    std::optional<tt::tt_fabric::Topology> topology = std::nullopt,
    std::optional<uint32_t> chunks_per_sync = std::nullopt,
    std::optional<uint32_t> num_workers_per_link = std::nullopt,
    std::optional<uint32_t> num_buffers_per_channel = std::nullopt,
    const std::optional<DeviceComputeKernelConfig> &compute_kernel_config =
        std::nullopt,
    bool use_l1_small_for_semaphores = false);

} // namespace ttnn
