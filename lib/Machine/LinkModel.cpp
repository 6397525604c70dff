// SPDX-License-Identifier: Apache-2.0
//
// Parts of an axis, and what transfers take on it.

#include "ring/Machine/LinkModel.h"

#include <algorithm>

namespace ring::machine {

namespace {

/// Pages in a packet of a gather, and the bytes of one, which is half of what
/// routers take unless they are told otherwise.
constexpr double kPagesOfPacket = 2, kLargestPage = 2048;
/// A fused op takes as long to start as this many transfers. Fitted; see
/// docs/MachineModel.md.
constexpr double kStartsOfFusedOp = 2;

double secondsOn(const Links &links, Topology topology, double bytes,
                 const TransferOptions &options) {
  return bytes / hopBandwidth(links, topology, options.packet, options.links);
}

/// Seconds that `bytes` take on the slowest kind of link of an axis.
double slowest(const Axis &axis, double bytes, const TransferOptions &options) {
  double seconds = secondsOn(axis.inside, axis.topology, bytes, options);
  if (axis.perHost < axis.ranks)
    seconds = std::max(seconds,
                       secondsOn(axis.between, axis.topology, bytes, options));
  return seconds;
}

/// The first packet's way over `hops` hops.
double latencyOver(const Axis &axis, int64_t hops,
                   const TransferOptions &options) {
  double inside = axis.inside.hopLatency(axis.topology, options.packet);
  double seconds = static_cast<double>(hops) * inside;
  if (axis.perHost < axis.ranks) {
    int64_t crossings = (hops + axis.perHost - 1) / axis.perHost;
    seconds +=
        static_cast<double>(crossings) *
        (axis.between.hopLatency(axis.topology, options.packet) - inside);
  }
  return seconds;
}

} // namespace

/// Worked example, a ring of 8 in two ways of size 4: ranks 0 to 3 are a line,
/// and so are 4 to 7; ranks 0, 2, 4, 6 are a ring of two hops each, and share
/// every link with 1, 3, 5, 7. Of hosts whose chips have counterparts, the
/// chips of one are wired as they are without the others, and a chip and its
/// counterparts share no link with anybody.
Axis subAxis(const Axis &axis, int64_t size, int64_t stride) {
  Axis part = axis;
  part.ranks = size;
  bool counterparts =
      axis.perHost < axis.ranks && axis.wiring == Wiring::Counterparts;
  if (counterparts && size == axis.perHost && stride == 1) {
    part.perHost = size;
    part.topology = size > 2 ? axis.insideTopology : Topology::Line;
    return part;
  }
  if (counterparts && stride == axis.perHost) {
    part.perHost = 1;
    part.topology = size > 2 && size * stride == axis.ranks ? axis.topology
                                                            : Topology::Line;
    return part;
  }
  bool closed = axis.topology == Topology::Ring && size > 2 &&
                size * stride == axis.ranks;
  part.topology = closed ? Topology::Ring : Topology::Line;
  part.perHost = size;
  if (axis.perHost < axis.ranks && size * stride > axis.perHost)
    part.perHost = std::max<int64_t>(1, axis.perHost / stride);
  for (Links *links : {&part.inside, &part.between}) {
    links->scaleBandwidth(1 / static_cast<double>(stride));
    links->latency *= static_cast<double>(stride);
    links->secondsPerByteToRouter *= static_cast<double>(stride);
  }
  return part;
}

double fusedStartSeconds(const Axis &axis) {
  return axis.processor ? 0 : kStartsOfFusedOp * axis.inside.start;
}

double packetBytes(double tileBytes) {
  return kPagesOfPacket * std::min(kLargestPage, tileBytes);
}

double hopBandwidth(const Links &links, Topology topology, double packet,
                    int64_t used) {
  int64_t count = used > 0 ? std::min(used, links.count) : links.count;
  return links.on(topology).bandwidthOf(packet) * static_cast<double>(count);
}

/// On a ring half of the shards come either way, of an even one half of the
/// opposite rank's; on a line all R - 1 pass the end's only link.
double allGatherSeconds(const Axis &axis, double bytes,
                        const TransferOptions &options) {
  int64_t others = axis.ranks - 1;
  if (others == 0)
    return 0;
  // The ranks share what they gather: each has its own part written down.
  if (axis.processor)
    return axis.processor->handOver + bytes / axis.processor->copyBandwidth;
  bool ring = axis.topology == Topology::Ring;
  double shards = static_cast<double>(others) / (ring ? 2 : 1);
  return slowest(axis, bytes * shards, options) +
         latencyOver(axis, ring ? (others + 1) / 2 : others, options);
}

/// The busiest link carries, of pieces of bytes / R: on a ring the sum of the
/// distances one way, about R^2 / 8; on a line what crosses the middle, about
/// R^2 / 4.
double allToAllSeconds(const Axis &axis, double bytes,
                       const TransferOptions &options) {
  if (axis.ranks == 1)
    return 0;
  if (axis.processor)
    return axis.processor->handOver + bytes / axis.processor->copyBandwidth;
  int64_t ranks = axis.ranks, half = ranks / 2;
  double pieces = 0;
  if (axis.topology == Topology::Line) {
    pieces = static_cast<double>(half * (ranks - half));
  } else {
    for (int64_t distance = 1; distance <= half; ++distance)
      pieces +=
          static_cast<double>(distance) * (2 * distance == ranks ? 0.5 : 1.0);
  }
  int64_t farthest = axis.topology == Topology::Line ? ranks - 1 : half;
  return slowest(axis, bytes / static_cast<double>(ranks) * pieces, options) +
         latencyOver(axis, farthest, options);
}

double allReduceSeconds(const Axis &axis, double bytes,
                        const TransferOptions &options) {
  // Every rank reads all parts and writes the sum.
  if (axis.processor && axis.ranks > 1)
    return axis.processor->handOver + static_cast<double>(axis.ranks) * bytes /
                                          axis.processor->copyBandwidth;
  return 2 * allGatherSeconds(axis, bytes / static_cast<double>(axis.ranks),
                              options);
}

} // namespace ring::machine
