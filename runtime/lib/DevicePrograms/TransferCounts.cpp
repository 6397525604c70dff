// SPDX-License-Identifier: Apache-2.0

#include "TransferCounts.h"

#include <algorithm>

namespace ring::rt {

namespace {

bool contains(RowRange outer, RowRange inner) {
  return inner.first >= outer.first && inner.end() <= outer.end();
}

/// Arrivals in the order in which they are complete.
Status countArrivals(const DeviceSchedule &device, uint32_t direction,
                     const std::vector<RowTransfer> &incoming,
                     uint32_t rowPackets, uint32_t readers,
                     std::vector<uint32_t> &readsOf,
                     std::vector<ArrivalCounts> &arrivals) {
  uint32_t landed = 0, announced = 0;
  for (uint32_t number = 0; number < incoming.size(); ++number) {
    const RowTransfer &send = incoming[number];
    ArrivalCounts counts;
    counts.landed = landed += send.rows.count * rowPackets;
    bool read = false;
    for (uint32_t step = 0; step < device.steps.size(); ++step)
      for (const RowPiece &piece : device.steps[step].pieces) {
        if (piece.arrival != std::make_pair(direction, number))
          continue;
        if (piece.store != send.to ||
            !contains({send.toRow, send.rows.count}, piece.rows))
          return error("expects step ", step, " to read what arrival ", number,
                       " of direction ", direction,
                       " brings, but got other rows");
        read = true;
        counts.lastStep = step;
      }
    if (read) {
      // Readers count by store, not by arrival: one that is ahead of others
      // must not make up for them, and it cannot be two arrivals of one store
      // ahead, since that store is filled again only when all are done.
      counts.reads = readsOf[send.to] += readers;
      ++announced;
    }
    counts.announced = announced;
    for (uint32_t k = 0; k < device.sends[direction].size(); ++k)
      if (device.sends[direction][k].arrival == number)
        counts.sends = k + 1;
    arrivals.push_back(counts);
  }
  return Status::success();
}

} // namespace

bool collide(const RowTransfer &one, const RowTransfer &other) {
  return one.to == other.to && one.toRow < other.toRow + other.rows.count &&
         other.toRow < one.toRow + one.rows.count;
}

Result<std::array<DirectionCounts, 2>>
countTransfers(const DeviceSchedule &device,
               const std::array<const std::vector<RowTransfer> *, 2> &incoming,
               uint32_t rowPackets, uint32_t readers, size_t stores) {
  std::array<DirectionCounts, 2> counts;
  std::vector<uint32_t> readsOf(stores);
  for (uint32_t direction = 0; direction < 2; ++direction) {
    DirectionCounts &own = counts[direction];
    const std::vector<RowTransfer> &arrivals = *incoming[direction];
    if (Status status = countArrivals(device, direction, arrivals, rowPackets,
                                      readers, readsOf, own.arrivals);
        !status)
      return status;
    const std::vector<RowTransfer> &sends = device.sends[direction];
    for (uint32_t number = 0; number < sends.size(); ++number) {
      const RowTransfer &send = sends[number];
      SendCounts needed;
      // The credit of whoever was there in the neighbour's store before.
      for (uint32_t before = 0; before < number; ++before)
        if (collide(sends[before], send))
          needed.credits = before + 1;
      if (send.arrival) {
        if (*send.arrival >= arrivals.size())
          return error("expects an arrival below ", arrivals.size(),
                       " to be passed on, but got ", *send.arrival);
        const RowTransfer &source = arrivals[*send.arrival];
        if (send.from != source.to ||
            !contains({source.toRow, source.rows.count}, send.rows))
          return error("expects send ", number, " of direction ", direction,
                       " to pass on what arrival ", *send.arrival,
                       " brings, but got other rows");
        const uint32_t complete = own.arrivals[*send.arrival].landed;
        const bool whole = send.rows.count == source.rows.count;
        // A whole arrival is passed on page by page as it lands, some rows of
        // it when all of it is there.
        needed.packetsPerPage = whole;
        needed.packets =
            whole ? complete - send.rows.count * rowPackets + 1 : complete;
      }
      own.sends.push_back(needed);
    }
  }
  return counts;
}

} // namespace ring::rt
