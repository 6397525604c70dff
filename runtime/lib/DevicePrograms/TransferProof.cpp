// SPDX-License-Identifier: Apache-2.0

#include "TransferProof.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// Who is held back, if anybody: one transfer, as its device sends it in a
/// direction, or a core in the middle of a step.
struct Hold {
  enum class Kind { Nobody, LastPacket, Reader } kind = Kind::Nobody;
  uint32_t device = 0;
  uint32_t direction = 0;
  uint32_t number = 0; ///< of the send, or of the step
};

struct Lane {
  uint32_t send = 0;  ///< that is under way
  uint32_t pages = 0; ///< of it that have left
  uint32_t arrived = 0, credited = 0;
  uint32_t announced = 0, released = 0;
  uint32_t told = 0; ///< arrivals that cores know of
};

/// One core stands for itself, another for all the rest.
struct Core {
  uint32_t step = 0;
  uint32_t piece = 0; ///< the next one it waits for
};

struct Device {
  std::array<Lane, 2> lanes;
  std::array<Core, 2> cores;
  std::vector<uint32_t> reads; ///< by store
};

class Execution {
public:
  Execution(const AttentionSchedule &schedule, const MeshCounts &counts,
            uint32_t rowPackets, uint32_t readers, Hold hold)
      : schedule(schedule), counts(counts), rowPackets(rowPackets),
        readers(readers), hold(hold), devices(schedule.devices.size()) {
    for (Device &device : devices)
      device.reads.resize(schedule.storeRows.size());
    bool changes = true;
    while (changes) {
      changes = false;
      for (uint32_t number = 0; number < devices.size(); ++number) {
        for (uint32_t direction : {0u, 1u}) {
          changes |= announce(number, direction);
          changes |= sendPages(number, direction);
          changes |= release(number, direction);
        }
        for (uint32_t core : {0u, 1u})
          changes |= read(number, core);
      }
    }
  }

  const Device &operator[](uint32_t device) const { return devices[device]; }

  /// Whether a send has begun to leave.
  bool hasBegun(uint32_t device, uint32_t direction, uint32_t number) const {
    const Lane &lane = devices[device].lanes[direction];
    return lane.send > number || (lane.send == number && lane.pages > 0);
  }

private:
  bool announce(uint32_t number, uint32_t direction) {
    Lane &lane = devices[number].lanes[direction];
    const auto &arrivals = counts[number][direction].arrivals;
    const uint32_t before = lane.announced;
    while (lane.announced < arrivals.size() &&
           lane.arrived >= arrivals[lane.announced].landed)
      lane.told += arrivals[lane.announced++].reads > 0;
    return lane.announced != before;
  }

  bool sendPages(uint32_t number, uint32_t direction) {
    Lane &lane = devices[number].lanes[direction];
    const auto &sends = schedule.devices[number].sends[direction];
    const auto &needs = counts[number][direction].sends;
    bool changes = false;
    while (lane.send < sends.size()) {
      const SendCounts &need = needs[lane.send];
      const uint32_t all = sends[lane.send].rows.count * rowPackets;
      uint32_t most = 0;
      if (lane.credited >= need.credits && lane.arrived >= need.packets)
        most = need.packetsPerPage
                   ? std::min(all, lane.arrived - need.packets + 1)
                   : all;
      const bool held = hold.kind == Hold::Kind::LastPacket &&
                        hold.device == number && hold.direction == direction &&
                        hold.number == lane.send;
      if (held)
        most = std::min(most, all - 1);
      if (most > lane.pages) {
        receiver(number, direction).arrived += most - lane.pages;
        lane.pages = most;
        changes = true;
      }
      if (lane.pages < all)
        break;
      ++lane.send;
      lane.pages = 0;
    }
    return changes;
  }

  bool release(uint32_t number, uint32_t direction) {
    Device &device = devices[number];
    Lane &lane = device.lanes[direction];
    const auto &arrivals = counts[number][direction].arrivals;
    const uint32_t sender = neighbour(number, 1 - direction);
    const auto &incoming = schedule.devices[sender].sends[direction];
    const uint32_t before = lane.released;
    while (lane.released < lane.announced &&
           lane.send >= arrivals[lane.released].sends &&
           device.reads[incoming[lane.released].to] >=
               arrivals[lane.released].reads) {
      ++lane.released;
      ++devices[sender].lanes[direction].credited;
    }
    return lane.released != before;
  }

  bool read(uint32_t number, uint32_t which) {
    Device &device = devices[number];
    Core &core = device.cores[which];
    const auto &steps = schedule.devices[number].steps;
    const bool held =
        hold.kind == Hold::Kind::Reader && which == 0 && hold.device == number;
    const Core before = core;
    while (core.step < steps.size()) {
      const auto &pieces = steps[core.step].pieces;
      while (core.piece < pieces.size() &&
             isThere(device, number, pieces[core.piece]))
        ++core.piece;
      if (core.piece < pieces.size() || (held && hold.number == core.step))
        break;
      giveBack(device, number, core.step, which == 0 ? 1 : readers - 1);
      ++core.step;
      core.piece = 0;
    }
    return core.step != before.step || core.piece != before.piece;
  }

  bool isThere(const Device &device, uint32_t number,
               const RowPiece &piece) const {
    if (!piece.arrival)
      return true;
    auto [direction, arrival] = *piece.arrival;
    return device.lanes[direction].told >=
           counts[number][direction].arrivals[arrival].announced;
  }

  /// A core has done with a step: it gives back what nobody reads later.
  void giveBack(Device &device, uint32_t number, uint32_t step,
                uint32_t cores) {
    std::vector<std::pair<uint32_t, uint32_t>> done;
    for (const RowPiece &piece : schedule.devices[number].steps[step].pieces) {
      if (!piece.arrival ||
          std::find(done.begin(), done.end(), *piece.arrival) != done.end())
        continue;
      auto [direction, arrival] = *piece.arrival;
      if (counts[number][direction].arrivals[arrival].lastStep == step) {
        device.reads[piece.store] += cores;
        done.push_back(*piece.arrival);
      }
    }
  }

  uint32_t neighbour(uint32_t device, uint32_t direction) const {
    const auto size = static_cast<uint32_t>(devices.size());
    return (device + (direction ? size - 1 : 1)) % size;
  }
  Lane &receiver(uint32_t device, uint32_t direction) {
    return devices[neighbour(device, direction)].lanes[direction];
  }

  const AttentionSchedule &schedule;
  const MeshCounts &counts;
  const uint32_t rowPackets, readers;
  const Hold hold;
  std::vector<Device> devices;
};

class Proof {
public:
  Proof(const AttentionSchedule &schedule, const MeshCounts &counts,
        uint32_t rowPackets, uint32_t readers)
      : schedule(schedule), counts(counts), rowPackets(rowPackets),
        readers(readers) {}

  Status run() const {
    if (Status status = proveProgress(); !status)
      return status;
    for (uint32_t device = 0; device < schedule.devices.size(); ++device)
      for (uint32_t direction : {0u, 1u})
        for (uint32_t number = 0;
             number < schedule.devices[device].sends[direction].size();
             ++number)
          if (Status status = proveSend(device, direction, number); !status)
            return status;
    return Status::success();
  }

private:
  Execution execute(Hold hold) const {
    return Execution(schedule, counts, rowPackets, readers, hold);
  }
  uint32_t receiverOf(uint32_t device, uint32_t direction) const {
    const auto size = static_cast<uint32_t>(schedule.devices.size());
    return (device + (direction ? size - 1 : 1)) % size;
  }

  /// Everything ends if nobody is held back.
  Status proveProgress() const {
    const Execution free = execute({});
    const auto devices = static_cast<uint32_t>(schedule.devices.size());
    for (uint32_t number = 0; number < devices; ++number)
      for (uint32_t direction : {0u, 1u})
        if (uint32_t send = free[number].lanes[direction].send;
            send < schedule.devices[number].sends[direction].size())
          return error("expects every send to leave, but send ", send,
                       " of device ", number, ", direction ", direction,
                       " waits for ever");
    for (uint32_t number = 0; number < devices; ++number)
      for (const Core &core : free[number].cores)
        if (core.step < schedule.devices[number].steps.size())
          return error("expects every step to end, but step ", core.step,
                       " of device ", number, " waits for ever");
    for (uint32_t number = 0; number < devices; ++number)
      for (uint32_t direction : {0u, 1u})
        if (size_t sends = schedule.devices[number].sends[direction].size();
            free[number].lanes[direction].credited < sends)
          return error("expects a credit for each of ", sends,
                       " sends of device ", number, ", direction ", direction,
                       ", but only ", free[number].lanes[direction].credited,
                       " come back");
    return Status::success();
  }

  /// One transfer: nobody uses it too early, or overwrites it too early.
  Status proveSend(uint32_t device, uint32_t direction, uint32_t number) const {
    const uint32_t to = receiverOf(device, direction);
    const auto &steps = schedule.devices[to].steps;
    const auto arrival = std::make_pair(direction, number);
    const std::string what = "arrival " + std::to_string(number) +
                             " of direction " + std::to_string(direction) +
                             " on device " + std::to_string(to);

    const Execution incomplete =
        execute({Hold::Kind::LastPacket, device, direction, number});
    for (const Core &core : incomplete[to].cores)
      for (uint32_t step = 0; step < steps.size(); ++step)
        for (uint32_t i = 0; i < steps[step].pieces.size(); ++i)
          if (steps[step].pieces[i].arrival == arrival &&
              (core.step > step || (core.step == step && core.piece > i)))
            return error("expects ", what, " to be awaited, but step ", step,
                         " reads it before its last packet has landed");
    const auto &onward = schedule.devices[to].sends[direction];
    for (uint32_t k = 0; k < onward.size(); ++k)
      if (onward[k].arrival == number) {
        // The last page of a whole arrival, any page of some rows of it.
        const Lane &lane = incomplete[to].lanes[direction];
        const bool whole = counts[to][direction].sends[k].packetsPerPage;
        const uint32_t all = onward[k].rows.count * rowPackets;
        if (lane.send > k ||
            (lane.send == k && (whole ? lane.pages == all : lane.pages > 0)))
          return error("expects ", what, " to be awaited, but send ", k,
                       " passes it on before its last packet has landed");
        if (Status status =
                proveKept(execute({Hold::Kind::LastPacket, to, direction, k}),
                          device, direction, number, what, "is passed on");
            !status)
          return status;
      }
    for (uint32_t step = 0; step < steps.size(); ++step)
      for (const RowPiece &piece : steps[step].pieces)
        if (piece.arrival == arrival)
          if (Status status =
                  proveKept(execute({Hold::Kind::Reader, to, direction, step}),
                            device, direction, number, what,
                            "is read by step " + std::to_string(step));
              !status)
            return status;
    return Status::success();
  }

  /// While somebody who needs a transfer is held back, no later send begins to
  /// overwrite it. The other direction has stores of its own.
  Status proveKept(const Execution &execution, uint32_t device,
                   uint32_t direction, uint32_t number, const std::string &what,
                   const std::string &why) const {
    const auto &sends = schedule.devices[device].sends[direction];
    for (uint32_t later = number + 1; later < sends.size(); ++later)
      if (collide(sends[number], sends[later]) &&
          execution.hasBegun(device, direction, later))
        return error("expects ", what, " to stay while it ", why, ", but send ",
                     later, " of device ", device, " overwrites it");
    // With its last credit the sender may begin its next launch.
    if (execution[device].lanes[direction].credited >= sends.size())
      return error("expects ", what, " to stay while it ", why, ", but device ",
                   device,
                   " has all credits and may overwrite it in its next launch");
    return Status::success();
  }

  const AttentionSchedule &schedule;
  const MeshCounts &counts;
  const uint32_t rowPackets, readers;
};

/// Both directions' arrivals never share a store: their counts know nothing of
/// each other.
Status checkStores(const AttentionSchedule &schedule) {
  for (uint32_t number = 0; number < schedule.devices.size(); ++number) {
    const auto size = static_cast<uint32_t>(schedule.devices.size());
    const auto &forward = schedule.devices[(number + size - 1) % size].sends[0];
    const auto &backward = schedule.devices[(number + 1) % size].sends[1];
    for (const RowTransfer &one : forward)
      for (const RowTransfer &other : backward)
        if (collide(one, other))
          return error("expects the directions to land apart, but both land in "
                       "store ",
                       one.to, " of device ", number);
  }
  return Status::success();
}

} // namespace

Status proveTransfers(const AttentionSchedule &schedule,
                      const MeshCounts &counts, uint32_t rowPackets,
                      uint32_t readers) {
  if (Status status = checkStores(schedule); !status)
    return status;
  return Proof(schedule, counts, rowPackets, readers).run();
}

} // namespace ring::rt
