// SPDX-License-Identifier: Apache-2.0
//
// The links of a simulated mesh: which of them a transfer holds, and for how
// long.

#ifndef RING_RUNTIME_SIM_MESHLINKS_H
#define RING_RUNTIME_SIM_MESHLINKS_H

#include "Ops/OpWork.h"
#include "ring-runtime/Types.h"
#include "ring/Machine/EventEngine.h"
#include "ring/Machine/LinkModel.h"

namespace ring::rt {

/// What a transfer takes.
struct LinkUse {
  double seconds = 0;
  std::vector<machine::ResourceId> holds;
};

/// Every device has a link in each direction of each axis, towards its
/// neighbour there. Devices that share a processor have none.
class MeshLinks {
public:
  MeshLinks(const Shape &mesh, std::vector<machine::Axis> axes,
            machine::EventEngine &engine);

  /// `bytes` from one device to another, along one axis after the other, the
  /// shorter way round where an axis is closed. Packets go through, so the
  /// links of all hops are busy at the same time, each for its own reasons: one
  /// use for each. All must have ended.
  std::vector<LinkUse> direct(int64_t source, int64_t target, double bytes,
                              const machine::TransferOptions &options) const;
  /// A device's part in an exchange in which everybody of `members` gets
  /// `bytes` of everybody. Nothing if the members do not lie on one axis.
  bool collective(Carriage carriage, const std::vector<int64_t> &members,
                  int64_t device, double bytes,
                  const machine::TransferOptions &options, LinkUse &use) const;
  /// The link of a device along an axis.
  machine::ResourceId link(int64_t device, size_t axis, bool forward) const {
    return first + static_cast<machine::ResourceId>(
                       (device * axes.size() + axis) * 2 + (forward ? 0 : 1));
  }
  /// The link of a device to its counterpart on the next host along an axis.
  machine::ResourceId outwardLink(int64_t device, size_t axis,
                                  bool forward) const {
    return link(device, axis, forward) +
           static_cast<machine::ResourceId>(linksPerDevice() * devices);
  }

  /// How many links a device has, and how many there are.
  size_t linksPerDevice() const { return shared() ? 0 : 2 * axes.size(); }
  /// Whether devices have links to counterparts on other hosts, as many again.
  bool hasOutwardLinks() const;
  bool shared() const { return axes.front().processor.has_value(); }
  const machine::Axis &axis(size_t index) const { return axes[index]; }
  /// The rank of a device on an axis.
  int64_t rankOf(int64_t device, size_t axis) const {
    return device / stride(axis) % mesh[axis];
  }
  /// The device `offset` further along an axis, round its end.
  int64_t neighbour(int64_t device, size_t axis, int64_t offset) const;

private:
  /// The links from `from` to the rank of `target` on an axis of hosts whose
  /// chips have counterparts; the device that is reached.
  int64_t overCounterparts(int64_t from, int64_t target, size_t index,
                           double bytes,
                           const machine::TransferOptions &options,
                           std::vector<LinkUse> &uses, double &latency) const;
  int64_t stride(size_t axis) const;
  /// Finds the axis on which the members lie evenly; mesh.size() if none.
  size_t axisOf(const std::vector<int64_t> &members, int64_t &step) const;

  Shape mesh;
  std::vector<machine::Axis> axes;
  size_t devices = 0;
  machine::ResourceId first = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_MESHLINKS_H
