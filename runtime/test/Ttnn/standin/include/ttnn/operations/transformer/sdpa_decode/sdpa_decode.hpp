// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query a user, over a cache.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/operations/transformer/sdpa_config.hpp"

namespace ttnn::transformer {

Tensor scaled_dot_product_attention_decode(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, bool is_causal = true,
    standin::MaybeConstTensor attn_mask = std::nullopt,
    const std::vector<uint32_t> &cur_pos = std::vector<uint32_t>(),
    standin::MaybeConstTensor cur_pos_tensor = std::nullopt,
    standin::MaybeConstTensor attention_sink = std::nullopt,
    std::optional<float> scale = std::nullopt,
    std::optional<uint32_t> sliding_window_size = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    std::optional<operations::transformer::SDPAProgramConfig> program_config =
        std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<bool> share_cache = std::nullopt);

Tensor paged_scaled_dot_product_attention_decode(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, const Tensor &page_table_tensor,
    bool is_causal = true, standin::MaybeConstTensor attn_mask = std::nullopt,
    standin::MaybeConstTensor cur_pos_tensor = std::nullopt,
    standin::MaybeConstTensor attention_sink = std::nullopt,
    std::optional<float> scale = std::nullopt,
    std::optional<uint32_t> sliding_window_size = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    std::optional<operations::transformer::SDPAProgramConfig> program_config =
        std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<operations::transformer::PagedCacheGeometryOverride>
        paged_cache_geometry = std::nullopt,
    std::optional<uint32_t> cache_position_modulo = std::nullopt);

} // namespace ttnn::transformer
