// SPDX-License-Identifier: Apache-2.0
//
// What kernels know of the caches: hints depend on it, results never.

#ifndef RING_RUNTIME_KERNELS_CACHESIZE_H
#define RING_RUNTIME_KERNELS_CACHESIZE_H

#include <cstdint>

namespace ring::rt::kernels {

/// Bytes of the L2 cache of a core; 0 if the system does not say.
int64_t secondLevelCacheBytes();

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_CACHESIZE_H
