// SPDX-License-Identifier: Apache-2.0
//
// Opening devices as ttnn does.

#pragma once

#include "ttnn/types.hpp"
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/experimental/fabric/fabric_types.hpp>

namespace ttnn {
namespace device {

tt::tt_metal::DispatchCoreConfig create_cluster_aware_dispatch_config(
    std::optional<tt::tt_metal::DispatchCoreType> type = std::nullopt,
    std::optional<tt::tt_metal::DispatchCoreAxis> axis = std::nullopt,
    tt::tt_fabric::FabricTensixConfig fabric_tensix_config =
        tt::tt_fabric::FabricTensixConfig::DISABLED);

} // namespace device

using namespace device;

} // namespace ttnn
