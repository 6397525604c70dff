// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tt-metalium/distributed.hpp>

namespace tt::tt_fabric {
enum class FabricConfig { DISABLED, FABRIC_1D, FABRIC_1D_RING };
inline void SetFabricConfig(FabricConfig) {}
inline std::vector<uint32_t> get_forwarding_link_indices(const FabricNodeId &, const FabricNodeId &) { return {0, 1}; }
inline void append_fabric_connection_rt_args(const FabricNodeId &, const FabricNodeId &to, uint32_t link,
                                             tt_metal::Program &, const tt_metal::CoreCoord &,
                                             std::vector<uint32_t> &words) {
  words.push_back(standin::kConnection << 16 | to.device << 8 | link);
}
} // namespace tt::tt_fabric
