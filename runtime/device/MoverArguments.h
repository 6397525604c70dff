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
//     sends     encoded `Send`s
//     arrivals  encoded `Arrival`s
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
struct Send {
  uint32_t from = 0;           ///< store
  uint32_t fromRow = 0;        ///< in each head
  uint32_t to = 0;             ///< store
  uint32_t toRow = 0;          ///< in each head
  uint32_t rows = 0;           ///< of each head
  uint32_t packets = 0;        ///< landed here before the first page leaves
  uint32_t packetsPerPage = 0; ///< more of them for every further page, 0 or 1
  uint32_t credits = 0;        ///< that must have come back before
};

constexpr uint32_t kSendWords = 4;

inline void encode(const Send &send, uint32_t *words) {
  words[0] =
      send.from | send.to << 8 | send.credits << 16 | send.packetsPerPage << 31;
  words[1] = send.fromRow | send.toRow << 16;
  words[2] = send.rows;
  words[3] = send.packets;
}

template <typename Words>
Send decodeSend(const Words &words, uint32_t at) {
  const uint32_t stores = words(at), rows = words(at + 1);
  Send send;
  send.from = stores & 0xff;
  send.to = stores >> 8 & 0xff;
  send.credits = stores >> 16 & 0x7fff;
  send.packetsPerPage = stores >> 31;
  send.fromRow = rows & 0xffff;
  send.toRow = rows >> 16;
  send.rows = words(at + 2);
  send.packets = words(at + 3);
  return send;
}

/// What a send of the neighbour brings.
struct Arrival {
  uint32_t landed = 0;  ///< packets of this direction by when it is complete
  uint32_t reads = 0;   ///< after which no consumer needs it; 0: not read
  uint32_t readsOf = 0; ///< the semaphore that counts them
  uint32_t sends = 0;   ///< of this direction, after which it is passed on
};

constexpr uint32_t kArrivalWords = 2;

inline void encode(const Arrival &arrival, uint32_t *words) {
  words[0] = arrival.landed;
  words[1] = arrival.reads | arrival.readsOf << 16 | arrival.sends << 20;
}

template <typename Words>
Arrival decodeArrival(const Words &words, uint32_t at) {
  const uint32_t counts = words(at + 1);
  Arrival arrival;
  arrival.landed = words(at);
  arrival.reads = counts & 0xffff;
  arrival.readsOf = counts >> 16 & 0xf;
  arrival.sends = counts >> 20;
  return arrival;
}

#endif // RING_DEVICE_MOVERARGUMENTS_H
