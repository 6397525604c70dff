// SPDX-License-Identifier: Apache-2.0
//
// Reductions.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"

#include <variant>

namespace standin {

using Dims =
    const std::optional<std::variant<int, int64_t, ttsl::SmallVector<int>>> &;

} // namespace standin

namespace ttnn {

Tensor
sum(const Tensor &input_tensor_arg, standin::Dims dim_arg = std::nullopt,
    bool keepdim = false, standin::Memory memory_config_arg = std::nullopt,
    const std::optional<DeviceComputeKernelConfig> &compute_kernel_config =
        std::nullopt,
    float scalar = 1.0f, bool correction = true,
    standin::Cores sub_core_grids = std::nullopt,
    standin::Stored output_layout = std::nullopt);
Tensor
mean(const Tensor &input_tensor_arg, standin::Dims dim_arg = std::nullopt,
     bool keepdim = false, standin::Memory memory_config_arg = std::nullopt,
     const std::optional<DeviceComputeKernelConfig> &compute_kernel_config =
         std::nullopt,
     float scalar = 1.0f, bool correction = true,
     standin::Cores sub_core_grids = std::nullopt,
     bool fast_and_approximate_mode = false,
     standin::Stored output_layout = std::nullopt);
Tensor
max(const Tensor &input_tensor_arg, standin::Dims dim_arg = std::nullopt,
    bool keepdim = false, standin::Memory memory_config_arg = std::nullopt,
    const std::optional<DeviceComputeKernelConfig> &compute_kernel_config =
        std::nullopt,
    float scalar = 1.0f, bool correction = true,
    standin::Cores sub_core_grids = std::nullopt,
    bool fast_and_approximate_mode = false);
Tensor
min(const Tensor &input_tensor_arg, standin::Dims dim_arg = std::nullopt,
    bool keepdim = false, standin::Memory memory_config_arg = std::nullopt,
    const std::optional<DeviceComputeKernelConfig> &compute_kernel_config =
        std::nullopt,
    float scalar = 1.0f, bool correction = true,
    standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
