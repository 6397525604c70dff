// SPDX-License-Identifier: Apache-2.0
//
// tt-train's attention, which gives the log-sum-exp too.

#pragma once

#include "metal/common/const_utils.hpp"
#include "ttnn/types.hpp"

#include <optional>
#include <vector>

namespace ttml::metal {

std::vector<std::optional<ttnn::Tensor>>
sdpa_fw(const ttnn::Tensor &query, const ttnn::Tensor &key,
        const ttnn::Tensor &value,
        AttentionMaskType mask_type = AttentionMaskType::Causal,
        const std::optional<ttnn::Tensor> &mask = std::nullopt,
        const float dropout_probability = 0.0F,
        const bool return_intermediates = false);

} // namespace ttml::metal
