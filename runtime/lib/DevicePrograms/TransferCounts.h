// SPDX-License-Identifier: Apache-2.0
//
// What a schedule's transfers come to as numbers: packets, credits, reads. The
// one place where they are worked out.

#ifndef RING_DEVICEPROGRAMS_TRANSFERCOUNTS_H
#define RING_DEVICEPROGRAMS_TRANSFERCOUNTS_H

#include "ring-runtime/AttentionProgram.h"

namespace ring::rt {

/// What an arrival is waited for and given back by.
struct ArrivalCounts {
  uint32_t landed = 0;    ///< packets of its direction when it is complete
  uint32_t announced = 0; ///< arrivals told to the readers, it included
  uint32_t reads = 0;     ///< of its store when all are done; 0: not read
  uint32_t lastStep = 0;  ///< that reads it
  uint32_t sends = 0;     ///< of its direction when it was passed on
};

/// What a send waits for.
struct SendCounts {
  uint32_t packets = 0;        ///< landed before the first page leaves
  uint32_t packetsPerPage = 0; ///< more for every further page
  uint32_t credits = 0;
};

/// One direction of one device.
struct DirectionCounts {
  std::vector<SendCounts> sends;
  std::vector<ArrivalCounts> arrivals;
};

/// Whether two sends land in the same place, so that the later one has to wait.
bool collide(const RowTransfer &one, const RowTransfer &other);

/// The counts of a device: `incoming[d]` is what its neighbour sends it in
/// direction d, `rowPackets` the packets of one row of tiles of all heads, and
/// `readers` the cores that read every arrival.
Result<std::array<DirectionCounts, 2>>
countTransfers(const DeviceSchedule &device,
               const std::array<const std::vector<RowTransfer> *, 2> &incoming,
               uint32_t rowPackets, uint32_t readers, size_t stores);

} // namespace ring::rt

#endif // RING_DEVICEPROGRAMS_TRANSFERCOUNTS_H
