// SPDX-License-Identifier: Apache-2.0
//
// Routes and collectives.

#include "Sim/MeshLinks.h"

#include <algorithm>

namespace ring::rt {

MeshLinks::MeshLinks(const Shape &mesh, std::vector<machine::Axis> axesOfMesh,
                     machine::EventEngine &engine)
    : mesh(mesh), axes(std::move(axesOfMesh)) {
  int64_t devices = elementCount(mesh);
  size_t count = linksPerDevice() * static_cast<size_t>(devices);
  for (size_t i = 0; i < count; ++i) {
    machine::ResourceId id = engine.addResource();
    if (i == 0)
      first = id;
  }
}

int64_t MeshLinks::stride(size_t axis) const {
  int64_t step = 1;
  for (size_t i = axis + 1; i < mesh.size(); ++i)
    step *= mesh[i];
  return step;
}

int64_t MeshLinks::neighbour(int64_t device, size_t axis,
                             int64_t offset) const {
  int64_t rank = rankOf(device, axis), ranks = mesh[axis];
  int64_t next = ((rank + offset) % ranks + ranks) % ranks;
  return device + (next - rank) * stride(axis);
}

std::vector<LinkUse>
MeshLinks::direct(int64_t source, int64_t target, double bytes,
                  const machine::TransferOptions &options) const {
  if (shared())
    return {{axes.front().processor->handOver, {}}};
  std::vector<LinkUse> uses;
  double latency = 0;
  int64_t at = source;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t ranks = mesh[i];
    int64_t ahead = rankOf(target, i) - rankOf(at, i);
    bool closed = axes[i].topology == machine::Topology::Ring;
    if (closed && 2 * std::abs(ahead) > ranks)
      ahead += ahead > 0 ? -ranks : ranks;
    bool forward = ahead > 0;
    for (; ahead != 0; ahead += forward ? -1 : 1) {
      int64_t next = neighbour(at, i, forward ? 1 : -1);
      const machine::Links &links =
          axes[i].linksFrom(rankOf(forward ? at : next, i));
      double bandwidth =
          hopBandwidth(links, axes[i].topology, options.packet, options.links);
      uses.push_back({bytes / bandwidth, {link(at, i, forward)}});
      latency += links.latency;
      at = next;
    }
  }
  for (LinkUse &use : uses)
    use.seconds += latency;
  return uses;
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
                           double bytes,
                           const machine::TransferOptions &options,
                           LinkUse &use) const {
  int64_t step = 1;
  size_t index = axisOf(members, step);
  if (index == mesh.size())
    return false;
  double ranks = static_cast<double>(members.size());
  machine::Axis axis =
      machine::subAxis(axes[index], static_cast<int64_t>(members.size()), step);
  switch (carriage) {
  case Carriage::AllGather:
  case Carriage::ReduceScatter:
    use.seconds = machine::allGatherSeconds(axis, bytes, options);
    break;
  case Carriage::AllToAll:
    use.seconds = machine::allToAllSeconds(axis, bytes * ranks, options);
    break;
  case Carriage::AllReduce:
    use.seconds = machine::allReduceSeconds(axis, bytes, options);
    break;
  case Carriage::Direct:
    return false;
  }
  if (!shared())
    use.holds = {link(device, index, true), link(device, index, false)};
  return true;
}

} // namespace ring::rt
