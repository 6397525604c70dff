// SPDX-License-Identifier: Apache-2.0
//
// Tensors of one number.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/core.hpp"

#include <type_traits>

namespace ttnn {

Tensor zeros(const Shape &shape, standin::Type dtype = std::nullopt,
             standin::Stored layout = std::nullopt,
             standin::Device device = std::nullopt,
             standin::Memory memory_config = std::nullopt);
Tensor ones(const Shape &shape, standin::Type dtype = std::nullopt,
            standin::Stored layout = std::nullopt,
            standin::Device device = std::nullopt,
            standin::Memory memory_config = std::nullopt);

template <typename FillValueType>
  requires std::is_same_v<FillValueType, int> or
           std::is_same_v<FillValueType, float>
Tensor full(const Shape &shape, FillValueType fill_value,
            standin::Type dtype = std::nullopt,
            standin::Stored layout = std::nullopt,
            standin::Device device = std::nullopt,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt);

Tensor empty(const Shape &shape, const DataType &dtype, const Layout &layout,
             MeshDevice *device, const MemoryConfig &memory_config);

Tensor arange(int64_t start, int64_t stop, int64_t step = 1,
              DataType dtype = DataType::BFLOAT16,
              standin::Device device = std::nullopt,
              const MemoryConfig &memory_config = DRAM_MEMORY_CONFIG,
              Layout layout = Layout::ROW_MAJOR);
Tensor arange(int64_t stop, DataType dtype = DataType::BFLOAT16,
              standin::Device device = std::nullopt,
              const MemoryConfig &memory_config = DRAM_MEMORY_CONFIG,
              Layout layout = Layout::ROW_MAJOR);

} // namespace ttnn
