// SPDX-License-Identifier: Apache-2.0
//
// Devices that are used as one.

#pragma once

#include <hostdevcommon/common_values.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/sub_device_types.hpp>

#include <memory>
#include <optional>

namespace tt::tt_metal::distributed {

class MeshCommandQueue;
/// Ours: what the stand-in knows of a mesh.
class MeshDeviceImpl;

class MeshDevice : public IDevice,
                   public std::enable_shared_from_this<MeshDevice> {
  friend class MeshDeviceImpl;
  MeshDevice() = default;
  std::unique_ptr<MeshDeviceImpl> pimpl_;

public:
  ~MeshDevice() override;
  MeshDevice(const MeshDevice &) = delete;
  MeshDevice &operator=(const MeshDevice &) = delete;

  tt::ARCH arch() const override;
  CoreCoord compute_with_storage_grid_size() const override;
  size_t num_devices() const;
  const MeshShape &shape() const;
  MeshCommandQueue &
  mesh_command_queue(std::optional<uint8_t> cq_id = std::nullopt) const;

  const MeshDeviceImpl &impl() const { return *pimpl_; }
  MeshDeviceImpl &impl() { return *pimpl_; }
};

} // namespace tt::tt_metal::distributed
