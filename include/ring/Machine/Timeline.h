// SPDX-License-Identifier: Apache-2.0
//
// The program of a mesh in the abstract: what all devices do, in order, without
// data. The planner reads one out of the program that a plan would become, the
// fused device ops have one of their own, and `play` says how long either
// takes, also on thousands of chips.

#ifndef RING_MACHINE_TIMELINE_H
#define RING_MACHINE_TIMELINE_H

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/MeshLinks.h"

#include <functional>

namespace ring::machine {

/// What the members of a group get from each other: all ranks of a mesh axis,
/// or every `stride`-th of `ranks * stride` neighbours.
struct MeshTransfer {
  Carriage carriage = Carriage::Direct;
  size_t axis = 0;
  int64_t ranks = 1;
  int64_t stride = 1;
  /// What a member receives, by how many places further round the group the
  /// sender is. A collective has one part: what every member sends each other.
  struct Part {
    int64_t source = 0;
    double bytes = 0;

    bool operator==(const Part &other) const {
      return source == other.source && bytes == other.bytes;
    }
  };
  std::vector<Part> parts;
  /// The same for each device of the mesh, where they differ.
  std::vector<std::vector<Part>> byDevice;
  /// The members that receive anything; the last one -1 for all behind.
  int64_t firstReceiver = 0;
  int64_t lastReceiver = -1;
  /// The transfer that brings what this one sends on as soon as it is there,
  /// whatever the sender does meanwhile. -1: devices start it themselves.
  int64_t forwards = -1;
  /// Devices that share a processor: who gets the rows reads them where they
  /// are.
  bool inPlace = false;
  /// A part of an op that has been started already, not an op of its own.
  bool withinOp = false;
  TransferOptions options;
};

/// A block of attention; gradients take more passes over it than two products.
struct TimelineBlock {
  AttentionCall call;
  double passes = 1;
};

/// No block at all.
constexpr int32_t kNoBlock = -1;

/// One thing that every device does.
struct TimelineEvent {
  /// Begin: an op that passes data on takes its time before it does anything.
  enum class Kind { Begin, Compute, Start, Wait };
  Kind kind = Kind::Compute;
  size_t transfer = 0;
  /// The block of attention that is computed: none, one for all devices or one
  /// for each.
  std::vector<int32_t> blocks;
  /// Seconds of other work, or until an op has begun.
  double seconds = 0;
};

/// What all devices do. Devices that differ in nothing but their ranks on some
/// axes are one: by-device lists are over the axes with `differs`, row-major.
struct Timeline {
  std::vector<int64_t> mesh;
  std::vector<Axis> axes;
  std::vector<bool> differs;
  std::vector<TimelineBlock> blocks;
  std::vector<MeshTransfer> transfers;
  std::vector<TimelineEvent> events;
  /// All blocks are one call of a device op, whose cores are filled once.
  bool oneCall = false;

  /// Numbers a block; equal ones have the same number.
  int32_t add(const TimelineBlock &block);
  void compute(std::vector<int32_t> byDevice);
  void compute(double seconds);
  size_t start(MeshTransfer transfer);
  void wait(size_t transfer);
  /// Whether some block is computed while something is under way.
  bool attendsBesideTransfers() const;
};

/// The keys and values of `ranks` devices on one axis, as a fused device op
/// passes them on.
struct FusedRing {
  size_t axis = 0;
  int64_t ranks = 1;
  /// Whether the last device is a neighbour of the first.
  bool closed = true;
  double shardBytes = 0;
  double startSeconds = 0; ///< see fusedStartSeconds
  TransferOptions options;
};
/// ring_joint: shards go round both ways, from neighbour to neighbour, into
/// buffers for all of them; a device starts on its own and takes those of the
/// ranks i+1, i-1, i+2, ... as they arrive. `blockOf` says what a rank computes
/// with the shard of another.
void addRingJoint(Timeline &timeline, const FusedRing &ring,
                  const std::function<int32_t(int64_t, int64_t)> &blockOf);

/// What a timeline costs.
struct TimelineTime {
  double seconds = 0;
  double computeSeconds = 0;  ///< of the busiest device
  double transferSeconds = 0; ///< of the busiest link
  double exposedSeconds = 0;  ///< the last device stood still for transfers
  /// It stood still for late peers, and until a fused op had started.
  double waitingSeconds = 0;
  double bytesSent = 0; ///< by one device, in the mean
};

/// Plays a timeline with blocks that take `seconds`, by their number, the first
/// one `fill` more. `alternates`: nothing moves while a device computes.
TimelineTime play(const Timeline &timeline, const std::vector<double> &seconds,
                  double fill = 0, bool alternates = false);

} // namespace ring::machine

#endif // RING_MACHINE_TIMELINE_H
