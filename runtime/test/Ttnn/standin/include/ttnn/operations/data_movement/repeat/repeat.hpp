// SPDX-License-Identifier: Apache-2.0
//
// A tensor several times.

#pragma once

#include "standin/Parameters.hpp"

#include <string>

namespace ttnn {

Tensor repeat(const Tensor &input_tensor,
              const ttsl::SmallVector<uint32_t> &repetition_vector,
              standin::Memory memory_config = std::nullopt,
              const std::string &implementation = "auto",
              standin::MaybeTensor optional_output_tensor = std::nullopt);
Tensor repeat(const Tensor &input_tensor, const Shape &repeat_dims,
              const std::string &implementation = "auto",
              standin::MaybeTensor optional_output_tensor = std::nullopt);

} // namespace ttnn
