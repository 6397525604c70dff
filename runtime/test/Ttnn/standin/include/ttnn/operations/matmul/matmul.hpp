// SPDX-License-Identifier: Apache-2.0
//
// Matrix products.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/operations/eltwise/unary/common/unary_op_types.hpp"
#include "ttnn/operations/matmul/device/config/matmul_program_config_types.hpp"
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/tile.hpp>

#include <string>

namespace ttnn {

using ttnn::operations::unary::UnaryWithParam;
using Activation = std::variant<std::string, UnaryWithParam>;

namespace operations::matmul {

Tensor matmul(
    const Tensor &input_tensor_a, const Tensor &input_tensor_b,
    bool transpose_a = false, bool transpose_b = false,
    standin::ConstMemory memory_config = std::nullopt,
    standin::ConstType dtype = std::nullopt,
    const std::optional<const MatmulProgramConfig> &program_config =
        std::nullopt,
    const std::optional<const Activation> &activation = std::nullopt,
    std::optional<const DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<const CoreGrid> core_grid = std::nullopt,
    const std::optional<const tt::tt_metal::Tile> &output_tile = std::nullopt,
    std::optional<Tensor> optional_output_tensor = std::nullopt,
    const std::optional<const tt::tt_metal::experimental::GlobalCircularBuffer>
        &global_cb = std::nullopt,
    standin::SubDevice sub_device_id = std::nullopt);
Tensor linear(
    const Tensor &input_tensor_a, const Tensor &input_tensor_b,
    standin::MaybeConstTensor bias = std::nullopt, bool transpose_a = false,
    bool transpose_b = false, standin::ConstMemory memory_config = std::nullopt,
    standin::ConstType dtype = std::nullopt,
    const std::optional<const MatmulProgramConfig> &program_config =
        std::nullopt,
    const std::optional<const Activation> &activation = std::nullopt,
    std::optional<const DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<const CoreGrid> core_grid = std::nullopt,
    const std::optional<const tt::tt_metal::Tile> &output_tile = std::nullopt,
    std::optional<Tensor> optional_output_tensor = std::nullopt,
    const std::optional<const tt::tt_metal::experimental::GlobalCircularBuffer>
        &global_cb = std::nullopt,
    standin::SubDevice sub_device_id = std::nullopt);

} // namespace operations::matmul

using operations::matmul::linear;
using operations::matmul::matmul;

} // namespace ttnn
