// SPDX-License-Identifier: Apache-2.0
//
// The arguments of the mover: what it sends, what arrives, and which counts
// make a transfer start or a store free. All of it is decided outside.
//
// Compile-time arguments: accessor of key pages, accessor of value pages.
// Runtime arguments: the words of `Mover`, then
//   stores      address of keys, of values, rows of tiles of a head
//   consumers   cores on the NoC, x in the low half and y in the high half
//   directions  the words of `Direction`, twice; each followed by
//     sends     the words of `Send`
//     arrivals  the words of `Arrival`
//   connections two, to the next and to the previous device of the ring
//
// Direction 0 sends to the next device and receives from the previous one,
// direction 1 the other way round. The data of direction d leaves through
// connection d, and its credits return through connection 1 - d: a router takes
// one connection of a worker, so each connection serves both.

#ifndef RING_DEVICE_MOVERARGUMENTS_H
#define RING_DEVICE_MOVERARGUMENTS_H

#include <cstdint>

enum Mover : uint32_t {
  kOwnCore,        ///< on the NoC; the same place on every device
  kMoverStores,    ///< how many
  kConsumers,      ///< how many
  kHeads,          ///< of keys and values, batches included
  kKeyRowPages,    ///< pages of one row of key tiles
  kValueRowPages,  ///< pages of one row of value tiles
  kKeyPageBytes,   ///< at most a packet
  kValuePageBytes, ///< at most a packet
  kMoverWords
};

enum Direction : uint32_t {
  kSends,
  kIncoming,  ///< arrivals, how many
  kArrived,   ///< address: packets of this direction that landed here
  kCredited,  ///< address: stores that the receiver has given back
  kAnnounced, ///< the consumers' semaphore that counts arrivals
  kDirectionWords
};

/// Rows of tiles, of all heads, keys before values, go to a store of the
/// neighbour.
enum Send : uint32_t {
  kFrom,           ///< store
  kFromRow,        ///< in each head
  kTo,             ///< store
  kToRow,          ///< in each head
  kSendRows,       ///< of each head
  kPackets,        ///< that must have landed here before the first page leaves
  kPacketsPerPage, ///< more of them for every further page, 0 or 1
  kCredits,        ///< that must have come back before
  kSendWords
};

/// What a send of the neighbour brings.
enum Arrival : uint32_t {
  kLanded,      ///< packets of this direction by when it is complete
  kReads,       ///< of consumers after which nobody needs it; 0: not read
  kReadsOf,     ///< the semaphore that counts them
  kSendsBefore, ///< sends of this direction that pass it on
  kArrivalWords
};

#endif // RING_DEVICE_MOVERARGUMENTS_H
