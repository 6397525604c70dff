// SPDX-License-Identifier: Apache-2.0
//
// How an attention is dealt to cores.

#pragma once

#include <tt-metalium/core_coord.hpp>

#include <cstdint>
#include <optional>

namespace ttnn::operations::transformer {

struct SDPAProgramConfig {
  tt::tt_metal::CoreCoord compute_with_storage_grid_size;
  std::optional<tt::tt_metal::CoreRangeSet> sub_core_grids;
  std::size_t q_chunk_size;
  std::size_t k_chunk_size;
  std::optional<bool> exp_approx_mode;
  uint32_t max_cores_per_head_batch = 16;
};

struct PagedCacheGeometryOverride {
  uint32_t block_size = 0;
  uint32_t num_kv_heads = 0;
};

} // namespace ttnn::operations::transformer
