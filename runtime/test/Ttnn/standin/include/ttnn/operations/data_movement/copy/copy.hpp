// SPDX-License-Identifier: Apache-2.0
//
// Copies of a tensor.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor copy(const Tensor &src_tensor, const Tensor &dst_tensor);
Tensor assign(const Tensor &input, const MemoryConfig &output_mem_config,
              standin::ConstType output_dtype = std::nullopt,
              standin::MaybeTensor optional_output_tensor = std::nullopt);
Tensor assign(const Tensor &input_a, const Tensor &input_b);

} // namespace ttnn
