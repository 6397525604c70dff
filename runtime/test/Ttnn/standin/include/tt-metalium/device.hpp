// SPDX-License-Identifier: Apache-2.0
//
// What all devices have.

#pragma once

#include <tt-metalium/core_coord.hpp>
#include <umd/device/types/arch.hpp>

namespace tt::tt_metal {

class IDevice {
public:
  virtual ~IDevice() = default;
  virtual tt::ARCH arch() const = 0;
  virtual CoreCoord compute_with_storage_grid_size() const = 0;
};

} // namespace tt::tt_metal
