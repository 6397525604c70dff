// SPDX-License-Identifier: Apache-2.0
//
// Keeping and finding memory.

#include "Memory/MemoryPool.h"

namespace ring::rt {

namespace {

/// Smaller memory costs little to get.
constexpr int64_t kSmallest = int64_t(1) << 20;
/// More than this is given back to the system.
constexpr int64_t kMostIdle = int64_t(1) << 30;

} // namespace

Bytes MemoryPool::allocate(int64_t size) {
  if (size < kSmallest)
    return allocateBytes(size);
  Bytes memory;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = idle.lower_bound(size);
    // One that is much larger will fit somebody else better.
    if (found != idle.end() && found->first <= size + size / 4) {
      memory = std::move(found->second);
      size = found->first;
      idleBytes -= size;
      idle.erase(found);
    }
  }
  if (!memory)
    memory = allocateBytes(size);
  if (!memory)
    return nullptr;
  uint8_t *data = memory.get();
  return Bytes(data, [pool = shared_from_this(), memory = std::move(memory),
                      size](uint8_t *) mutable {
    pool->giveBack(std::move(memory), size);
  });
}

void MemoryPool::giveBack(Bytes memory, int64_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  if (idleBytes + size > kMostIdle)
    return;
  idleBytes += size;
  idle.emplace(size, std::move(memory));
}

} // namespace ring::rt
