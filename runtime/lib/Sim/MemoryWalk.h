// SPDX-License-Identifier: Apache-2.0
//
// What a device holds in the course of a program, without running it.

#ifndef RING_RUNTIME_SIM_MEMORYWALK_H
#define RING_RUNTIME_SIM_MEMORYWALK_H

#include "Mesh/ValueAccount.h"

namespace ring::rt {

/// What a walk gives.
struct MemoryUse {
  int64_t peakBytes = 0;
  int64_t peakKeyValueBytes = 0;
  int64_t scratchBytes = 0;
  /// By instruction: what is held while it runs. A composite has all at its
  /// first one.
  std::vector<int64_t> heldBytes;
};

/// Goes through the program as a device does, or as the host does, and charges
/// by the CPU backend's rules. All devices hold the same. `threads` is what
/// scratch is counted for; 0 for a chip, whose kernels work in L1. Where
/// `fused`, composites that gather keep their buffers to the end and nothing
/// else. Fails if `limit` is exceeded.
Result<MemoryUse> walkMemory(const Program &program, bool host, int64_t limit,
                             int threads, bool fused);

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_MEMORYWALK_H
