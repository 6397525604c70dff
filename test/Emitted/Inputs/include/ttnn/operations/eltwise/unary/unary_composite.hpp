// SPDX-License-Identifier: Apache-2.0
// Our own declaration of a call of tt-metal, for a compile check, beside those
// that the runtime's tests have.
#pragma once
#include_next <ttnn/operations/eltwise/unary/unary_composite.hpp>

namespace ttnn {

Tensor tril(const Tensor &input_a, int32_t diag = 0,
            const std::optional<MemoryConfig> &output_mem_config = std::nullopt);

} // namespace ttnn
