// SPDX-License-Identifier: Apache-2.0
// Our own declaration of a call of tt-metal, for a compile check.
#pragma once
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

Tensor clone(
    const Tensor &input, const std::optional<DataType> &dtype,
    const std::optional<MemoryConfig> &memory_config,
    const std::optional<DeviceComputeKernelConfig> &compute_kernel_config);

} // namespace ttnn
