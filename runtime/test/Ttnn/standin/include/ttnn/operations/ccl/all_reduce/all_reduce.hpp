// SPDX-License-Identifier: Apache-2.0
//
// The sum of all ranks on every rank.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/ccl/ccl_host_types.hpp"

namespace ttnn {

Tensor
all_reduce(const Tensor &input_tensor,
           std::optional<uint32_t> cluster_axis = std::nullopt,
           standin::SubDevice subdevice_id = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           std::optional<uint32_t> num_links = std::nullopt,
           std::optional<tt::tt_fabric::Topology> topology = std::nullopt);

} // namespace ttnn
