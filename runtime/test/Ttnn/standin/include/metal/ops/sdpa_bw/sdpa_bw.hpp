// SPDX-License-Identifier: Apache-2.0
//
// Gradients of tt-train's attention.

#pragma once

#include "metal/common/const_utils.hpp"
#include "ttnn/types.hpp"

#include <optional>
#include <tuple>

namespace ttml::metal {

std::tuple<ttnn::Tensor, ttnn::Tensor, ttnn::Tensor>
sdpa_bw(const ttnn::Tensor &grad_output, const ttnn::Tensor &attn_output,
        const ttnn::Tensor &query, const ttnn::Tensor &key,
        const ttnn::Tensor &value, const ttnn::Tensor &intermediates,
        AttentionMaskType mask_type = AttentionMaskType::Arbitrary,
        const std::optional<ttnn::Tensor> &attn_mask = std::nullopt,
        const float dropout_probability = 0.0F);

} // namespace ttml::metal
