// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tt-metalium/distributed.hpp>

namespace tt::tt_metal {
class GlobalSemaphore {
public:
  explicit GlobalSemaphore(uint32_t number) : number(number) {}
  uint64_t address() const { return standin::kSemaphore << 16 | number; }

private:
  uint32_t number;
};
inline GlobalSemaphore CreateGlobalSemaphore(distributed::MeshDevice *, const CoreRangeSet &, uint32_t initial) {
  if (initial)
    throw std::runtime_error("expects counters that begin at 0");
  standin::world.program.globalSemaphores.push_back({"counter"});
  return GlobalSemaphore(static_cast<uint32_t>(standin::world.program.globalSemaphores.size() - 1));
}
} // namespace tt::tt_metal
