// SPDX-License-Identifier: Apache-2.0
//
// The devices that the stand-in pretends to have, and what happened to them.
// Tests set and read it; tt-metal has nothing like it.

#pragma once

#include "umd/device/types/arch.hpp"
#include "umd/device/types/xy_pair.hpp"
#include <tt-metalium/experimental/fabric/fabric_types.hpp>

#include <cstddef>

namespace standin {

struct Cluster {
  size_t devices = 32;
  tt::ARCH arch = tt::ARCH::WORMHOLE_B0;
  /// The cores of a device where ethernet cores dispatch; a row less where
  /// workers do.
  tt::xy_pair grid{8, 8};
  /// What `create_cluster_aware_dispatch_config` finds.
  bool ethernetDispatches = true;

  tt::tt_fabric::FabricConfig fabric = tt::tt_fabric::FabricConfig::DISABLED;
  /// That the last mesh was opened with.
  tt::tt_fabric::FabricConfig fabricAtOpen =
      tt::tt_fabric::FabricConfig::DISABLED;
  size_t meshesOpened = 0;
  size_t meshesOpen = 0;
  size_t calls = 0; ///< that ran on a mesh
};

/// The one cluster of the process, as tt-metal has one.
Cluster &cluster();

} // namespace standin
