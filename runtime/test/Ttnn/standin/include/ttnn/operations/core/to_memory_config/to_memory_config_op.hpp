// SPDX-License-Identifier: Apache-2.0
//
// Between memories of a device.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor to_memory_config(const Tensor &tensor, const MemoryConfig &memory_config,
                        std::optional<DataType> dtype = std::nullopt,
                        standin::MaybeTensor output_tensor = std::nullopt);

} // namespace ttnn
