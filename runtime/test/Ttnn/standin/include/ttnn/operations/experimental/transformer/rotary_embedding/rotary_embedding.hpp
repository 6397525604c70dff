// SPDX-License-Identifier: Apache-2.0
//
// Rotated positions.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"

namespace ttnn::experimental {

Tensor rotary_embedding(const Tensor &input_tensor, const Tensor &cos_cache,
                        const Tensor &sin_cache,
                        std::optional<uint32_t> token_index = std::nullopt,
                        standin::Memory memory_config = std::nullopt,
                        std::optional<const DeviceComputeKernelConfig>
                            compute_kernel_config = std::nullopt);

} // namespace ttnn::experimental
