// SPDX-License-Identifier: Apache-2.0
//
// ring_joint and ring_mla pass keys and values round while they compute, by the
// timeline that the planner knows too. ring_distributed: every device has all
// keys and values and computes its queries.

#include "Sim/FusedAttention.h"

#include "Ops/AttentionBlock.h"

#include <algorithm>

namespace ring::rt {

namespace {

constexpr const char *kRingJoint = "ring_joint_scaled_dot_product_attention";
/// Its values are the first columns of its keys.
constexpr const char *kRingMla = "ring_mla";
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

ValueType FusedAttention::valueType() const {
  if (composite.name != kRingMla)
    return input(2);
  ValueType columns = input(1);
  columns.shape.back() = parameter("head_dim_v", columns.shape.back());
  return columns;
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
  work.shape = attentionShape(input(0), input(1), valueType());
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
  call.latentValues = composite.name == kRingMla;
  for (machine::Fidelity fidelity :
       {machine::Fidelity::LoFi, machine::Fidelity::HiFi2,
        machine::Fidelity::HiFi3, machine::Fidelity::HiFi4})
    if (text("math_fidelity") == machine::nameOf(fidelity))
      call.fidelity = fidelity;
  // Without a grid of its own the op leaves a column to the transfers.
  const machine::Chip &chip = program.machine.chip;
  call.cores = composite.name == kRingDistributed ? chip.cores()
                                                  : chip.coresBesideTransfers();
  auto grid = composite.attributes.find("compute_with_storage_grid_size");
  if (grid != composite.attributes.end())
    if (auto *sides = std::get_if<std::vector<int64_t>>(&grid->second))
      if (sides->size() == 2)
        call.cores = std::min((*sides)[0] * (*sides)[1], chip.cores());
  return call;
}

/// Every event of the op's timeline as a task of every device. What is started
/// runs from where the op begins; who waits goes on when it has arrived.
void FusedAttention::add(const machine::Timeline &timeline, size_t axis) {
  using Tasks = std::vector<machine::TaskId>;
  const machine::MeshLinks &links = program.meshLinks;
  int64_t devices = program.program.deviceCount();
  std::vector<Tasks> issued = program.last;
  std::vector<std::vector<Tasks>> arrived(timeline.transfers.size(),
                                          std::vector<Tasks>(devices));
  std::vector<bool> begun(devices, false);
  for (const machine::TimelineEvent &event : timeline.events)
    for (int64_t device = 0; device < devices; ++device) {
      int64_t rank = links.rankOf(device, axis);
      switch (event.kind) {
      case machine::TimelineEvent::Kind::Begin:
        program.last[device] = issued[device] = {
            program.addTask(composite.first, device, machine::TaskKind::Other,
                            event.seconds, program.last[device], {})};
        break;
      case machine::TimelineEvent::Kind::Start: {
        const machine::MeshTransfer &transfer =
            timeline.transfers[event.transfer];
        const machine::MeshTransfer::Part &part = transfer.parts.front();
        int64_t last = transfer.lastReceiver < 0 ? transfer.ranks - 1
                                                 : transfer.lastReceiver;
        if (rank < transfer.firstReceiver || rank > last)
          break;
        int64_t from = links.neighbour(device, axis, part.source);
        Tasks after = issued[device];
        const Tasks &there = transfer.forwards < 0
                                 ? issued[from]
                                 : arrived[transfer.forwards][from];
        after.insert(after.end(), there.begin(), there.end());
        for (const machine::LinkUse &use :
             links.direct(from, device, part.bytes, transfer.options))
          arrived[event.transfer][device].push_back(program.addTask(
              composite.first, device, machine::TaskKind::Transfer, use.seconds,
              after, use.holds));
        program.countTransfer(from, device, static_cast<int64_t>(part.bytes));
        break;
      }
      case machine::TimelineEvent::Kind::Wait:
        program.join(composite.first, device, arrived[event.transfer][device]);
        break;
      case machine::TimelineEvent::Kind::Compute: {
        int32_t block = event.blocks[event.blocks.size() > 1 ? rank : 0];
        if (block != machine::kNoBlock)
          addBlock(device, timeline.blocks[block].call, !begun[device]);
        begun[device] = true;
        break;
      }
      }
    }
  for (int64_t device = 0; device < devices; ++device)
    program.counts[device].ops[composite.name].count += 1;
}

void FusedAttention::addBlock(int64_t device,
                              const machine::AttentionCall &call, bool fills) {
  const machine::AttentionTime &time =
      program.times.timeOf(call, /*fused=*/true);
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
  if (cost.seconds > 0)
    program.compute(composite.first, device, cost);
  DeviceStatistics &counts = program.counts[device];
  counts.flops += cost.flops;
  counts.ops[composite.name].flops += cost.flops;
}

Result<bool> FusedAttention::addRingJoint() {
  const Program &source = program.program;
  machine::FusedRing ring;
  ring.axis = static_cast<size_t>(parameter("cluster_axis", 0));
  ring.ranks = parameter("ring_size", 0);
  if (ring.axis >= source.mesh().size() ||
      source.mesh()[ring.axis] != ring.ranks)
    return error("expects composite '", composite.name, "' to have a ring of ",
                 ring.axis < source.mesh().size() ? source.mesh()[ring.axis]
                                                  : 0,
                 " on axis ", ring.axis, ", but got ", ring.ranks);
  const machine::Axis &line = program.meshLinks.axis(ring.axis);
  int64_t rows = input(1).shape[kRows], queries = input(0).shape[kRows];
  bool balanced = parameter("is_balanced", 0) != 0;
  SequenceLayout layout{balanced ? positions::LayoutKind::Zigzag
                                 : positions::LayoutKind::Contiguous,
                        rows * ring.ranks, ring.ranks};
  if (std::optional<std::string> misfit = layout.misfit())
    return error(*misfit);
  bool latent = composite.name == kRingMla;
  bool causal = parameter("is_causal", latent ? 1 : 0) != 0;
  Band band = causal ? Band::causal() : Band();
  int64_t length = parameter("logical_n", rows * ring.ranks);
  // A chunk over a cache in blocks: queries behind what is there already, keys
  // up to their end.
  SequenceLayout queryLayout = layout;
  int64_t start = std::max<int64_t>(parameter("kv_actual_isl", 0), 0);
  bool isChunk = composite.attributes.count("kv_actual_isl") != 0;
  if (isChunk) {
    queryLayout = {positions::LayoutKind::Contiguous, queries * ring.ranks,
                   ring.ranks};
    layout = {positions::LayoutKind::BlockCyclic, length, ring.ranks,
              /*offset=*/0, queries};
    for (const SequenceLayout &dealt : {queryLayout, layout})
      if (std::optional<std::string> misfit = dealt.misfit())
        return error(*misfit);
  }
  int64_t joint = parameter("logical_l", 0), jointQueries = 0;
  // Joint queries take part in every block. A fourth operand alone is a sink.
  constexpr size_t kJointQuery = 3, kWithSink = 4;
  if (joint > 0 && composite.inputs.size() > kJointQuery)
    jointQueries = input(kJointQuery).shape[kRows];
  int64_t maskBytes = machine::ringMaskBytes(
      causal, composite.inputs.size() == kWithSink, length, joint);

  ring.closed = line.topology == machine::Topology::Ring &&
                text("topology") != "linear" && ring.ranks > 2;
  ring.shardBytes = static_cast<double>(heldBytes(input(1)) +
                                        (latent ? 0 : heldBytes(input(2))));
  if (isChunk)
    ring.shardBytes *=
        static_cast<double>(length) / static_cast<double>(rows * ring.ranks);
  ring.startSeconds = machine::fusedStartSeconds(line);
  ring.options.packet = machine::packetBytes(tileBytesOf(input(1).element));
  ring.options.links = parameter("num_links", 0);
  machine::Timeline timeline;
  machine::addRingJoint(
      timeline, ring, [&](int64_t rank, int64_t owner) -> int32_t {
        // Joint tokens are met together with the last shard.
        int64_t extra = owner == ring.ranks - 1 ? joint : 0;
        BlockPositions block = {queryLayout.positionsOf(rank),
                                layout.positionsOf(owner)};
        for (PositionRange &range : block.queries)
          range.begin += start;
        machine::AttentionCall call =
            callFor(queries + jointQueries, block, band, length, extra);
        call.jointQueries = jointQueries;
        call.jointKeys = extra;
        call.fixedL1Bytes = maskBytes;
        return call.pairs > 0 ? timeline.add({call}) : machine::kNoBlock;
      });
  add(timeline, ring.axis);
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
  // Of a paged cache the keys are those of all pages in the table.
  constexpr size_t kPageTable = 3;
  int64_t start = parameter("chunk_start_idx", 0), tableBytes = 0;
  if (composite.inputs.size() > kPageTable) {
    int64_t pages = input(kPageTable).shape.back();
    keys *= pages;
    tableBytes = machine::pageTableBytes(pages);
  }
  machine::Timeline timeline;
  std::vector<int32_t> byRank;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Positions rows = layout.positionsOf(rank);
    for (PositionRange &range : rows)
      range.begin += start;
    machine::AttentionCall call = callFor(
        queries / ranks, {rows, {{0, keys, 1}}}, Band::causal(), keys, 0);
    call.kernel = machine::AttentionKernel::Distributed;
    call.fixedL1Bytes = tableBytes;
    byRank.push_back(timeline.add({call}));
  }
  timeline.compute(std::move(byRank));
  add(timeline, axis);
  return true;
}

bool FusedAttention::isKnown(const std::string &name) {
  return name == kRingJoint || name == kRingMla || name == kRingDistributed;
}

Result<bool> FusedAttention::add() {
  // A shared processor has no such op: it executes the instructions.
  size_t operands = composite.name == kRingMla ? 2 : 3;
  if (program.machine.processor || composite.inputs.size() < operands)
    return false;
  for (size_t i = 0; i < operands; ++i)
    if (composite.inputs[i] == kAbsent || input(i).shape.size() != 4 ||
        input(i).placement != Placement::Local)
      return false;
  if (composite.name == kRingJoint || composite.name == kRingMla)
    return addRingJoint();
  if (composite.name == kRingDistributed)
    return addRingDistributed();
  return false;
}

int64_t FusedAttention::gatheredBytes(const Program &program,
                                      const Composite &composite) {
  if (composite.name != kRingJoint && composite.name != kRingMla)
    return 0;
  size_t operands = composite.name == kRingMla ? 2 : 3;
  auto ranks = composite.attributes.find("ring_size");
  if (ranks == composite.attributes.end() || composite.inputs.size() < operands)
    return 0;
  int64_t bytes = 0;
  for (size_t i = 1; i < operands; ++i)
    if (composite.inputs[i] != kAbsent)
      bytes += heldBytes(program.values()[composite.inputs[i]]);
  auto *number = std::get_if<int64_t>(&ranks->second);
  return number ? bytes * *number : 0;
}

} // namespace ring::rt
