// SPDX-License-Identifier: Apache-2.0
//
// Small types of tensors.

#pragma once

#include "ttnn/tensor/shape/shape.hpp"
#include <tt-metalium/tensor/tensor_types.hpp>

#include <array>
#include <variant>

namespace ttnn {

using PadValue = std::variant<uint32_t, float>;
using Array4D = std::array<uint32_t, 4>;

enum class StorageType {
  HOST = 0,
  DEVICE = 1,
};

} // namespace ttnn
