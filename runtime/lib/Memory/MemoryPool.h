// SPDX-License-Identifier: Apache-2.0
//
// Memory of values that are gone, for those that come: a first touch of memory
// from the system costs more than all that a moving op does.

#ifndef RING_RUNTIME_MEMORY_MEMORYPOOL_H
#define RING_RUNTIME_MEMORY_MEMORYPOOL_H

#include "Memory/Storage.h"

#include <map>
#include <vector>

namespace ring::rt {

/// Hands out memory, and takes large pieces back when nobody refers to them.
/// Whoever holds memory may outlive whoever made the pool.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  static std::shared_ptr<MemoryPool> make() {
    return std::shared_ptr<MemoryPool>(new MemoryPool);
  }

  /// Memory of at least that size, with anything in it; null if there is none.
  Bytes allocate(int64_t size);

private:
  MemoryPool() = default;
  void giveBack(Bytes memory, int64_t size);

  std::mutex mutex;
  std::multimap<int64_t, Bytes> idle; ///< by size
  int64_t idleBytes = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MEMORY_MEMORYPOOL_H
