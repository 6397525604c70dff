// SPDX-License-Identifier: Apache-2.0
//
// Plays a timeline event by event. Every device has a clock of its own, and so
// has every link. Devices that cannot be told apart are one: on a closed ring
// with the same work everywhere the neighbour of a device does at every moment
// what the device itself does, so one that sends to itself gives all times.
// With hosts on the ring the pattern repeats from host to host.

#include "ring/Machine/Timeline.h"

#include <algorithm>
#include <cassert>

namespace ring::machine {

namespace {

/// Times that differ by less are taken as equal.
constexpr double kAlike = 0.02;

int64_t wrap(int64_t place, int64_t ranks) {
  return (place % ranks + ranks) % ranks;
}

} // namespace

int32_t Timeline::add(const TimelineBlock &block) {
  for (size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].passes == block.passes &&
        blocks[i].call.key() == block.call.key())
      return static_cast<int32_t>(i);
  blocks.push_back(block);
  return static_cast<int32_t>(blocks.size() - 1);
}

void Timeline::compute(std::vector<int32_t> byDevice) {
  if (!byDevice.empty() &&
      std::all_of(byDevice.begin(), byDevice.end(),
                  [&](int32_t block) { return block == byDevice.front(); }))
    byDevice.resize(1);
  events.push_back({TimelineEvent::Kind::Compute, 0, std::move(byDevice), 0});
}

void Timeline::compute(double seconds) {
  if (seconds > 0)
    events.push_back({TimelineEvent::Kind::Compute, 0, {}, seconds});
}

size_t Timeline::start(MeshTransfer transfer) {
  events.push_back({TimelineEvent::Kind::Start, transfers.size(), {}, 0});
  transfers.push_back(std::move(transfer));
  return transfers.size() - 1;
}

void Timeline::wait(size_t transfer) {
  events.push_back({TimelineEvent::Kind::Wait, transfer, {}, 0});
}

bool Timeline::attendsBesideTransfers() const {
  int64_t underWay = 0;
  for (const TimelineEvent &event : events) {
    underWay += event.kind == TimelineEvent::Kind::Start;
    underWay -= event.kind == TimelineEvent::Kind::Wait;
    if (underWay > 0 && !event.blocks.empty())
      return true;
  }
  return false;
}

/// Worked examples. A line of 4, rank 1: own shard, then rank 2's and rank 0's
/// after one hop, then rank 3's, which rank 2 has passed on. A ring of 4, rank
/// 1: own shard, rank 2's, rank 0's, then rank 3's, of which half has come
/// either way.
void addRingJoint(Timeline &timeline, const FusedRing &ring,
                  const std::function<int32_t(int64_t, int64_t)> &blockOf) {
  int64_t ranks = ring.ranks;
  // Nothing comes past the ends of a line.
  bool ends = !ring.closed;
  int64_t hops = ends ? ranks - 1 : ranks / 2;
  auto isOpposite = [&](int64_t hop) { return !ends && 2 * hop == ranks; };
  // Shards come from below (way 0) and from above (way 1).
  auto receives = [&](int64_t rank, int64_t way, int64_t hop) {
    return !ends || (way == 0 ? rank >= hop : rank + hop < ranks);
  };
  timeline.events.push_back(
      {TimelineEvent::Kind::Begin, 0, {}, ring.startSeconds});
  std::vector<size_t> arrivals[2];
  for (int64_t way : {0, 1})
    for (int64_t hop = 1; hop <= hops; ++hop) {
      MeshTransfer transfer;
      transfer.axis = ring.axis;
      transfer.ranks = ranks;
      transfer.withinOp = true;
      transfer.parts = {
          {way == 0 ? -1 : 1, ring.shardBytes / (isOpposite(hop) ? 2 : 1)}};
      transfer.options = ring.options;
      if (ends && way == 0)
        transfer.firstReceiver = hop;
      if (ends && way == 1)
        transfer.lastReceiver = ranks - 1 - hop;
      if (hop > 1)
        transfer.forwards = static_cast<int64_t>(arrivals[way].back());
      arrivals[way].push_back(timeline.start(transfer));
    }
  auto attend = [&](int64_t way, int64_t hop) {
    std::vector<int32_t> byRank;
    for (int64_t rank = 0; rank < ranks; ++rank)
      byRank.push_back(
          hop == 0 || receives(rank, way, hop)
              ? blockOf(rank, wrap(rank + (way == 0 ? -hop : hop), ranks))
              : kNoBlock);
    timeline.compute(std::move(byRank));
  };
  attend(0, 0);
  for (int64_t hop = 1; hop <= hops; ++hop)
    for (int64_t way : {1, 0}) {
      timeline.wait(arrivals[way][hop - 1]);
      // Both halves have to be there.
      if (!isOpposite(hop) || way == 0)
        attend(way, hop);
    }
}

namespace {

/// Since when something has been on its way, and when it is there.
struct Arrival {
  double start = 0;
  double end = 0;
};

/// Plays one timeline: a clock for every device that is played, and the times
/// at which each link is taken.
class Play {
public:
  Play(const Timeline &timeline, const std::vector<double> &blockSeconds,
       double fill, bool alternates)
      : timeline(timeline), links(timeline.mesh, timeline.axes),
        blockSeconds(blockSeconds), fill(fill), alternates(alternates) {
    chooseDevices();
    now.assign(devices.size(), 0);
    busy = exposed = waiting = sentUntil = now;
    arrived.resize(timeline.transfers.size());
    linkBusy.assign((links.hasOutwardLinks() ? 2 : 1) * links.linksPerDevice() *
                        devices.size(),
                    0);
    linkTaken.resize(linkBusy.size());
  }

  TimelineTime run() {
    for (const TimelineEvent &event : timeline.events) {
      switch (event.kind) {
      case TimelineEvent::Kind::Begin:
        for (size_t i = 0; i < devices.size(); ++i)
          waitFor(i, {now[i] + event.seconds, now[i] + event.seconds});
        break;
      case TimelineEvent::Kind::Start:
        start(event.transfer);
        break;
      case TimelineEvent::Kind::Wait:
        for (size_t i = 0; i < devices.size(); ++i)
          waitFor(i, arrived[event.transfer][i]);
        underWay.erase(
            std::find(underWay.begin(), underWay.end(), event.transfer));
        break;
      case TimelineEvent::Kind::Compute:
        compute(event);
        break;
      }
    }
    return finish();
  }

private:
  void chooseDevices();
  bool isUniform(size_t axis) const;
  bool differAlong(const MeshTransfer &transfer, size_t axis) const;
  std::vector<double> secondsOf(const TimelineEvent &event);
  void compute(const TimelineEvent &event);
  void start(size_t number);
  void send(const MeshTransfer &transfer, size_t receiver, OpStart &begin);
  void charge(LinkUse &use, OpStart &begin) const {
    std::vector<size_t> played;
    for (LinkId link : use.holds)
      played.push_back(linkOf(link));
    begin.charge(use, played);
  }
  void meet(const MeshTransfer &transfer);
  void waitFor(size_t i, const Arrival &arrival);
  Arrival occupy(const LinkUse &use, double ready);
  TimelineTime finish() const;

  /// The device that stands for `device` of the mesh.
  size_t standsFor(int64_t device) const {
    size_t number = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      number = number * sizes[axis] + links.rankOf(device, axis) % sizes[axis];
    return number;
  }
  /// How long it takes until the members of a transfer can send.
  double startOf(const MeshTransfer &transfer) const {
    return transfer.withinOp ? 0 : links.axis(transfer.axis).inside.start;
  }
  size_t linkOf(LinkId link) const {
    size_t perDevice = links.linksPerDevice();
    size_t device = link / perDevice % links.deviceCount();
    size_t outward = link / perDevice / links.deviceCount();
    return (outward * devices.size() + standsFor(device)) * perDevice +
           link % perDevice;
  }

  const Timeline &timeline;
  MeshLinks links;
  const std::vector<double> &blockSeconds;
  double fill;
  bool alternates;
  std::vector<size_t> sizes;    ///< ranks that are played, by axis
  std::vector<int64_t> devices; ///< of the mesh that are played
  std::vector<double> now, busy, exposed, waiting, sentUntil;
  std::vector<double> linkBusy;
  /// When each link is taken, ascending; what all devices have passed is gone.
  std::vector<std::vector<Arrival>> linkTaken;
  std::vector<std::vector<Arrival>> arrived; ///< by transfer and device
  std::vector<size_t> underWay;
  double sent = 0;
};

/// Whether one rank of an axis, or one host's ranks, stand for all of them.
bool Play::isUniform(size_t index) const {
  if (!timeline.differs[index])
    return true;
  const Axis &axis = timeline.axes[index];
  for (const TimelineEvent &event : timeline.events)
    if (event.blocks.size() > 1) {
      auto secondsOf = [&](int32_t block) {
        return block == kNoBlock ? 0 : blockSeconds[block];
      };
      auto [least, most] = std::minmax_element(
          event.blocks.begin(), event.blocks.end(),
          [&](int32_t a, int32_t b) { return secondsOf(a) < secondsOf(b); });
      if (secondsOf(*least) < (1 - kAlike) * secondsOf(*most))
        return false;
    }
  for (const MeshTransfer &transfer : timeline.transfers) {
    if (transfer.axis == index &&
        (axis.topology != Topology::Ring || transfer.ranks != axis.ranks ||
         transfer.firstReceiver > 0 || transfer.lastReceiver >= 0))
      return false;
    if (differAlong(transfer, index))
      return false;
  }
  return true;
}

/// Whether what devices receive depends on their rank on an axis.
bool Play::differAlong(const MeshTransfer &transfer, size_t axis) const {
  for (size_t device = 0; device < transfer.byDevice.size(); ++device) {
    auto number = static_cast<int64_t>(device);
    int64_t first = number - links.rankOf(number, axis) * links.stride(axis);
    if (!(transfer.byDevice[device] == transfer.byDevice[first]))
      return true;
  }
  return false;
}

void Play::chooseDevices() {
  size_t count = 1;
  for (size_t i = 0; i < timeline.mesh.size(); ++i) {
    const Axis &axis = timeline.axes[i];
    bool hosts = timeline.differs[i] && axis.perHost < axis.ranks;
    int64_t size = !isUniform(i) ? axis.ranks : hosts ? axis.perHost : 1;
    sizes.push_back(size);
    count *= size;
  }
  for (size_t number = 0; number < count; ++number) {
    int64_t device = 0;
    size_t left = number;
    for (size_t axis = sizes.size(); axis-- > 0; left /= sizes[axis])
      device += static_cast<int64_t>(left % sizes[axis]) * links.stride(axis);
    devices.push_back(device);
  }
}

/// The time of an event on every device that is played.
std::vector<double> Play::secondsOf(const TimelineEvent &event) {
  std::vector<double> seconds(devices.size(), event.seconds);
  if (event.blocks.empty())
    return seconds;
  auto add = [&](double &sum, int32_t block) {
    if (block != kNoBlock)
      sum += blockSeconds[block] + fill;
  };
  double most = 0;
  for (int32_t block : event.blocks)
    if (block != kNoBlock)
      most = std::max(most, blockSeconds[block] + fill);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (event.blocks.size() == 1) {
      add(seconds[i], event.blocks.front());
      continue;
    }
    // Where one device stands for several, for the slowest of them.
    size_t number = 0;
    bool one = false;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      if (timeline.differs[axis]) {
        number = number * timeline.mesh[axis] + links.rankOf(devices[i], axis);
        one |= static_cast<int64_t>(sizes[axis]) < timeline.mesh[axis];
      }
    if (one)
      seconds[i] += most;
    else
      add(seconds[i], event.blocks[number]);
  }
  fill = 0;
  return seconds;
}

void Play::waitFor(size_t i, const Arrival &arrival) {
  if (arrival.end <= now[i])
    return;
  double moving = arrival.end - std::max(now[i], arrival.start);
  exposed[i] += moving;
  waiting[i] += arrival.end - now[i] - moving;
  now[i] = arrival.end;
}

void Play::compute(const TimelineEvent &event) {
  std::vector<double> seconds = secondsOf(event);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (seconds[i] <= 0)
      continue;
    if (alternates) {
      for (size_t transfer : underWay)
        waitFor(i, arrived[transfer][i]);
      waitFor(i, {0, sentUntil[i]});
    }
    now[i] += seconds[i];
    busy[i] += seconds[i];
  }
}

/// The first time from `ready` on when all links of a use are free for long
/// enough: devices are at different events at the same time, so that a later
/// event may find a gap before an earlier one. A gap that is shorter by next to
/// nothing, such as the latency of one more hop, will do: in the order of time
/// who takes it comes first, and the other waits that long for it.
Arrival Play::occupy(const LinkUse &use, double ready) {
  double begin = ready, needed = (1 - kAlike) * use.seconds;
  for (bool moved = true; moved;) {
    moved = false;
    for (LinkId link : use.holds)
      for (const Arrival &taken : linkTaken[linkOf(link)])
        if (taken.start < begin + needed && taken.end > begin) {
          begin = taken.end;
          moved = true;
        }
  }
  Arrival taken = {begin, begin + use.seconds};
  for (LinkId link : use.holds) {
    std::vector<Arrival> &times = linkTaken[linkOf(link)];
    times.insert(std::upper_bound(times.begin(), times.end(), taken,
                                  [](const Arrival &a, const Arrival &b) {
                                    return a.start < b.start;
                                  }),
                 taken);
    linkBusy[linkOf(link)] += use.seconds;
  }
  return taken;
}

/// What one device receives, each part by itself.
void Play::send(const MeshTransfer &transfer, size_t receiver, OpStart &begin) {
  int64_t target = devices[receiver];
  int64_t rank = links.rankOf(target, transfer.axis);
  int64_t place = rank / transfer.stride % transfer.ranks;
  Arrival &arrival = arrived[&transfer - timeline.transfers.data()][receiver];
  arrival = {now[receiver], now[receiver]};
  int64_t last =
      transfer.lastReceiver < 0 ? transfer.ranks - 1 : transfer.lastReceiver;
  bool all = sizes[transfer.axis] == 1;
  if (!all && (place < transfer.firstReceiver || place > last))
    return;
  bool first = true;
  for (const MeshTransfer::Part &part :
       transfer.byDevice.empty() ? transfer.parts : transfer.byDevice[target]) {
    int64_t from = wrap(place + part.source, transfer.ranks);
    if (from == place)
      continue;
    int64_t source =
        target + (from - place) * transfer.stride * links.stride(transfer.axis);
    size_t sender = standsFor(source);
    double ready = std::max(now[receiver], now[sender]);
    if (transfer.forwards >= 0)
      ready = std::max(now[receiver], arrived[transfer.forwards][sender].end);
    double left = ready;
    for (LinkUse &use :
         links.direct(source, target, part.bytes, transfer.options)) {
      charge(use, begin);
      Arrival one = occupy(use, ready);
      left = std::max(left, one.end);
      arrival.start = first ? one.start : std::min(arrival.start, one.start);
      arrival.end = std::max(arrival.end, one.end);
      first = false;
    }
    sentUntil[sender] = std::max(sentUntil[sender], left);
    sent += part.bytes;
  }
}

/// A collective begins when all of its members are there.
void Play::meet(const MeshTransfer &transfer) {
  std::vector<Arrival> &arrivals =
      arrived[&transfer - timeline.transfers.data()];
  double bytes = transfer.parts.front().bytes;
  for (size_t i = 0; i < devices.size(); ++i) {
    int64_t rank = links.rankOf(devices[i], transfer.axis);
    int64_t place = rank / transfer.stride % transfer.ranks;
    std::vector<int64_t> members;
    double ready = 0;
    for (int64_t member = 0; member < transfer.ranks; ++member) {
      members.push_back(devices[i] + (member - place) * transfer.stride *
                                         links.stride(transfer.axis));
      ready = std::max(ready, now[standsFor(members.back())]);
    }
    LinkUse use;
    bool onAxis = links.collective(transfer.carriage, members, devices[i],
                                   bytes, transfer.options, use);
    assert(onAxis && "expects the members on one mesh axis");
    (void)onAxis;
    use.seconds += startOf(transfer);
    arrivals[i] = occupy(use, ready);
    sent += bytes * static_cast<double>(transfer.ranks - 1);
  }
}

void Play::start(size_t number) {
  const MeshTransfer &transfer = timeline.transfers[number];
  arrived[number].assign(devices.size(), {});
  underWay.push_back(number);
  double passed = *std::min_element(now.begin(), now.end());
  for (std::vector<Arrival> &times : linkTaken)
    times.erase(times.begin(), std::find_if(times.begin(), times.end(),
                                            [&](const Arrival &taken) {
                                              return taken.end > passed;
                                            }));
  if (transfer.ranks == 1)
    return;
  if (transfer.carriage != Carriage::Direct)
    return meet(transfer);
  OpStart begin(startOf(transfer));
  for (size_t i = 0; i < devices.size(); ++i)
    send(transfer, i, begin);
}

TimelineTime Play::finish() const {
  TimelineTime time;
  size_t last = 0;
  std::vector<double> ends = now;
  for (const std::vector<Arrival> &arrivals : arrived)
    for (size_t i = 0; i < arrivals.size(); ++i)
      ends[i] = std::max(ends[i], arrivals[i].end);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (ends[i] > ends[last])
      last = i;
    time.computeSeconds = std::max(time.computeSeconds, busy[i]);
  }
  time.seconds = ends[last];
  for (double seconds : linkBusy)
    time.transferSeconds = std::max(time.transferSeconds, seconds);
  time.exposedSeconds = exposed[last] + ends[last] - now[last];
  time.waitingSeconds = waiting[last];
  time.bytesSent = sent / static_cast<double>(devices.size());
  return time;
}

/// One processor works on all devices in turn: all that they do adds up.
TimelineTime playOnProcessor(const Timeline &timeline,
                             const std::vector<double> &blockSeconds) {
  TimelineTime time;
  double devices = 1;
  for (int64_t size : timeline.mesh)
    devices *= static_cast<double>(size);
  for (const TimelineEvent &event : timeline.events) {
    if (event.kind == TimelineEvent::Kind::Compute) {
      time.computeSeconds += event.seconds * devices;
      for (int32_t block : event.blocks)
        if (block != kNoBlock)
          time.computeSeconds += blockSeconds[block] * devices /
                                 static_cast<double>(event.blocks.size());
    }
    if (event.kind != TimelineEvent::Kind::Start)
      continue;
    const MeshTransfer &transfer = timeline.transfers[event.transfer];
    Axis axis = timeline.axes[transfer.axis];
    axis.ranks = transfer.ranks;
    for (const MeshTransfer::Part &part : transfer.parts) {
      double moved = transfer.inPlace ? 0 : part.bytes;
      double ranks = static_cast<double>(transfer.ranks);
      double seconds = axis.processor->handOver;
      if (transfer.carriage == Carriage::AllGather)
        seconds = allGatherSeconds(axis, moved, transfer.options);
      else if (transfer.carriage != Carriage::Direct)
        seconds = allToAllSeconds(axis, ranks * moved, transfer.options);
      time.transferSeconds += transfer.ranks > 1 ? seconds * devices : 0;
      time.bytesSent +=
          part.bytes * (transfer.carriage == Carriage::Direct ? 1 : ranks - 1);
    }
  }
  time.exposedSeconds = time.transferSeconds;
  time.seconds = time.computeSeconds + time.transferSeconds;
  return time;
}

} // namespace

TimelineTime play(const Timeline &timeline, const std::vector<double> &seconds,
                  double fill, bool alternates) {
  assert(seconds.size() == timeline.blocks.size() && "expects a time a block");
  if (timeline.axes.front().processor)
    return playOnProcessor(timeline, seconds);
  return Play(timeline, seconds, fill, alternates).run();
}

} // namespace ring::machine
