// SPDX-License-Identifier: Apache-2.0
//
// Between rows and tiles.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor to_layout(const Tensor &tensor_arg, Layout layout,
                 standin::Type dtype = std::nullopt,
                 standin::Memory memory_config = std::nullopt,
                 standin::Cores sub_core_grids = std::nullopt,
                 float pad_value = 0.0f);

} // namespace ttnn
