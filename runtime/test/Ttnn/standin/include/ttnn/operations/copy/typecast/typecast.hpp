// SPDX-License-Identifier: Apache-2.0
//
// Another element type.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor typecast(const Tensor &input, const DataType &output_dtype,
                standin::Memory memory_config_arg = std::nullopt,
                standin::MaybeTensor optional_output_tensor = std::nullopt,
                standin::Cores sub_core_grids = std::nullopt);
Tensor typecast(const Tensor &input_tensor, const DataType &tt_input_dtype,
                const DataType &tt_output_dtype,
                standin::Memory memory_config = std::nullopt,
                standin::MaybeTensor optional_output_tensor = std::nullopt,
                standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
