// SPDX-License-Identifier: Apache-2.0
//
// Proves that the counts of a schedule keep its transfers apart from its reads.
//
// Counters only rise, and every kernel waits for "at least": so whatever can
// happen does happen if everybody goes on as far as possible, and what cannot
// happen while somebody is held back never happens before he goes on. Holding
// back, one after the other, each reader, each send and each packet is
// therefore enough, whatever the interleaving.

#ifndef RING_DEVICEPROGRAMS_TRANSFERPROOF_H
#define RING_DEVICEPROGRAMS_TRANSFERPROOF_H

#include "TransferCounts.h"

namespace ring::rt {

/// The counts of both directions of every device.
using MeshCounts = std::vector<std::array<DirectionCounts, 2>>;

/// Checks that
/// - nobody reads or passes on rows before they have landed,
/// - nobody overwrites rows that a core still reads or that are still to be
///   passed on,
/// - all transfers and all steps come to an end,
/// - and the next launch may begin on a device as soon as it has ended there.
Status proveTransfers(const AttentionSchedule &schedule,
                      const MeshCounts &counts, uint32_t rowPackets,
                      uint32_t readers);

} // namespace ring::rt

#endif // RING_DEVICEPROGRAMS_TRANSFERPROOF_H
