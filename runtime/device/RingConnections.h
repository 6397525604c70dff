// SPDX-License-Identifier: Apache-2.0
//
// The connections of the mover: one to the next device of the ring, one to the
// previous one. Included behind the headers of the fabric.

#ifndef RING_DEVICE_RINGCONNECTIONS_H
#define RING_DEVICE_RINGCONNECTIONS_H

#include <cstddef>
#include <cstdint>

struct RingConnections {
  using Sender = tt::tt_fabric::WorkerToFabricEdmSender;

  Sender senders[2];
  uint32_t count = 0;
  uint32_t of[2] = {0, 0}; ///< the sender of a direction

  Sender &operator[](uint32_t direction) { return senders[of[direction]]; }

  void open() {
    for (uint32_t i = 0; i < count; ++i)
      senders[i].open();
  }
  void close() {
    for (uint32_t i = count; i-- > 0;)
      senders[i].close();
  }

  void add(size_t &argument) {
    senders[count++] =
        Sender::build_from_args<ProgrammableCoreType::TENSIX>(argument);
  }
};

#ifdef RING_ROUTED_CONNECTIONS
/// The words that a host of another compiler writes for a mesh of two axes, all
/// behind the kernel's own:
///   n            of the words up to the connections' count
///   topology, axis of the ring, mode, direction, rows, columns
///   forward, backward   eth directions, twice: for either axis
///   devices      rows x columns of them
///   m            of the words that follow
///   connections  how many; for each its eth direction, then itself
/// A device at the end of a line has no direction onwards. Two devices are such
/// a line, and the one connection serves both ways round.
inline RingConnections makeConnections(size_t argument) {
  const auto word = [](size_t index) {
    return get_arg_val<uint32_t>(static_cast<int>(index));
  };
  const size_t ways = argument + 7 + 2 * size_t{word(argument + 2)};
  const uint32_t wayOf[2] = {word(ways), word(ways + 1)};
  argument += word(argument) + 1;
  const uint32_t there = word(argument++);
  RingConnections connections;
  bool has[2] = {false, false};
  for (uint32_t i = 0; i < there; ++i) {
    const uint32_t way = word(argument++);
    const bool next = way == wayOf[0], previous = way == wayOf[1];
    if (!next && !previous) {
      // Of the other axis: its words are skipped.
      size_t skipped = argument;
      RingConnections::Sender::build_from_args<ProgrammableCoreType::TENSIX>(
          skipped);
      argument = skipped;
      continue;
    }
    const uint32_t direction = next ? 0 : 1;
    has[direction] = true;
    connections.of[direction] = connections.count;
    connections.add(argument);
  }
  for (uint32_t direction = 0; direction < 2; ++direction)
    if (!has[direction])
      connections.of[direction] = connections.of[1 - direction];
  return connections;
}
#else
/// Two connections behind the kernel's own words, in the order of directions.
inline RingConnections makeConnections(size_t argument) {
  RingConnections connections;
  connections.add(argument);
  connections.add(argument);
  connections.of[1] = 1;
  return connections;
}
#endif

#endif // RING_DEVICE_RINGCONNECTIONS_H
