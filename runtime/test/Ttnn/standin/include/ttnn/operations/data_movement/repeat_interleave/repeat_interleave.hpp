// SPDX-License-Identifier: Apache-2.0
//
// Each row several times.

#pragma once

#include "standin/Parameters.hpp"

namespace ttnn {

Tensor repeat_interleave(const Tensor &input_a, uint32_t repeats, int32_t dim,
                         standin::Memory output_mem_config = std::nullopt);

} // namespace ttnn
