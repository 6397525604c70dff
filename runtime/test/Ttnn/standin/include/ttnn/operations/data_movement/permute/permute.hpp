// SPDX-License-Identifier: Apache-2.0
//
// Dimensions in another order.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor permute(const Tensor &input_tensor,
               const ttsl::SmallVector<int64_t> &dims,
               standin::Memory memory_config, float pad_value = 0.0f);
Tensor permute(const Tensor &input_tensor,
               const ttsl::SmallVector<int64_t> &dims, float pad_value = 0.0f);

} // namespace ttnn
