// SPDX-License-Identifier: Apache-2.0
//
// A part of a tensor.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

template <typename T>
Tensor slice(const Tensor &input_tensor, ttsl::Span<const T> begins,
             ttsl::Span<const T> ends, ttsl::Span<const T> step,
             standin::Memory memory_config_arg = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             const std::optional<float> &pad_value = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);

template <typename T>
Tensor slice(const Tensor &input_tensor, const ttsl::SmallVector<T> &begins,
             const ttsl::SmallVector<T> &ends, const ttsl::SmallVector<T> &step,
             standin::Memory memory_config_arg = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             const std::optional<float> &pad_value = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt) {
  return slice(input_tensor, ttsl::Span<const T>(begins),
               ttsl::Span<const T>(ends), ttsl::Span<const T>(step),
               memory_config_arg, optional_output_tensor, pad_value,
               sub_core_grids);
}

} // namespace ttnn
