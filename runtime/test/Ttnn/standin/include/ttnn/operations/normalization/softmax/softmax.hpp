// SPDX-License-Identifier: Apache-2.0
//
// Softmax over a dimension.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"

namespace ttnn {

Tensor softmax(const Tensor &input_tensor, int dim,
               standin::Memory memory_config = std::nullopt,
               std::optional<const DeviceComputeKernelConfig>
                   compute_kernel_config = std::nullopt,
               bool numeric_stable = true);

} // namespace ttnn
