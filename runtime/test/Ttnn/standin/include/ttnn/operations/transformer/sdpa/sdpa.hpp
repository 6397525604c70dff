// SPDX-License-Identifier: Apache-2.0
//
// Attention over whole sequences, and the fused rings.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/ccl/ccl_common.hpp"
#include "ttnn/operations/ccl/ccl_host_types.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/operations/transformer/sdpa_config.hpp"

#include <string>
#include <tuple>

namespace ttnn::transformer {

Tensor scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, standin::MaybeTensor attn_mask = std::nullopt,
    bool is_causal = true, std::optional<float> scale = std::nullopt,
    std::optional<uint32_t> sliding_window_size = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    std::optional<operations::transformer::SDPAProgramConfig> program_config =
        std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    standin::MaybeTensor attention_sink = std::nullopt,
    standin::MaybeTensor cu_window_seqlens = std::nullopt);

Tensor chunked_scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, const Tensor &page_table_tensor,
    int64_t chunk_start_idx, std::optional<float> scale = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    std::optional<operations::transformer::SDPAProgramConfig> program_config =
        std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<operations::transformer::PagedCacheGeometryOverride>
        paged_cache_geometry = std::nullopt);
Tensor chunked_scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, const Tensor &page_table_tensor,
    const Tensor &chunk_start_idx_tensor,
    std::optional<float> scale = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    std::optional<operations::transformer::SDPAProgramConfig> program_config =
        std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    std::optional<operations::transformer::PagedCacheGeometryOverride>
        paged_cache_geometry = std::nullopt);

std::tuple<Tensor, Tensor> joint_scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, const Tensor &joint_tensor_q,
    const Tensor &joint_tensor_k, const Tensor &joint_tensor_v,
    const std::string &joint_strategy,
    operations::transformer::SDPAProgramConfig program_config,
    std::optional<float> scale = std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt);

std::tuple<Tensor, Tensor, Tensor> ring_joint_scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, standin::MaybeTensor joint_tensor_q,
    standin::MaybeTensor joint_tensor_k, standin::MaybeTensor joint_tensor_v,
    Tensor &persistent_output_buffer_k, Tensor &persistent_output_buffer_v,
    const std::string &joint_strategy, std::size_t logical_n,
    std::size_t logical_l,
    operations::transformer::SDPAProgramConfig program_config, int32_t dim,
    const std::vector<GlobalSemaphore> &multi_device_global_semaphore,
    uint32_t num_links, uint32_t cluster_axis, const MeshDevice &mesh_device,
    ccl::Topology topology,
    std::optional<tt::tt_metal::SubDeviceId> subdevice_id,
    CoreCoord ccl_core_grid_offset, bool is_causal = false,
    bool is_balanced = false, bool is_cross = false,
    std::optional<float> scale = std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    ccl::CoreAllocationStrategy core_allocation_strategy =
        ccl::CoreAllocationStrategy::ROW_MAJOR,
    std::optional<uint32_t> kv_cache_batch_idx = std::nullopt,
    std::optional<uint32_t> kv_actual_isl = std::nullopt,
    standin::MaybeTensor attention_sink = std::nullopt,
    std::optional<uint32_t> sliding_window_size = std::nullopt,
    standin::MaybeTensor persistent_output_buffer_joint_k = std::nullopt,
    standin::MaybeTensor persistent_output_buffer_joint_v = std::nullopt);

std::tuple<Tensor, Tensor>
ring_mla(const Tensor &input_tensor_q, const Tensor &input_tensor_kv,
         Tensor &persistent_output_buffer_kv, uint32_t head_dim_v,
         std::size_t logical_n,
         operations::transformer::SDPAProgramConfig program_config, int32_t dim,
         const std::vector<GlobalSemaphore> &multi_device_global_semaphore,
         uint32_t num_links, uint32_t cluster_axis,
         const MeshDevice &mesh_device, ccl::Topology topology,
         std::optional<tt::tt_metal::SubDeviceId> subdevice_id,
         CoreCoord ccl_core_grid_offset, bool is_balanced = false,
         std::optional<float> scale = std::nullopt,
         std::optional<DeviceComputeKernelConfig> compute_kernel_config =
             std::nullopt,
         ccl::CoreAllocationStrategy core_allocation_strategy =
             ccl::CoreAllocationStrategy::ROW_MAJOR,
         std::optional<uint32_t> kv_cache_batch_idx = std::nullopt,
         std::optional<uint32_t> kv_actual_isl = std::nullopt,
         standin::MaybeTensor slot_id = std::nullopt,
         standin::MaybeTensor kv_actual_isl_tensor = std::nullopt,
         std::optional<uint32_t> kv_cache_num_layers = std::nullopt,
         std::optional<uint32_t> kv_cache_layer_idx = std::nullopt);

Tensor ring_distributed_scaled_dot_product_attention(
    const Tensor &input_tensor_q, const Tensor &input_tensor_k,
    const Tensor &input_tensor_v, uint32_t ring_size,
    std::optional<uint32_t> ring_id = std::nullopt,
    std::optional<float> scale = std::nullopt,
    standin::Memory memory_config = std::nullopt,
    const std::optional<operations::transformer::SDPAProgramConfig>
        &program_config = std::nullopt,
    std::optional<DeviceComputeKernelConfig> compute_kernel_config =
        std::nullopt,
    standin::MaybeTensor page_table = std::nullopt,
    std::optional<int64_t> chunk_start_idx = std::nullopt);

} // namespace ttnn::transformer
