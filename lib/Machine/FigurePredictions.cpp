// SPDX-License-Identifier: Apache-2.0
//
// Predicts published figures by what the planner and the simulator use: the
// chip model for one chip, the timeline of the fused op for a ring, the link
// model for transfers.

#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"
#include "ring/Machine/PublishedFigures.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace ring::machine {

namespace {

double real(int64_t value) { return static_cast<double>(value); }

const Machine &machineOf(const PublishedFigure &figure) {
  static std::map<std::string, Machine> known;
  auto found = known.find(figure.machine);
  if (found == known.end()) {
    MachineOrError machine = loadMachine(figure.machine);
    assert(machine && "expects a machine that is built in");
    found = known.emplace(figure.machine, *machine).first;
  }
  return found->second;
}

/// The mesh of a figure on its machine; the longest axis is the ring.
struct Place {
  explicit Place(const PublishedFigure &figure)
      : axes(layMesh(machineOf(figure), figure.mesh).axes),
        index(std::max_element(figure.mesh.begin(), figure.mesh.end()) -
              figure.mesh.begin()),
        ranks(figure.mesh[index]) {
    assert(!axes.empty() && "expects a mesh of that machine");
  }
  const Axis &axis() const { return axes[index]; }

  std::vector<Axis> axes;
  size_t index;
  int64_t ranks;
};

double shardBytes(const AttentionCall &call) {
  int64_t columns = call.keyDim + (call.latentValues ? 0 : call.valueDim);
  return real(call.batch * call.keyHeads) * real(call.keys) * real(columns) *
         call.tileBytes / (kTileSide * kTileSide);
}

/// What a rank of a balanced ring computes with the shard of another: all of
/// its queries with the earlier half of the keys, or the later half of its
/// queries with all keys.
AttentionCall zigzagCall(AttentionCall call, int64_t rank, int64_t owner) {
  call.pairs = 0.5;
  call.borders = rank == owner ? 1 : 0;
  call.longestRow = owner < rank ? 0.5 : 1;
  return call;
}

double ringSeconds(const PublishedFigure &figure) {
  Place place(figure);
  Timeline timeline;
  timeline.mesh = figure.mesh;
  timeline.axes = place.axes;
  timeline.oneCall = true;
  FusedRing ring;
  ring.axis = place.index;
  ring.ranks = place.ranks;
  ring.closed = place.axis().topology == Topology::Ring;
  ring.shardBytes = shardBytes(figure.call);
  ring.startSeconds = fusedStartSeconds(place.axis());
  ring.options = figure.transfer;
  timeline.differs.assign(figure.mesh.size(), false);
  timeline.differs[ring.axis] = true;
  addRingJoint(timeline, ring, [&](int64_t rank, int64_t owner) {
    return timeline.add({figure.pattern == "zigzag"
                             ? zigzagCall(figure.call, rank, owner)
                             : figure.call});
  });
  std::vector<double> seconds;
  double fill = 0;
  for (const TimelineBlock &block : timeline.blocks) {
    AttentionTime time = attentionTime(machineOf(figure), block.call);
    seconds.push_back(time.seconds - time.fillSeconds);
    if (seconds.size() == 1)
      fill = time.fillSeconds;
  }
  return play(timeline, seconds, fill).seconds;
}

/// A window meets its own keys and a few of a neighbour's, which come while it
/// starts.
double windowSeconds(const PublishedFigure &figure) {
  return fusedStartSeconds(Place(figure).axis()) +
         attentionTime(machineOf(figure), figure.call).seconds;
}

double chipSeconds(const PublishedFigure &figure) {
  return attentionTime(machineOf(figure), figure.call).seconds;
}

double overlapSeconds(const PublishedFigure &figure) {
  return fusedStartSeconds(Place(figure).axis()) +
         *std::max_element(figure.beside.begin(), figure.beside.end()) * 1e-6;
}

double gatherSeconds(const PublishedFigure &figure) {
  Axis axis = Place(figure).axis();
  return axis.inside.start +
         allGatherSeconds(axis, shardBytes(figure.call), figure.transfer);
}

/// Every chip sends pieces of what it has, and adds up those of one rank.
double reduceScatterSeconds(const PublishedFigure &figure) {
  Place place(figure);
  double piece = shardBytes(figure.call) / real(place.ranks);
  return place.axis().inside.start +
         allGatherSeconds(place.axis(), piece, figure.transfer) +
         moveTime(machineOf(figure), piece * real(place.ranks + 1)).seconds;
}

double hopSeconds(const PublishedFigure &figure) {
  Place place(figure);
  MeshLinks links(figure.mesh, place.axes);
  TransferOptions one = figure.transfer;
  one.links = 1;
  return links.direct(0, links.neighbour(0, place.index, 1), one.packet, one)
      .front()
      .seconds;
}

/// How figures of a kind, or of kinds that begin so, are timed.
struct Timing {
  const char *kind;
  double (*seconds)(const PublishedFigure &);
};
constexpr Timing kTimings[] = {{"ring window", windowSeconds},
                               {"ring", ringSeconds},
                               {"overlap", overlapSeconds},
                               {"gather", gatherSeconds},
                               {"reduce scatter", reduceScatterSeconds},
                               {"link latency", hopSeconds},
                               {"", chipSeconds}};

double secondsOf(const PublishedFigure &figure) {
  for (const Timing &timing : kTimings)
    if (figure.kind.rfind(timing.kind, 0) == 0)
      return timing.seconds(figure);
  return 0;
}

} // namespace

double predictedFigure(const PublishedFigure &figure) {
  const AttentionCall &call = figure.call;
  Place place(figure);
  if (figure.kind == "link bandwidth")
    return hopBandwidth(place.axis().inside, place.axis().topology,
                        figure.transfer.packet, 1) *
           1e-9;
  double seconds = secondsOf(figure);
  if (figure.unit == "us" || figure.unit == "ns")
    return seconds * (figure.unit == "us" ? 1e6 : 1e9);
  if (figure.unit == "GB/s")
    return real(place.ranks - 1) * shardBytes(call) / seconds * 1e-9;
  double flops = 2.0 * real(call.batch * call.heads) * real(call.queries) *
                 real(call.keys * place.ranks) *
                 real(call.keyDim + call.valueDim) * figure.useful;
  return 100 * flops /
         (real(call.cores) * machineOf(figure).chip.clock * kUtilisationFlops *
          seconds);
}

} // namespace ring::machine
