// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops of one tensor that others are put together from.

#pragma once

#include "standin/Parameters.hpp"

#include <variant>

namespace ttnn {

Tensor clamp(const Tensor &input_a,
             std::optional<std::variant<float, int32_t>> min = std::nullopt,
             std::optional<std::variant<float, int32_t>> max = std::nullopt,
             standin::Memory output_mem_config = std::nullopt,
             standin::MaybeTensor output_tensor = std::nullopt);
Tensor clamp(const Tensor &input_a, std::optional<Tensor> min = std::nullopt,
             std::optional<Tensor> max = std::nullopt,
             standin::Memory output_mem_config = std::nullopt,
             standin::MaybeTensor output_tensor = std::nullopt);

} // namespace ttnn
