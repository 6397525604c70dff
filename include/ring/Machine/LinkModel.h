// SPDX-License-Identifier: Apache-2.0
//
// How long bytes take from chip to chip, on one axis of the mesh and in the
// collectives that run on it.

#ifndef RING_MACHINE_LINKMODEL_H
#define RING_MACHINE_LINKMODEL_H

#include "ring/Machine/Machine.h"

namespace ring::machine {

/// Largest packet of a gather: two pages of a tile, 4096 bytes in bf16 and
/// f32, 2176 in bfp8, 1152 in bfp4.
double packetBytes(double tileBytes);

/// One axis of a machine as a program sees it.
struct Axis {
  int64_t ranks = 1;
  Topology topology = Topology::Line;
  /// Ranks of one host that stand beside each other; `ranks` if there is one
  /// host. The hop from rank r to r + 1 leaves the host if perHost divides
  /// r + 1.
  int64_t perHost = 1;
  Links inside;
  Links between; ///< used where perHost < ranks
  /// How hosts are wired, and whether the chips of one are a ring themselves;
  /// only where perHost < ranks.
  Wiring wiring = Wiring::Ends;
  Topology insideTopology = Topology::Line;
  /// Set if devices share a processor: transfers are hand-overs by pointer.
  std::optional<SharedProcessor> processor;

  /// Whether the hop from `rank` to the next one leaves the host.
  bool leavesHost(int64_t rank) const {
    return perHost < ranks && (rank + 1) % perHost == 0;
  }
  /// Whether two ranks are on different hosts.
  bool isBetweenHosts(int64_t rank, int64_t other) const {
    return rank / perHost != other / perHost;
  }
  /// The links of the hop between `rank` and the next one.
  const Links &linksFrom(int64_t rank) const {
    return leavesHost(rank) ? between : inside;
  }
};

/// Every `stride`-th of `size` * `stride` neighbouring ranks of an axis as an
/// axis of its own. `stride` of them run over the same links.
Axis subAxis(const Axis &axis, int64_t size, int64_t stride);

/// Bytes per second that one direction of a hop carries, over all its links.
/// `used` limits how many are used; 0: all.
double hopBandwidth(const Links &links, Topology topology, double packet,
                    int64_t used = 0);

/// Seconds before an op that computes and passes shards round in one has begun
/// both.
double fusedStartSeconds(const Axis &axis);

/// How a transfer is done.
struct TransferOptions {
  double packet = 4096;
  int64_t links = 0; ///< 0: all there are
};

/// Every rank gets the shards of `bytes` of all, both ways at once.
double allGatherSeconds(const Axis &axis, double bytes,
                        const TransferOptions &options = {});
/// Every rank sends bytes / ranks to each other one.
double allToAllSeconds(const Axis &axis, double bytes,
                       const TransferOptions &options = {});
/// A reduction that leaves every rank the whole: reduce-scatter, then gather.
double allReduceSeconds(const Axis &axis, double bytes,
                        const TransferOptions &options = {});

} // namespace ring::machine

#endif // RING_MACHINE_LINKMODEL_H
