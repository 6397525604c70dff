// SPDX-License-Identifier: Apache-2.0
//
// Numbers around a tensor.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {
namespace operations::data_movement {

struct PadSpecDim {
  uint32_t before_elements;
  uint32_t after_elements;
};

} // namespace operations::data_movement

Tensor
pad(const Tensor &input_tensor,
    const ttsl::SmallVector<operations::data_movement::PadSpecDim> &padding,
    float value, bool use_multicore = true,
    standin::Memory memory_config_arg = std::nullopt,
    standin::Cores sub_core_grids = std::nullopt);
Tensor pad(const Tensor &input_tensor,
           const ttsl::SmallVector<std::array<uint32_t, 2>> &padding,
           float value, bool use_multicore = true,
           standin::Memory memory_config_arg = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor pad(const Tensor &input_tensor, const Array4D &output_padded_shape,
           const Array4D &input_tensor_start, float value,
           bool use_multicore = true,
           standin::Memory memory_config_arg = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
