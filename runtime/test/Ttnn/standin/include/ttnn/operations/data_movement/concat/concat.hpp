// SPDX-License-Identifier: Apache-2.0
//
// Tensors one behind the other.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor concat(const std::vector<Tensor> &input_tensors, int dim,
              standin::Memory memory_config = std::nullopt,
              standin::MaybeTensor optional_output_tensor = std::nullopt,
              unsigned int groups = 1,
              standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
