// SPDX-License-Identifier: Apache-2.0
//
// Other sizes for the same numbers.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

enum class TileReshapeMapMode {
  CACHE,
  RECREATE,
};

Tensor reshape(const Tensor &input_tensor, const Shape &logical_shape,
               standin::Memory memory_config = std::nullopt,
               const std::optional<PadValue> &pad_value = std::nullopt,
               TileReshapeMapMode reshape_map_mode = TileReshapeMapMode::CACHE,
               standin::Cores sub_core_grid = std::nullopt,
               bool skip_padding_fill = false);
Tensor reshape(const Tensor &input_tensor, const Shape &logical_input_shape,
               const Shape &padded_input_shape,
               standin::Memory memory_config = std::nullopt,
               const std::optional<PadValue> &pad_value = std::nullopt,
               TileReshapeMapMode reshape_map_mode = TileReshapeMapMode::CACHE,
               standin::Cores sub_core_grid = std::nullopt,
               bool skip_padding_fill = false);
Tensor reshape(const Tensor &input_tensor,
               ttsl::Span<const int32_t> shape_vector,
               standin::Memory memory_config = std::nullopt,
               const std::optional<PadValue> &pad_value = std::nullopt,
               TileReshapeMapMode reshape_map_mode = TileReshapeMapMode::CACHE,
               standin::Cores sub_core_grid = std::nullopt,
               bool skip_padding_fill = false);

} // namespace ttnn
