// SPDX-License-Identifier: Apache-2.0
//
// The own share of what every rank has.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor mesh_partition(const Tensor &input_tensor, int32_t dim,
                      std::optional<uint32_t> cluster_axis,
                      standin::Memory memory_config = std::nullopt);

} // namespace ttnn
