// SPDX-License-Identifier: Apache-2.0
//
// Finds the links of a route, and how long a collective holds them.

#include "ring/Machine/MeshLinks.h"

#include <algorithm>
#include <cstdlib>

namespace ring::machine {

namespace {

/// How long a link is busy with what follows the first packet.
double secondsBehindFirst(const Links &links, Topology topology, double bytes,
                          const TransferOptions &options) {
  return std::max(0.0, bytes - options.packet) /
         hopBandwidth(links, topology, options.packet, options.links);
}

} // namespace

MeshLinks::MeshLinks(std::vector<int64_t> shape, std::vector<Axis> axesOfMesh)
    : mesh(std::move(shape)), strides(mesh.size(), 1),
      axes(std::move(axesOfMesh)) {
  for (size_t i = mesh.size(); i-- > 0; devices *= mesh[i])
    strides[i] = static_cast<int64_t>(devices);
}

bool MeshLinks::hasOutwardLinks() const {
  return !shared() &&
         std::any_of(axes.begin(), axes.end(), [](const Axis &axis) {
           return axis.wiring == Wiring::Counterparts &&
                  axis.perHost < axis.ranks;
         });
}

bool MeshLinks::areOnTwoHosts(int64_t device, int64_t other) const {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].isBetweenHosts(rankOf(device, i), rankOf(other, i)))
      return true;
  return false;
}

int64_t MeshLinks::neighbour(int64_t device, size_t axis,
                             int64_t offset) const {
  int64_t rank = rankOf(device, axis), ranks = mesh[axis];
  int64_t next = ((rank + offset) % ranks + ranks) % ranks;
  return device + (next - rank) * stride(axis);
}

std::vector<LinkUse> MeshLinks::direct(int64_t source, int64_t target,
                                       double bytes,
                                       const TransferOptions &options) const {
  if (shared())
    return {{axes.front().processor->handOver, {}}};
  std::vector<LinkUse> uses;
  double latency = 0;
  int64_t at = source;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].wiring == Wiring::Counterparts &&
        axes[i].perHost < axes[i].ranks) {
      at = overCounterparts(at, target, i, bytes, options, uses, latency);
      continue;
    }
    int64_t ranks = mesh[i];
    int64_t ahead = rankOf(target, i) - rankOf(at, i);
    bool closed = axes[i].topology == Topology::Ring;
    if (closed && 2 * std::abs(ahead) > ranks)
      ahead += ahead > 0 ? -ranks : ranks;
    bool forward = ahead > 0;
    for (; ahead != 0; ahead += forward ? -1 : 1) {
      int64_t next = neighbour(at, i, forward ? 1 : -1);
      const Links &links = axes[i].linksFrom(rankOf(forward ? at : next, i));
      uses.push_back(
          {secondsBehindFirst(links, axes[i].topology, bytes, options),
           {link(at, i, forward)}});
      latency +=
          links.hopLatency(axes[i].topology, std::min(bytes, options.packet));
      at = next;
    }
  }
  for (LinkUse &use : uses)
    use.seconds += latency;
  return uses;
}

/// From host to host over the chip's own links, then among the chips of the
/// host. Example, hosts of 8: from 7 to 8, which is chip 0 of the next host,
/// goes over the link of chip 7 and, where a host is a ring, one hop on.
int64_t MeshLinks::overCounterparts(int64_t from, int64_t target, size_t index,
                                    double bytes,
                                    const TransferOptions &options,
                                    std::vector<LinkUse> &uses,
                                    double &latency) const {
  const Axis &axis = axes[index];
  int64_t size = axis.perHost, hosts = axis.ranks / size;
  int64_t step = stride(index), at = from;
  auto walk = [&](int64_t ahead, int64_t ranks, Topology topology,
                  const Links &links, bool leaves) {
    if (topology == Topology::Ring && ranks > 2 && 2 * std::abs(ahead) > ranks)
      ahead += ahead > 0 ? -ranks : ranks;
    bool forward = ahead > 0;
    double seconds = secondsBehindFirst(links, topology, bytes, options);
    for (; ahead != 0; ahead += forward ? -1 : 1) {
      int64_t rank = rankOf(at, index);
      int64_t place = leaves ? rank / size : rank % size;
      int64_t next = (place + (forward ? 1 : -1) + ranks) % ranks;
      uses.push_back({seconds,
                      {leaves ? outwardLink(at, index, forward)
                              : link(at, index, forward)}});
      latency += links.hopLatency(topology, std::min(bytes, options.packet));
      at += (next - place) * step * (leaves ? size : 1);
    }
  };
  int64_t wanted = rankOf(target, index), own = rankOf(from, index);
  walk(wanted / size - own / size, hosts, axis.topology, axis.between, true);
  walk(wanted % size - own % size, size, axis.insideTopology, axis.inside,
       false);
  return at;
}

size_t MeshLinks::axisOf(const std::vector<int64_t> &members,
                         int64_t &step) const {
  for (size_t i = 0; i < mesh.size(); ++i) {
    int64_t apart = members[1] - members[0];
    if (apart <= 0 || apart % stride(i) != 0)
      continue;
    step = apart / stride(i);
    int64_t count = static_cast<int64_t>(members.size());
    bool fits = rankOf(members[0], i) + step * (count - 1) < mesh[i];
    for (size_t m = 1; m < members.size(); ++m)
      fits &= members[m] - members[m - 1] == apart;
    if (fits)
      return i;
  }
  return mesh.size();
}

bool MeshLinks::collective(Carriage carriage,
                           const std::vector<int64_t> &members, int64_t device,
                           double bytes, const TransferOptions &options,
                           LinkUse &use) const {
  int64_t step = 1;
  size_t index = axisOf(members, step);
  if (index == mesh.size())
    return false;
  double ranks = static_cast<double>(members.size());
  Axis axis = subAxis(axes[index], static_cast<int64_t>(members.size()), step);
  switch (carriage) {
  case Carriage::AllGather:
  case Carriage::ReduceScatter:
    use.seconds = allGatherSeconds(axis, bytes, options);
    break;
  case Carriage::AllToAll:
    use.seconds = allToAllSeconds(axis, bytes * ranks, options);
    break;
  case Carriage::AllReduce:
    use.seconds = allReduceSeconds(axis, bytes, options);
    break;
  case Carriage::Direct:
    return false;
  }
  if (!shared())
    use.holds = {link(device, index, true), link(device, index, false)};
  return true;
}

} // namespace ring::machine
