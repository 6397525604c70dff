// SPDX-License-Identifier: Apache-2.0
//
// Two dimensions exchanged.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor transpose(const Tensor &input_tensor, int64_t dim1, int64_t dim2,
                 standin::Memory memory_config_arg, float pad_value = 0.0f);
Tensor transpose(const Tensor &input_tensor, int64_t dim1, int64_t dim2,
                 float pad_value = 0.0f);

} // namespace ttnn
