// SPDX-License-Identifier: Apache-2.0
//
// What the stand-in knows of an open mesh, and of semaphores on it. Waiting for
// a mesh begins a new epoch: what was made in an older one is there on all
// devices.

#pragma once

#include "ttnn/types.hpp"

#include <vector>

namespace tt::tt_metal::distributed {

class MeshDeviceImpl {
public:
  static std::shared_ptr<MeshDevice> make(const MeshShape &shape,
                                          CoreCoord grid);

  MeshShape shape;
  CoreCoord grid;
  bool open = true;
  uint64_t epoch = 0;
  uint64_t rings = 0; ///< fused rings that ran
};

} // namespace tt::tt_metal::distributed

namespace standin {

/// Something that a ring signals by or writes into.
struct RingResource {
  uint64_t madeIn = 0;   ///< the epoch
  uint64_t lastRing = 0; ///< that used it, from 1; 0: none
  uint64_t usedIn = 0;   ///< the epoch

  /// Throws unless all devices have it, and the ring before did not.
  void use(tt::tt_metal::distributed::MeshDeviceImpl &mesh, const char *what);
};

} // namespace standin

namespace tt::tt_metal {

class GlobalSemaphoreImpl {
public:
  IDevice *device;
  CoreRangeSet cores;
  std::shared_ptr<standin::RingResource> resource;

  static GlobalSemaphoreImpl &of(const GlobalSemaphore &semaphore) {
    return *semaphore.pimpl_;
  }
};

} // namespace tt::tt_metal
