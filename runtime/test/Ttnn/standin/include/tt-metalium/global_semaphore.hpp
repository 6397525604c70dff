// SPDX-License-Identifier: Apache-2.0
//
// Semaphores that all devices have at one address.

#pragma once

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>

#include <cstdint>
#include <memory>

namespace tt::tt_metal {

class IDevice;
/// Ours: what the stand-in knows of a semaphore.
class GlobalSemaphoreImpl;
namespace distributed {
class MeshDevice;
} // namespace distributed

class GlobalSemaphore {
public:
  GlobalSemaphore(distributed::MeshDevice &device, CoreRangeSet cores,
                  uint32_t initial_value,
                  BufferType buffer_type = BufferType::L1);
  GlobalSemaphore(GlobalSemaphoreImpl &&impl);
  GlobalSemaphore(const GlobalSemaphore &other);
  GlobalSemaphore &operator=(const GlobalSemaphore &other);
  GlobalSemaphore(GlobalSemaphore &&other) noexcept;
  GlobalSemaphore &operator=(GlobalSemaphore &&other) noexcept;
  ~GlobalSemaphore();

  IDevice *device() const;
  void reset_semaphore_value(uint32_t reset_value) const;

private:
  friend class GlobalSemaphoreImpl;
  std::unique_ptr<GlobalSemaphoreImpl> pimpl_;
};

} // namespace tt::tt_metal
