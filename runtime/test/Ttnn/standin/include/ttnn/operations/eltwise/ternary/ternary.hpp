// SPDX-License-Identifier: Apache-2.0
//
// Elementwise choice.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/eltwise/ternary/common/ternary_op_types.hpp"

#include <concepts>

namespace ttnn {

Tensor where(const Tensor &predicate,
             const operations::ternary::TensorScalarVariant &value_true,
             const operations::ternary::TensorScalarVariant &value_false,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor output = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);

template <typename T>
  requires std::same_as<T, int32_t> || std::same_as<T, uint32_t>
Tensor where(const Tensor &predicate, const T &value_true, const T &value_false,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor output = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
