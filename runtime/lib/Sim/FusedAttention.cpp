// SPDX-License-Identifier: Apache-2.0
//
// ring_joint: keys and values go round both ways, from neighbour to neighbour,
// into buffers for all of them; a device starts on its own shard and takes the
// others in the order i, i+1, i-1, i+2, ... as they arrive. ring_distributed:
// every device has all keys and values and computes its queries.

#include "Sim/FusedAttention.h"

#include "Ops/AttentionBlock.h"

#include <algorithm>

namespace ring::rt {

namespace {

constexpr const char *kRingJoint = "ring_joint_scaled_dot_product_attention";
constexpr const char *kRingDistributed =
    "ring_distributed_scaled_dot_product_attention";
constexpr int64_t kRows = 2;

int64_t rowsIn(const Positions &positions) {
  int64_t rows = 0;
  for (const PositionRange &range : positions)
    rows += range.size;
  return rows;
}

} // namespace

const ValueType &FusedAttention::input(size_t i) const {
  return program.program.values()[composite.inputs[i]];
}

int64_t FusedAttention::parameter(const char *name, int64_t otherwise) const {
  auto found = composite.attributes.find(name);
  if (found == composite.attributes.end())
    return otherwise;
  auto *number = std::get_if<int64_t>(&found->second);
  return number ? *number : otherwise;
}

std::string FusedAttention::text(const char *name) const {
  auto found = composite.attributes.find(name);
  if (found == composite.attributes.end())
    return "";
  auto *value = std::get_if<std::string>(&found->second);
  return value ? *value : "";
}

machine::AttentionCall FusedAttention::callFor(int64_t queries,
                                               const BlockPositions &rows,
                                               const Band &band, int64_t length,
                                               int64_t extra) const {
  AttentionWork work;
  work.shape = attentionShape(input(0), input(1), input(2));
  work.shape.queries = queries;
  work.shape.keys = rowsIn(rows.keys) + extra;
  describeRows(work, rows.queries, rows.keys, band, length);
  work.longestRow += extra;
  // A device may have fewer queries than keys; they are dealt like these.
  double pairs =
      static_cast<double>(countPairs(rows.queries, rows.keys, band, length)) *
          static_cast<double>(queries) /
          static_cast<double>(rowsIn(rows.queries)) +
      static_cast<double>(queries) * static_cast<double>(extra);
  machine::AttentionCall call = callOf(work, input(1).element, pairs);
  call.queryChunk = parameter("q_chunk_size", 0);
  call.keyChunk = parameter("k_chunk_size", 0);
  call.f32Accumulation = parameter("fp32_dest_acc_en", 0) != 0;
  for (machine::Fidelity fidelity :
       {machine::Fidelity::LoFi, machine::Fidelity::HiFi2,
        machine::Fidelity::HiFi3, machine::Fidelity::HiFi4})
    if (text("math_fidelity") == machine::nameOf(fidelity))
      call.fidelity = fidelity;
  // Without a grid of its own the op leaves a column to the transfers.
  const machine::Chip &chip = program.machine.chip;
  call.cores =
      composite.name == kRingJoint ? chip.coresBesideTransfers() : chip.cores();
  auto grid = composite.attributes.find("compute_with_storage_grid_size");
  if (grid != composite.attributes.end())
    if (auto *sides = std::get_if<std::vector<int64_t>>(&grid->second))
      if (sides->size() == 2)
        call.cores = std::min((*sides)[0] * (*sides)[1], chip.cores());
  return call;
}

void FusedAttention::addStep(int64_t device, const machine::AttentionCall &call,
                             bool fills,
                             const std::vector<machine::TaskId> &arrival) {
  const machine::AttentionTime &time = program.times.timeOf(call);
  OpCost cost;
  // The cores are filled once, when the op starts.
  cost.seconds = time.seconds - (fills ? 0 : time.fillSeconds);
  cost.dramSeconds = time.dramSeconds;
  cost.flops = time.flops;
  cost.attends = true;
  cost.cores = call.cores;
  cost.utilisation = time.utilisation * time.seconds /
                     std::max(cost.seconds, time.seconds * 1e-9);
  cost.fits = time.fits;
  cost.bound = time.bound;
  program.join(composite.first, device, arrival);
  if (cost.seconds > 0)
    program.compute(composite.first, device, cost);
  DeviceStatistics &counts = program.counts[device];
  counts.flops += cost.flops;
  counts.ops[composite.name].flops += cost.flops;
}

Result<bool> FusedAttention::addRingJoint() {
  const MeshLinks &links = program.meshLinks;
  const Program &source = program.program;
  size_t axis = static_cast<size_t>(parameter("cluster_axis", 0));
  int64_t ranks = parameter("ring_size", 0);
  if (axis >= source.mesh().size() || source.mesh()[axis] != ranks)
    return error("expects composite '", composite.name, "' to have a ring of ",
                 axis < source.mesh().size() ? source.mesh()[axis] : 0,
                 " on axis ", axis, ", but got ", ranks);
  const machine::Axis &line = links.axis(axis);
  int64_t rows = input(1).shape[kRows], queries = input(0).shape[kRows];
  bool balanced = parameter("is_balanced", 0) != 0;
  SequenceLayout layout{balanced ? positions::LayoutKind::Zigzag
                                 : positions::LayoutKind::Contiguous,
                        rows * ranks, ranks};
  if (std::optional<std::string> misfit = layout.misfit())
    return error(*misfit);
  int64_t window = parameter("sliding_window_size", 0);
  Band band;
  if (window > 0)
    band.before = window - 1;
  if (parameter("is_causal", 0) != 0)
    band.after = 0;
  int64_t length = parameter("logical_n", rows * ranks);
  int64_t joint = parameter("logical_l", 0);

  int64_t shard = heldBytes(input(1)) + heldBytes(input(2));
  machine::TransferOptions options;
  options.packet = machine::packetBytes(tileBytesOf(input(1).element));
  options.links = parameter("num_links", 0);
  bool closed = line.topology == machine::Topology::Ring &&
                text("topology") != "linear" && ranks > 2;
  int64_t hops[2] = {ranks / 2, (ranks - 1) / 2};
  if (window > 0) {
    // A halo of one hop stands in for the gather: whole chunks of keys.
    int64_t chunk = std::max<int64_t>(parameter("k_chunk_size", 0), 32);
    int64_t halo = std::min((window - 1 + chunk - 1) / chunk * chunk, rows);
    shard = shard / rows * halo;
    hops[0] = 1;
    hops[1] = 0;
  }

  // Arrivals by device, direction (0: what comes from below) and distance.
  int64_t devices = source.deviceCount();
  using Tasks = std::vector<machine::TaskId>;
  std::vector<std::vector<Tasks>> arrived[2];
  for (int way : {0, 1})
    arrived[way].assign(devices, std::vector<Tasks>(ranks));
  std::vector<Tasks> issued = program.last;
  for (int way : {0, 1})
    for (int64_t hop = 1; hop < ranks; ++hop)
      for (int64_t device = 0; device < devices; ++device) {
        int64_t rank = links.rankOf(device, axis);
        bool comes = closed ? hop <= hops[way]
                            : (way == 0 ? rank - hop >= 0 : rank + hop < ranks);
        if (window > 0)
          comes = hop <= hops[way] && rank - hop >= 0;
        if (!comes)
          continue;
        int64_t from = links.neighbour(device, axis, way == 0 ? -1 : 1);
        Tasks after = issued[device];
        const Tasks &there =
            hop == 1 ? issued[from] : arrived[way][from][hop - 1];
        after.insert(after.end(), there.begin(), there.end());
        for (const LinkUse &use :
             links.direct(from, device, static_cast<double>(shard), options))
          arrived[way][device][hop].push_back(program.addTask(
              composite.first, device, machine::TaskKind::Transfer, use.seconds,
              after, use.holds));
        program.countTransfer(
            links.neighbour(device, axis, way == 0 ? -hop : hop), device,
            shard);
      }

  for (int64_t device = 0; device < devices; ++device) {
    int64_t rank = links.rankOf(device, axis);
    bool first = true;
    auto step = [&](int64_t offset, const Tasks &arrival) {
      int64_t owner = ((rank + offset) % ranks + ranks) % ranks;
      // Joint tokens are met together with the last shard.
      int64_t extra = owner == ranks - 1 ? joint : 0;
      BlockPositions block = {layout.positionsOf(rank),
                              layout.positionsOf(owner)};
      addStep(device, callFor(queries, block, band, length, extra), first,
              arrival);
      first = false;
    };
    step(0, {});
    for (int64_t hop = 1; hop < ranks; ++hop)
      for (int way : {1, 0})
        if (const Tasks &arrival = arrived[way][device][hop]; !arrival.empty())
          step(way == 0 ? -hop : hop, arrival);
    program.counts[device].ops[composite.name].count += 1;
  }
  return true;
}

Result<bool> FusedAttention::addRingDistributed() {
  int64_t ranks = parameter("ring_size", 1);
  size_t axis = static_cast<size_t>(parameter("cluster_axis", 0));
  const Program &source = program.program;
  int64_t queries = input(0).shape[kRows], keys = input(1).shape[kRows];
  if (axis >= source.mesh().size() || ranks < 1 || queries % (2 * ranks) != 0)
    return error("expects composite '", composite.name,
                 "' to have queries that twice the ring divides, but got ",
                 queries, " over ", ranks);
  SequenceLayout layout{positions::LayoutKind::Zigzag, queries, ranks};
  if (std::optional<std::string> misfit = layout.misfit())
    return error(*misfit);
  for (int64_t device = 0; device < source.deviceCount(); ++device) {
    int64_t rank = program.meshLinks.rankOf(device, axis);
    BlockPositions block = {layout.positionsOf(rank), {{0, keys, 1}}};
    addStep(device, callFor(queries / ranks, block, Band::causal(), keys, 0),
            /*fills=*/true, {});
    program.counts[device].ops[composite.name].count += 1;
  }
  return true;
}

bool FusedAttention::isKnown(const std::string &name) {
  return name == kRingJoint || name == kRingDistributed;
}

Result<bool> FusedAttention::add() {
  // A shared processor has no such op: it executes the instructions.
  if (program.machine.processor || composite.inputs.size() < 3)
    return false;
  for (size_t i : {0, 1, 2})
    if (composite.inputs[i] == kAbsent || input(i).shape.size() != 4 ||
        input(i).placement != Placement::Local)
      return false;
  if (composite.name == kRingJoint)
    return addRingJoint();
  if (composite.name == kRingDistributed)
    return addRingDistributed();
  return false;
}

int64_t FusedAttention::gatheredBytes(const Program &program,
                                      const Composite &composite) {
  if (composite.name != kRingJoint ||
      composite.attributes.count("sliding_window_size"))
    return 0;
  auto ranks = composite.attributes.find("ring_size");
  if (ranks == composite.attributes.end() || composite.inputs.size() < 3)
    return 0;
  int64_t bytes = 0;
  for (size_t i : {1, 2})
    bytes += heldBytes(program.values()[composite.inputs[i]]);
  return bytes * std::get<int64_t>(ranks->second);
}

} // namespace ring::rt
