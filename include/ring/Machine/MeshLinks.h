// SPDX-License-Identifier: Apache-2.0
//
// The links of a mesh: which of them a transfer holds, and for how long. The
// planner and the simulator send over the same ones.

#ifndef RING_MACHINE_MESHLINKS_H
#define RING_MACHINE_MESHLINKS_H

#include "ring/Machine/LinkModel.h"

#include <set>

namespace ring::machine {

/// How what devices exchange is carried.
enum class Carriage {
  Direct,       ///< each from its source to its target, the shortest way
  AllGather,    ///< everybody gets the same, handed on from neighbour to
                ///< neighbour
  AllToAll,     ///< everybody gets another piece of everybody
  AllReduce,    ///< sums that everybody gets
  ReduceScatter ///< sums of which everybody gets a piece
};

/// A directed link, counted from 0.
using LinkId = int32_t;

/// What a transfer takes.
struct LinkUse {
  double seconds = 0;
  std::vector<LinkId> holds;
};

/// The start of an op that uses links. The cores that move data do one op after
/// the other, so that each link is held for it, once.
class OpStart {
public:
  explicit OpStart(double seconds) : seconds(seconds) {}

  /// Charges a use of links, named by their numbers in `ids`.
  template <typename Ids>
  void charge(LinkUse &use, const Ids &ids) {
    bool first = false;
    for (auto id : ids)
      first |= begun.insert(static_cast<int64_t>(id)).second;
    use.seconds += first ? seconds : 0;
  }

private:
  double seconds;
  std::set<int64_t> begun;
};

/// Every device has a link in each direction of each axis, towards its
/// neighbour there. Devices that share a processor have none.
class MeshLinks {
public:
  MeshLinks(std::vector<int64_t> mesh, std::vector<Axis> axes);

  /// `bytes` from one device to another, along one axis after the other, the
  /// shorter way round where an axis is closed. Packets go through, so the
  /// links of all hops are busy at the same time, each for its own reasons: one
  /// use for each. All must have ended.
  std::vector<LinkUse> direct(int64_t source, int64_t target, double bytes,
                              const TransferOptions &options) const;
  /// A device's part in an exchange in which everybody of `members` gets
  /// `bytes` of everybody. False if the members do not lie on one axis.
  bool collective(Carriage carriage, const std::vector<int64_t> &members,
                  int64_t device, double bytes, const TransferOptions &options,
                  LinkUse &use) const;
  /// The link of a device along an axis.
  LinkId link(int64_t device, size_t axis, bool forward) const {
    return static_cast<LinkId>((device * axes.size() + axis) * 2 +
                               (forward ? 0 : 1));
  }
  /// The link of a device to its counterpart on the next host along an axis.
  LinkId outwardLink(int64_t device, size_t axis, bool forward) const {
    return link(device, axis, forward) +
           static_cast<LinkId>(linksPerDevice() * devices);
  }

  /// How many links a device has towards its neighbours.
  size_t linksPerDevice() const { return shared() ? 0 : 2 * axes.size(); }
  /// Whether devices have links to counterparts on other hosts, as many again.
  bool hasOutwardLinks() const;
  /// How many links there are.
  size_t count() const {
    return (hasOutwardLinks() ? 2 : 1) * linksPerDevice() * devices;
  }
  bool shared() const { return axes.front().processor.has_value(); }
  const Axis &axis(size_t index) const { return axes[index]; }
  size_t deviceCount() const { return devices; }
  /// The rank of a device on an axis.
  int64_t rankOf(int64_t device, size_t axis) const {
    return device / stride(axis) % mesh[axis];
  }
  /// Devices between two neighbours along an axis.
  int64_t stride(size_t axis) const { return strides[axis]; }
  /// Whether two devices are on different hosts.
  bool areOnTwoHosts(int64_t device, int64_t other) const;
  /// The device `offset` further along an axis, round its end.
  int64_t neighbour(int64_t device, size_t axis, int64_t offset) const;

private:
  /// The links from `from` to the rank of `target` on an axis of hosts whose
  /// chips have counterparts; the device that is reached.
  int64_t overCounterparts(int64_t from, int64_t target, size_t index,
                           double bytes, const TransferOptions &options,
                           std::vector<LinkUse> &uses, double &latency) const;
  /// Finds the axis on which the members lie evenly; mesh.size() if none.
  size_t axisOf(const std::vector<int64_t> &members, int64_t &step) const;

  std::vector<int64_t> mesh, strides;
  std::vector<Axis> axes;
  size_t devices = 1;
};

} // namespace ring::machine

#endif // RING_MACHINE_MESHLINKS_H
