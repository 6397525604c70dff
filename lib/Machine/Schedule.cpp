// SPDX-License-Identifier: Apache-2.0
//
// Runs a schedule rank by rank and step by step. Ranks that cannot be told
// apart are one class: on a closed ring with the same compute everywhere the
// neighbour of a rank does at every moment what the rank itself does, so one
// rank that sends to itself gives all times. With hosts on the ring the pattern
// repeats from host to host, and the ranks of one host are enough.

#include "ring/Machine/Schedule.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ring::machine {

namespace {

/// When something comes, and since when it has been on its way.
struct Arrival {
  double start = 0;
  double end = 0;
};

/// Joins two that follow each other or overlap; else keeps the later one.
void join(Arrival &arrival, const Arrival &other) {
  bool touch = other.start <= arrival.end && arrival.start <= other.end;
  if (touch && arrival.end > 0)
    arrival.start = std::min(arrival.start, other.start);
  else if (other.end > arrival.end)
    arrival.start = other.start;
  arrival.end = std::max(arrival.end, other.end);
}

/// The directed links of one axis, and what came over them last.
struct AxisState {
  std::vector<double> free[2]; ///< by way and rank
  std::vector<double> busy[2];
  std::vector<double> arrived[2];
};

class Run {
public:
  explicit Run(const Schedule &schedule)
      : schedule(schedule), ranks(countRanks(schedule)), computeEnd(ranks, 0),
        computeBusy(ranks, 0), exposed(ranks, 0), waiting(ranks, 0),
        lastArrival(ranks, 0), axes(schedule.axes.size()) {
    for (AxisState &axis : axes)
      for (int way : {0, 1}) {
        axis.free[way].assign(ranks, 0);
        axis.busy[way].assign(ranks, 0);
        axis.arrived[way].assign(ranks, 0);
      }
  }

  void step(const ScheduleStep &step);
  ScheduleTime finish() const;

private:
  static int64_t countRanks(const Schedule &schedule);
  int64_t target(const StepTransfer &transfer, int64_t rank) const;
  void shift(const StepTransfer &transfer);
  void collective(const StepTransfer &transfer);
  double dataReady(const StepTransfer &transfer, int way, int64_t rank) const;
  void deliver(const StepTransfer &transfer, int64_t rank,
               const Arrival &arrival);

  const Schedule &schedule;
  int64_t ranks;
  int64_t now = 0; ///< the step
  std::vector<double> computeEnd, computeBusy, exposed, waiting, lastArrival;
  std::vector<AxisState> axes;
  std::map<int64_t, std::vector<Arrival>> needed; ///< by step
  double sent = 0;
};

int64_t Run::countRanks(const Schedule &schedule) {
  const Axis &axis = schedule.axes[0];
  for (const ScheduleStep &step : schedule.steps)
    if (step.compute.size() > 1)
      return axis.ranks;
  bool repeats = axis.topology == Topology::Ring && axis.perHost < axis.ranks;
  return repeats ? axis.perHost : 1;
}

/// Ranks of other axes do what this one does, so those are reached as itself.
int64_t Run::target(const StepTransfer &transfer, int64_t rank) const {
  if (transfer.axis != 0)
    return rank;
  return ((rank + transfer.hops) % ranks + ranks) % ranks;
}

double Run::dataReady(const StepTransfer &transfer, int way,
                      int64_t rank) const {
  if (transfer.data != StepTransfer::Data::Forwarded)
    return 0;
  return axes[transfer.axis].arrived[way][rank];
}

void Run::deliver(const StepTransfer &transfer, int64_t rank,
                  const Arrival &arrival) {
  int64_t by = schedule.overlaps ? now + transfer.neededAfter : now;
  std::vector<Arrival> &list = needed[by];
  list.resize(ranks);
  join(list[rank], arrival);
  lastArrival[rank] = std::max(lastArrival[rank], arrival.end);
}

void Run::shift(const StepTransfer &transfer) {
  const Axis &axis = schedule.axes[transfer.axis];
  AxisState &state = axes[transfer.axis];
  ShiftLoad load = shiftLoad(axis, transfer.bytes, transfer.hops,
                             schedule.transfer, transfer.reaching > 0);
  int way = transfer.hops > 0 ? 0 : 1;
  bool nextOnRing = axis.topology == Topology::Ring &&
                    std::abs(transfer.hops) == 1 && !axis.processor;
  std::vector<double> arrivals(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int64_t to = target(transfer, rank);
    // Where one rank stands for all, it is one that is reached.
    if (transfer.axis == 0 && ranks == axis.ranks && to < transfer.reaching)
      continue;
    double seconds[2] = {load.forward, load.backward};
    double latency = load.latency;
    if (nextOnRing) {
      // The hop back from a rank is the hop that leads forward to it.
      const Links &links = axis.linksFrom(
          way == 0 ? rank : (rank + axis.ranks - 1) % axis.ranks);
      seconds[way] = transfer.bytes / hopBandwidth(links, axis.topology,
                                                   schedule.transfer.packet,
                                                   schedule.transfer.links);
      latency = links.latency;
    }
    double start = std::max(
        {computeEnd[rank], computeEnd[to], dataReady(transfer, way, rank)});
    for (int i : {0, 1})
      if (seconds[i] > 0)
        start = std::max(start, state.free[i][rank]);
    double end = start + std::max(seconds[0], seconds[1]) + latency;
    for (int i : {0, 1}) {
      if (seconds[i] > 0)
        state.free[i][rank] = start + seconds[i];
      state.busy[i][rank] += seconds[i];
    }
    arrivals[to] = end;
    deliver(transfer, to, {start, end});
  }
  state.arrived[way] = arrivals;
  sent += transfer.bytes * shareReached(transfer, axis);
}

void Run::collective(const StepTransfer &transfer) {
  const Axis &axis = schedule.axes[transfer.axis];
  AxisState &state = axes[transfer.axis];
  double all = static_cast<double>(axis.ranks);
  double seconds = 0;
  double moved = transfer.inPlace && axis.processor ? 0 : transfer.bytes;
  switch (transfer.kind) {
  case StepTransfer::Kind::AllGather:
    seconds = allGatherSeconds(axis, moved, schedule.transfer);
    sent += transfer.bytes * (all - 1);
    break;
  case StepTransfer::Kind::AllToAll:
    seconds = allToAllSeconds(axis, moved, schedule.transfer);
    sent += transfer.bytes * (all - 1) / all;
    break;
  case StepTransfer::Kind::AllReduce:
    seconds = allReduceSeconds(axis, moved, schedule.transfer);
    sent += transfer.bytes * 2 * (all - 1) / all;
    break;
  case StepTransfer::Kind::Shift:
    break;
  }
  double start = 0;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int way : {0, 1})
      start = std::max({start, computeEnd[rank], state.free[way][rank],
                        dataReady(transfer, way, rank)});
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (int way : {0, 1}) {
      state.free[way][rank] = state.arrived[way][rank] = start + seconds;
      state.busy[way][rank] += seconds;
    }
    deliver(transfer, rank, {start, start + seconds});
  }
}

void Run::step(const ScheduleStep &step) {
  for (const StepTransfer &transfer : step.transfers) {
    if (schedule.axes[transfer.axis].ranks == 1)
      continue;
    if (transfer.kind == StepTransfer::Kind::Shift)
      shift(transfer);
    else
      collective(transfer);
  }
  const std::vector<Arrival> &arrivals = needed[now];
  for (int64_t rank = 0; rank < ranks; ++rank) {
    double begin = computeEnd[rank];
    if (!arrivals.empty() && arrivals[rank].end > begin) {
      double moving =
          arrivals[rank].end - std::max(begin, arrivals[rank].start);
      exposed[rank] += moving;
      waiting[rank] += arrivals[rank].end - begin - moving;
      begin = arrivals[rank].end;
    }
    double seconds = 0;
    if (!step.compute.empty())
      seconds = step.compute[step.compute.size() > 1 ? rank : 0];
    computeBusy[rank] += seconds;
    computeEnd[rank] = begin + seconds;
  }
  needed.erase(now);
  ++now;
}

ScheduleTime Run::finish() const {
  ScheduleTime time;
  int64_t last = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    double end = std::max(computeEnd[rank], lastArrival[rank]);
    if (end > time.seconds) {
      time.seconds = end;
      last = rank;
    }
    time.computeSeconds = std::max(time.computeSeconds, computeBusy[rank]);
    for (const AxisState &axis : axes)
      for (int way : {0, 1})
        time.transferSeconds =
            std::max(time.transferSeconds, axis.busy[way][rank]);
  }
  time.exposedSeconds = exposed[last] + time.seconds - computeEnd[last];
  time.waitingSeconds = waiting[last];
  time.bytesSent = sent;
  return time;
}

/// One processor works on all ranks in turn: their compute adds up.
ScheduleTime onOneProcessor(const Schedule &schedule) {
  ScheduleTime time;
  double devices = 1;
  for (const Axis &axis : schedule.axes)
    devices *= static_cast<double>(axis.ranks);
  double firstAxis = static_cast<double>(schedule.axes[0].ranks);
  Run run(schedule);
  for (const ScheduleStep &step : schedule.steps) {
    double sum = 0;
    for (double seconds : step.compute)
      sum +=
          seconds * (step.compute.size() > 1 ? devices / firstAxis : devices);
    time.computeSeconds += sum * static_cast<double>(step.repeat);
    for (int64_t i = 0; i < step.repeat; ++i)
      run.step({{}, step.transfers, 1});
  }
  ScheduleTime transfers = run.finish();
  time.transferSeconds = transfers.seconds * devices;
  time.exposedSeconds = time.transferSeconds;
  time.bytesSent = transfers.bytesSent;
  time.seconds = time.computeSeconds + time.transferSeconds;
  return time;
}

} // namespace

ScheduleTime simulate(const Schedule &schedule) {
  if (schedule.axes.empty())
    return {};
  if (schedule.axes[0].processor)
    return onOneProcessor(schedule);
  Run run(schedule);
  for (const ScheduleStep &step : schedule.steps)
    for (int64_t i = 0; i < step.repeat; ++i)
      run.step(step);
  return run.finish();
}

} // namespace ring::machine
