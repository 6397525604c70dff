// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of an attention do, counted from their arguments before
// anything runs. The tile machine counts the same as they run.

#ifndef RING_RUNTIME_ATTENTIONWORK_H
#define RING_RUNTIME_ATTENTIONWORK_H

#include "ring-runtime/AttentionProgram.h"

namespace ring::rt {

/// The work of some cores. Tiles are 32 x 32, products 32 x 32 x 32. References
/// are taken to rise with the first chunk of keys alone, and to stay near 0;
/// where they do not, kernels do more.
struct AttentionWork {
  uint64_t scoreProducts = 0;  ///< queries by keys, and masks
  uint64_t sumProducts = 0;    ///< weights by ones
  uint64_t valueProducts = 0;  ///< weights by values
  uint64_t weights = 0;        ///< tiles
  uint64_t exponentials = 0;   ///< tiles: of weights, and of corrections
  uint64_t tileOperations = 0; ///< others, on registers or into them
  uint64_t packedBytes = 0;
  uint64_t addedBytes = 0;    ///< packed by adding onto what is there
  uint64_t keyChunks = 0;     ///< that a chunk of queries meets
  uint64_t queryRowSteps = 0; ///< rows of query tiles, once for each of these
  uint64_t dramBytes = 0;     ///< read and written
  uint64_t keyBytes = 0;      ///< of keys and values, from DRAM or handed on
  uint64_t fabricBytes = 0;   ///< sent to neighbours
  uint64_t arrivedBytes = 0;  ///< that neighbours sent

  uint64_t products() const {
    return scoreProducts + sumProducts + valueProducts;
  }
  AttentionWork &operator+=(const AttentionWork &other);
};

/// One device: all of it, and the compute core that has most products.
struct DeviceWork {
  AttentionWork all;
  AttentionWork busiest;
};

/// The work of each device of the ring.
std::vector<DeviceWork> workOf(const AttentionProgram &attention,
                               const AttentionOptions &options);

} // namespace ring::rt

#endif // RING_RUNTIME_ATTENTIONWORK_H
