// SPDX-License-Identifier: Apache-2.0
//
// Cache sizes, asked once: the answer takes microseconds on a virtual machine.

#include "Kernels/CacheSize.h"

#include <algorithm>

#include <unistd.h>

namespace ring::rt::kernels {

int64_t secondLevelCacheBytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const int64_t bytes =
      std::max<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), 0);
  return bytes;
#else
  return 0;
#endif
}

} // namespace ring::rt::kernels
