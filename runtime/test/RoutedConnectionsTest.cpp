// SPDX-License-Identifier: Apache-2.0
//
// Connections as a host of another compiler hands them over, found in the
// mover's arguments by the header that the kernel uses.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

/// The arguments of the kernel under test, which finds them by TT-Metalium's
/// names.
std::vector<uint32_t> arguments;

template <typename T>
// NOLINTNEXTLINE(readability-identifier-naming)
T get_arg_val(int index) {
  return arguments.at(static_cast<size_t>(index));
}

enum class ProgrammableCoreType { TENSIX };

} // namespace

namespace tt::tt_fabric {
/// A channel and two semaphores, as on the device.
struct WorkerToFabricEdmSender {
  template <ProgrammableCoreType>
  // NOLINTNEXTLINE(readability-identifier-naming)
  static WorkerToFabricEdmSender build_from_args(size_t &argument) {
    WorkerToFabricEdmSender sender;
    sender.channel = arguments.at(argument);
    argument += 3;
    return sender;
  }
  void open() {}
  void close() {}

  uint32_t channel = 0;
};
} // namespace tt::tt_fabric

#define RING_ROUTED_CONNECTIONS
#include "../device/RingConnections.h"

namespace {

constexpr uint32_t kEast = 0, kWest = 1, kNorth = 2, kSouth = 3, kNone = 4;

struct Way {
  uint32_t direction, channel;
};

/// What the runtime writes behind `own` words, for a mesh of rows x columns.
RingConnections connectionsOf(uint32_t own, uint32_t axis, uint32_t rows,
                              uint32_t columns,
                              const std::vector<uint32_t> &directions,
                              const std::vector<Way> &ways) {
  arguments.assign(own, 77);
  std::vector<uint32_t> words = {0, 0, axis, 0, 0, rows, columns};
  words.insert(words.end(), directions.begin(), directions.end());
  for (uint32_t device = 0; device < rows * columns; ++device)
    words.push_back(device);
  words[0] = static_cast<uint32_t>(words.size());
  words.push_back(static_cast<uint32_t>(2 + 4 * ways.size()));
  words.push_back(static_cast<uint32_t>(ways.size()));
  for (Way way : ways)
    words.insert(words.end(), {way.direction, way.channel, 5, 6});
  arguments.insert(arguments.end(), words.begin(), words.end());
  return makeConnections(own);
}

TEST(RoutedConnections, OfARing) {
  RingConnections ring = connectionsOf(9, 1, 1, 4, {kNone, kNone, kEast, kWest},
                                       {{kEast, 10}, {kWest, 11}});
  EXPECT_EQ(ring.count, 2u);
  EXPECT_EQ(ring[0].channel, 10u);
  EXPECT_EQ(ring[1].channel, 11u);
}

/// The other axis comes first and is none of the ring's.
TEST(RoutedConnections, OfAnAxis) {
  RingConnections rows = connectionsOf(
      0, 0, 2, 2, {kNone, kNorth, kEast, kNone}, {{kNorth, 20}, {kEast, 21}});
  EXPECT_EQ(rows.count, 1u);
  EXPECT_EQ(rows[0].channel, 20u);
  EXPECT_EQ(rows[1].channel, 20u);
  RingConnections columns = connectionsOf(
      3, 1, 2, 2, {kSouth, kNone, kNone, kWest}, {{kSouth, 30}, {kWest, 31}});
  EXPECT_EQ(columns.count, 1u);
  EXPECT_EQ(columns[0].channel, 31u);
  EXPECT_EQ(columns[1].channel, 31u);
}

/// Two devices are a line, and one connection serves both ways round.
TEST(RoutedConnections, OfTwoDevices) {
  RingConnections first =
      connectionsOf(1, 1, 1, 2, {kNone, kNone, kEast, kNone}, {{kEast, 40}});
  EXPECT_EQ(&first[0], &first[1]);
  EXPECT_EQ(first[0].channel, 40u);
}

} // namespace
