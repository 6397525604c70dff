// SPDX-License-Identifier: Apache-2.0
//
// The proof of counts and credits: it takes what is right, and refuses every
// count that lets somebody go on too early, one at a time.

#include "TransferProof.h"

#include <gtest/gtest.h>

#include <functional>

using namespace ring::rt;
using ring::positions::Band;
using ring::positions::LayoutKind;

namespace {

constexpr uint32_t kRowPackets = 4, kReaders = 3;

/// A schedule and its counts.
struct Counted {
  AttentionSchedule schedule;
  MeshCounts counts;

  Counted(uint32_t devices, bool both, LayoutKind kind, Band band,
          uint32_t landingStores = 2) {
    RingLayout layout;
    layout.sequence = {kind, int64_t{128} * devices, devices, 0};
    layout.length = int64_t{128} * devices - 40;
    layout.band = band;
    layout.bothDirections = both;
    layout.landingStores = landingStores;
    schedule = *ringSchedule(layout);
    recount();
  }

  void recount() {
    counts.clear();
    const auto size = static_cast<uint32_t>(schedule.devices.size());
    for (uint32_t device = 0; device < size; ++device)
      counts.push_back(*countTransfers(
          schedule.devices[device],
          {&schedule.devices[(device + size - 1) % size].sends[0],
           &schedule.devices[(device + 1) % size].sends[1]},
          kRowPackets, kReaders, schedule.storeRows.size()));
  }

  std::string complaint() const {
    Status status = proveTransfers(schedule, counts, kRowPackets, kReaders);
    return status ? "" : status.message();
  }
};

/// What a wrong count is refused as; empty if it is not.
std::string withChange(Counted counted,
                       const std::function<void(MeshCounts &)> &change) {
  change(counted.counts);
  return counted.complaint();
}

TEST(TransferProof, TakesTheSchedulesOfRings) {
  for (uint32_t devices : {1, 2, 3, 4, 5, 8, 16})
    for (bool both : {false, true})
      for (LayoutKind kind : {LayoutKind::Contiguous, LayoutKind::Zigzag})
        for (Band band : {Band(), Band::causal(), Band{200, 0}})
          EXPECT_EQ(Counted(devices, both, kind, band).complaint(), "")
              << devices << " devices";
}

/// With one landing store everybody would have to pass on what lies where the
/// next is to land, all round the ring.
TEST(TransferProof, RefusesRingsWithOneLandingStore) {
  for (bool both : {false, true})
    EXPECT_EQ(Counted(8, both, LayoutKind::Contiguous, Band(), 1).complaint(),
              "expects every send to leave, but send 1 of device 0, direction "
              "0 waits for ever");
}

/// Whether a later send, or the next launch, lands where an arrival is.
bool isOverwritten(const AttentionSchedule &schedule, uint32_t device,
                   uint32_t direction, uint32_t arrival) {
  const auto size = static_cast<uint32_t>(schedule.devices.size());
  const uint32_t sender = (device + (direction ? 1 : size - 1)) % size;
  const auto &sends = schedule.devices[sender].sends[direction];
  for (uint32_t later = arrival + 1; later < sends.size(); ++later)
    if (collide(sends[arrival], sends[later]))
      return true;
  return arrival + 1 == sends.size();
}

TEST(TransferProof, RefusesEveryCountThatIsOneTooLow) {
  uint32_t refused = 0;
  for (bool both : {false, true}) {
    const Counted right(8, both, LayoutKind::Zigzag, Band::causal());
    for (uint32_t device = 0; device < 8; ++device)
      for (uint32_t direction : {0u, 1u}) {
        const DirectionCounts &own = right.counts[device][direction];
        const auto expectRefusal = [&](const char *what, uint32_t number,
                                       const auto &change) {
          EXPECT_NE(withChange(right,
                               [&](MeshCounts &counts) {
                                 change(counts[device][direction]);
                               }),
                    "")
              << what << " " << number << " of device " << device
              << ", direction " << direction;
          ++refused;
        };
        for (uint32_t i = 0; i < own.arrivals.size(); ++i) {
          const ArrivalCounts &arrival = own.arrivals[i];
          expectRefusal("landed", i, [&](DirectionCounts &counts) {
            --counts.arrivals[i].landed;
          });
          if (arrival.reads)
            expectRefusal("announced", i, [&](DirectionCounts &counts) {
              --counts.arrivals[i].announced;
            });
          // A credit that nobody waits for may come early, but for the last.
          if (!isOverwritten(right.schedule, device, direction, i))
            continue;
          if (arrival.reads)
            expectRefusal("reads", i, [&](DirectionCounts &counts) {
              --counts.arrivals[i].reads;
            });
          if (arrival.sends)
            expectRefusal("sends", i, [&](DirectionCounts &counts) {
              --counts.arrivals[i].sends;
            });
        }
        for (uint32_t i = 0; i < own.sends.size(); ++i) {
          if (own.sends[i].packets)
            expectRefusal("packets", i, [&](DirectionCounts &counts) {
              --counts.sends[i].packets;
            });
          if (own.sends[i].credits)
            expectRefusal("credits", i, [&](DirectionCounts &counts) {
              --counts.sends[i].credits;
            });
        }
      }
  }
  EXPECT_GT(refused, 300u);
}

/// Half of the shard across an even ring comes from either side. Whoever passes
/// on its half has to wait for all of the shard that it takes the rows from.
TEST(TransferProof, RefusesADiametricHalfThatLeavesTooEarly) {
  const Counted right(8, true, LayoutKind::Contiguous, Band());
  for (uint32_t direction : {0u, 1u}) {
    const auto &sends = right.schedule.devices[0].sends[direction];
    const auto last = static_cast<uint32_t>(sends.size() - 1);
    ASSERT_LT(sends[last].rows.count, sends[last - 1].rows.count);
    EXPECT_EQ(withChange(right,
                         [&](MeshCounts &counts) {
                           --counts[0][direction].sends[last].packets;
                         }),
              "expects arrival 2 of direction " + std::to_string(direction) +
                  " on device 0 to be awaited, but send 3 passes it on before "
                  "its last packet has landed");
  }
}

TEST(TransferProof, RefusesStandstills) {
  const Counted right(4, false, LayoutKind::Contiguous, Band());
  EXPECT_EQ(withChange(right,
                       [](MeshCounts &counts) {
                         counts[1][0].arrivals[2].reads += kReaders;
                       }),
            "expects a credit for each of 3 sends of device 0, direction 0, "
            "but only 2 come back");
  EXPECT_EQ(
      withChange(right,
                 [](MeshCounts &counts) { counts[2][0].sends[1].credits = 9; }),
      "expects every send to leave, but send 2 of device 1, direction 0 "
      "waits for ever");
}

TEST(TransferProof, RefusesTwoLandingStoresMadeOne) {
  Counted counted(4, false, LayoutKind::Contiguous, Band());
  // The counts are those of two stores; now everything lands in the first.
  for (DeviceSchedule &device : counted.schedule.devices) {
    for (RowTransfer &send : device.sends[0]) {
      send.to = std::min(send.to, 1u);
      send.from = std::min(send.from, 1u);
    }
    for (AttentionStep &step : device.steps)
      for (RowPiece &piece : step.pieces)
        piece.store = std::min(piece.store, 1u);
  }
  EXPECT_NE(counted.complaint(), "");
}

} // namespace
