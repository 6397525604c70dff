// SPDX-License-Identifier: Apache-2.0
//
// Norms without a mean.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/operations/normalization/layernorm/device/layernorm_types.hpp"

namespace ttnn {

Tensor rms_norm(
    const Tensor &input_tensor, float epsilon = 1e-12,
    standin::MaybeConstTensor weight = std::nullopt,
    standin::MaybeConstTensor bias = std::nullopt,
    standin::MaybeConstTensor residual_input_tensor = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    const std::optional<const prim::LayerNormProgramConfig> &program_config =
        std::nullopt,
    std::optional<const DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt);

} // namespace ttnn
