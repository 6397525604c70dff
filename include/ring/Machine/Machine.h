// SPDX-License-Identifier: Apache-2.0
//
// What is known of a machine: its chips, the mesh they stand in and the links
// between them. The planner and the simulator read the same description. No
// LLVM and no runtime here, so that both can use it.

#ifndef RING_MACHINE_MACHINE_H
#define RING_MACHINE_MACHINE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ring::machine {

/// How many passes the matrix unit makes over the mantissas.
enum class Fidelity { LoFi, HiFi2, HiFi3, HiFi4 };
constexpr size_t kFidelities = 4;
/// "lofi", "hifi2", ...
const char *nameOf(Fidelity fidelity);

/// Whether an axis of the mesh is closed to a ring.
enum class Topology { Line, Ring };
/// "line" or "ring".
const char *nameOf(Topology topology);

/// Side of a tile: matrices are computed and stored in squares of 32 x 32.
constexpr int64_t kTileSide = 32;
/// Floating-point operations of one tile product.
constexpr double kTileProductFlops = 2.0 * kTileSide * kTileSide * kTileSide;
/// Operations per cycle and core that tt-metal's utilisation is a share of.
constexpr double kUtilisationFlops = 2048;

/// A chip with a grid of compute cores.
struct Chip {
  std::string architecture;
  int64_t gridColumns = 0;
  int64_t gridRows = 0;
  double clock = 0; ///< cycles per second
  /// Cycles of a 32 x 32 x 32 product on a core, by fidelity.
  std::array<double, kFidelities> tileProductCycles = {};
  /// Share of the peak that the best measured matrix product reaches.
  double productEfficiency = 1;
  /// Cycles of a tile of exponentials, which run beside the products.
  double expCycles = 0;
  /// Cycles of an operation on a tile in the softmax (maxima, sums, rescaling),
  /// which nothing hides. Fitted; see docs/MachineModel.md.
  double tileOperationCycles = 0;
  /// Cycles that a pair of chunks costs beside its work: reader, compute and
  /// writer hand over to each other. Fitted too.
  double chunkCycles = 0;
  int64_t l1Bytes = 0; ///< per core
  /// Of it, what firmware, kernels, their arguments and semaphores take. Files
  /// that do not say get the most of the chips that are known.
  int64_t l1Reserved = 110 * 1024;
  int64_t dramBytes = 0;
  double dramBandwidth = 0; ///< bytes per second that programs get
  double nocBandwidth = 0;  ///< bytes per second of one link of the chip's NoC
  /// Cycles before an op that is no attention begins: kernels are started and
  /// the first tiles are on their way. Published for Blackhole; files that do
  /// not say another figure get it.
  double launchCycles = 2900;

  int64_t cores() const { return gridColumns * gridRows; }
  /// Those that are left to compute where a column of them moves data.
  int64_t coresBesideTransfers() const {
    return gridColumns > 1 ? (gridColumns - 1) * gridRows : cores();
  }
  /// Operations per second of `cores` cores.
  double peak(Fidelity fidelity, int64_t cores) const {
    return static_cast<double>(cores) * clock * kTileProductFlops /
           tileProductCycles[static_cast<size_t>(fidelity)];
  }
};

/// A share of the peak at a head's width; between two, it is interpolated.
struct ShareAt {
  int64_t dim = 0; ///< numbers of a key, or of a value
  double share = 0;
};

/// A processor that stands for all chips of a mesh at once: the CPU backend's
/// devices share its cores and hand tensors over by pointer.
struct SharedProcessor {
  double peak = 0; ///< operations per second of all cores together
  /// Of the peak, while rows pass over packed keys; by dim, ascending.
  std::vector<ShareAt> attentionShare;
  /// Keys that a row is computed with in vain at a border of a pattern that
  /// crosses it, since keys are weighed in groups.
  double borderKeys = 0;
  /// Bytes per second, all cores, of the queries that a block takes in and of
  /// the results that it gives.
  double stepBandwidth = 0;
  /// The same of queries and of a state that a block reads and writes.
  double stateBandwidth = 0;
  double packBandwidth = 0; ///< of keys that are packed before they are met
  double copyBandwidth = 0; ///< of copies, and of states made and finished
  double handOver = 0;      ///< seconds to give a tensor to another device
  double instruction = 0;   ///< seconds that an instruction costs in itself
};

/// How hosts are wired along an axis: the last chip of one to the first of the
/// next, or every chip to the one in its place there.
enum class Wiring { Ends, Counterparts };
/// "ends" or "counterparts".
const char *nameOf(Wiring wiring);

/// How packets pass one link in one direction: the router handles each of them,
/// whatever its size, while the bytes of others are on the wire. The longer of
/// the two counts. Worked example, a ring of Blackhole cards with 183 ns a
/// packet and 41.8 GB/s: 4096 bytes take 183 ns, 22.4 GB/s; 15232 bytes take
/// the wire's 364 ns.
struct PacketLaw {
  double packetSeconds = 0; ///< of the router, for each packet
  double bandwidth = 0;     ///< of the wire, bytes per second

  /// Bytes per second in packets of `size` bytes.
  double bandwidthOf(double size) const {
    return size / std::max(packetSeconds, size / bandwidth);
  }
};

/// Links between two neighbours, as they were measured.
struct Links {
  int64_t count = 0; ///< parallel links to one neighbour
  PacketLaw line;    ///< where the axis is open
  PacketLaw ring; ///< where it is closed: routers keep circles from filling up
  double latency = 0; ///< seconds of a packet of 16 bytes over one hop
  /// Seconds for a byte of a packet on its way to the router, which has all of
  /// it before it sends: the chip's NoC brings it.
  double secondsPerByteToRouter = 0;
  /// Seconds before an op that uses the links sends anything: its kernels are
  /// launched, connections to routers opened, the neighbours met. Fitted on
  /// Blackhole; files that do not say another figure get it.
  double start = 14e-6;

  const PacketLaw &on(Topology topology) const {
    return topology == Topology::Ring ? ring : line;
  }
  /// Seconds of one packet of `size` over a hop: to the router, over the wire.
  double hopLatency(Topology topology, double size) const {
    return latency +
           size * (secondsPerByteToRouter + 1 / on(topology).bandwidth);
  }
  /// Makes the links `times` as fast, but not nearer.
  void scaleBandwidth(double times);
};

/// A machine: `hosts` times `mesh` chips along every axis.
struct Machine {
  std::string name;
  std::string description;
  Chip chip;
  /// Set if the devices share one processor; then `chip` and `links` are not
  /// used.
  std::optional<SharedProcessor> processor;
  std::vector<int64_t> mesh;      ///< chips of one host by axis; empty: any
  std::vector<Topology> topology; ///< by axis, within a host
  Links links;
  std::vector<int64_t> hosts;         ///< by axis; all 1 for a single host
  std::vector<Topology> hostTopology; ///< by axis, between hosts
  Wiring hostWiring = Wiring::Ends;   ///< of every axis with several hosts
  Links betweenHosts;                 ///< used where hosts > 1
  /// Bytes per second between one host and all its chips together. Nobody has
  /// published one, so that files that do not say get an assumption.
  double hostBandwidth = 10e9;
  bool hostBandwidthAssumed = true;

  /// Whether it takes a mesh of any shape.
  bool takesAnyMesh() const { return mesh.empty(); }
  /// Chips by axis over all hosts.
  std::vector<int64_t> shape() const;
  int64_t chips() const;
  /// Seconds in which the hosts of a mesh of `devices` chips send or receive
  /// `bytes`, each those of its chips.
  double hostSeconds(double bytes, int64_t devices) const;
};

} // namespace ring::machine

#endif // RING_MACHINE_MACHINE_H
