// SPDX-License-Identifier: Apache-2.0
//
// A tensor, or a number in place of one.

#pragma once

#include "ttnn/tensor/tensor.hpp"

#include <variant>

namespace ttnn::operations::ternary {

using TensorScalarVariant = std::variant<float, int, Tensor>;

} // namespace ttnn::operations::ternary
