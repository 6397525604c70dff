// SPDX-License-Identifier: Apache-2.0
//
// Which cores dispatch, and so do not compute.

#pragma once

#include <cstdint>
#include <optional>

namespace tt::tt_metal {

enum class DispatchCoreType : uint32_t { WORKER, ETH, COUNT };
enum class DispatchCoreAxis { ROW, COL, COUNT };

class DispatchCoreConfig {
public:
  DispatchCoreConfig() : type(DispatchCoreType::WORKER) {}
  DispatchCoreConfig(DispatchCoreType type) : type(type) {}
  DispatchCoreConfig(DispatchCoreType type, DispatchCoreAxis axis)
      : type(type), axis(axis) {}
  DispatchCoreType get_dispatch_core_type() const { return type; }

private:
  DispatchCoreType type;
  std::optional<DispatchCoreAxis> axis;
};

} // namespace tt::tt_metal
