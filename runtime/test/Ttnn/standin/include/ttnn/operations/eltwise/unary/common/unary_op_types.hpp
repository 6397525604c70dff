// SPDX-License-Identifier: Apache-2.0
//
// Activations that other calls may fuse, and numbers beside a tensor.

#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace ttnn::operations::unary {

/// The real one has a name for every op.
enum class UnaryOpType;

enum class VecMode {
  None = 0,
  R = 1,
  C = 2,
  RC = 4,
  RC_custom = 6,
  Invalid = 0xFF,
};

template <typename... Ts>
struct BasicUnaryWithParam {
  BasicUnaryWithParam() = delete;
};

using EltwiseUnaryWithParam =
    BasicUnaryWithParam<float, std::int32_t, std::uint32_t>;
using UnaryWithParam = BasicUnaryWithParam<float>;
using ScalarVariant = std::variant<std::uint32_t, std::int32_t, float>;

} // namespace ttnn::operations::unary
