// SPDX-License-Identifier: Apache-2.0
// The tables of a launch: what each device is given, and what it computes.

#ifndef RING_METALIUM_TABLES_H
#define RING_METALIUM_TABLES_H

#include <cstdint>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

namespace ring {

/// A word, or what becomes words when the program is set up.
enum class Kind {
  Scalar,
  BufferAddress,
  BufferAccessor,
  GlobalSemaphore,
  LocalSemaphore,
  CoreOnNoc
};
struct Argument {
  Argument(uint32_t value) : kind(Kind::Scalar), value(value) {}
  Argument(Kind kind, uint32_t value) : kind(kind), value(value) {}
  Kind kind;
  uint32_t value;
};
using Arguments = std::vector<Argument>;
using Cores = std::vector<std::pair<uint32_t, uint32_t>>;

struct Buffer {
  const char *name;
  uint32_t pageBytes, pages;
};
struct Circular {
  uint8_t index;
  bool wide; ///< f32, else bf16
  uint32_t pages;
  Cores cores;
};
struct Counter {
  Cores cores;
  uint32_t initial;
};
struct Connection {
  uint32_t neighbour, link;
};
struct OnCore {
  std::pair<uint32_t, uint32_t> core;
  Arguments own;
  std::vector<Connection> connections;
};
enum class Runs { DataMovement0, DataMovement1, Compute };
struct Kernel {
  const char *file; ///< in kernels/
  Runs runs;
  bool wideRegisters, fullSync;
  Arguments compileTime, common;
  std::vector<OnCore> cores;
};
struct Device {
  uint32_t rank; ///< in its ring
  std::vector<uint32_t> ring;
  std::vector<Circular> circulars;
  std::vector<Counter> counters;
  std::vector<Kernel> kernels;
};

/// Rows of keys that a rank sees: which rank's shard they come from, the store,
/// the row of tiles in it, how many keys, and where they are in the sequence.
struct Seen {
  uint32_t rank, store, row, keys;
  int64_t position, stride;
  uint32_t maskColumn; ///< of the first key, where there is a mask
};
struct Queries {
  uint32_t row; ///< of tiles
  int64_t position, stride;
};
struct Rank {
  std::vector<Queries> queries;
  std::vector<Seen> seen;
};

/// A tensor that a launch is given: which of its inputs, and the buffer.
struct Input {
  uint32_t input, buffer;
};
/// Keys and values that are there from the start.
struct Store {
  Input keys, values;
  uint32_t rows; ///< of tiles, of a head
};
/// A mask that is added onto scaled scores, in pages of one or two bf16 tiles
/// that add up to it.
struct Mask {
  Input tensor;
  uint32_t parts;
};

struct LaunchTable {
  const char *name;
  uint32_t keyHeads;
  uint32_t queryRows; ///< of tiles, of a head
  uint32_t valueDim;
  double scale;
  int64_t before, after; ///< of the band of keys that a query sees
  bool wideOutputs;      ///< f32, else bf16
  tt::tt_metal::MathFidelity fidelity;
  uint32_t globalSemaphores;
  std::vector<Buffer> buffers;
  Input queries;
  std::vector<Store> stores;
  std::vector<Input> sinks;  ///< one or none
  std::vector<Mask> masks;   ///< one or none
  uint32_t outputs, logSums; ///< buffers
  std::vector<Device> devices;
  std::vector<Rank> ranks;
};

} // namespace ring

#endif // RING_METALIUM_TABLES_H
