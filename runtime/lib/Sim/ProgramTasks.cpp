// SPDX-License-Identifier: Apache-2.0
//
// Walking the program.

#include "Sim/ProgramTasks.h"

#include "Ops/ShardPlan.h"
#include "Sim/FusedAttention.h"

#include <algorithm>

namespace ring::rt {

using machine::TaskKind;

bool attendsBesideTransfers(const Program &program) {
  int64_t underWay = 0;
  for (const Instruction &step : program.instructions()) {
    const Op &op = *opTable().find(step.op);
    underWay += op.role == Op::Role::Start;
    underWay -= op.role == Op::Role::Wait;
    if (underWay > 0 && op.costs.attention)
      return true;
  }
  return false;
}

ProgramTasks::ProgramTasks(const Program &program,
                           const machine::Machine &machine,
                           std::vector<machine::Axis> axes,
                           const machine::CoreSplit &split)
    : program(program), machine(machine), engine(program.deviceCount() + 1),
      meshLinks(program.mesh(), std::move(axes)), whole(program),
      alternates(split.alternates), times(machine, split.cores()),
      counts(program.deviceCount() + 1), last(program.deviceCount() + 1),
      movedOnDevice(program.deviceCount()) {
  // Links are the first resources, by their numbers.
  for (size_t i = 0; i < meshLinks.count(); ++i)
    engine.addResource();
  for (int64_t stream = 0; stream < streams(); ++stream)
    computeOf.push_back(machine.processor && stream > 0 ? computeOf[0]
                                                        : engine.addResource());
  hostIsChip = true;
  for (const Instruction &step : program.instructions())
    for (int32_t value : step.outputs)
      hostIsChip &= value == kAbsent ||
                    program.values()[value].placement == Placement::Whole;
}

bool ProgramTasks::writes(size_t index, int64_t stream) const {
  for (int32_t value : program.instructions()[index].outputs)
    if (value != kAbsent && (program.values()[value].placement ==
                             Placement::Whole) == (stream == host()))
      return true;
  return false;
}

bool ProgramTasks::takesPart(size_t index, int64_t stream) const {
  for (int32_t value : program.instructions()[index].inputs)
    if (value != kAbsent && (program.values()[value].placement ==
                             Placement::Whole) == (stream == host()))
      return true;
  return writes(index, stream);
}

machine::TaskId
ProgramTasks::addTask(size_t index, int64_t stream, TaskKind kind,
                      double seconds, const Tasks &after,
                      const std::vector<machine::ResourceId> &holds,
                      const OpCost &cost) {
  TaskNote note;
  note.instruction = index;
  note.stream = stream;
  note.transfer = kind != TaskKind::Compute;
  note.cost = cost;
  taskNotes.push_back(std::move(note));
  return engine.addTask(stream, kind, seconds, after, holds);
}

machine::TaskId ProgramTasks::compute(size_t index, int64_t stream,
                                      const OpCost &cost) {
  machine::TaskId id = addTask(index, stream, TaskKind::Compute, cost.seconds,
                               last[stream], {computeOf[stream]}, cost);
  last[stream] = {id};
  return id;
}

void ProgramTasks::join(size_t index, int64_t stream, const Tasks &after) {
  last[stream].insert(last[stream].end(), after.begin(), after.end());
  // A chain of waits must not make every later task wait for each of them.
  constexpr size_t kMany = 8;
  if (last[stream].size() > kMany)
    last[stream] = {
        addTask(index, stream, TaskKind::Other, 0, last[stream], {})};
}

void ProgramTasks::count(const std::string &name, const OpTypes &types,
                         int64_t stream, double flops) {
  OpStatistics &entry = counts[stream].ops[name];
  ++entry.count;
  entry.flops += flops;
  entry.bytes += bytesTouched(types);
  counts[stream].flops += flops;
}

void ProgramTasks::countTransfer(int64_t source, int64_t target,
                                 int64_t bytes) {
  if (source == target)
    return;
  counts[source].bytesSent += bytes;
  counts[target].bytesReceived += bytes;
  bytesBetween[{source, target}] += bytes;
}

double ProgramTasks::packetOf(const OpTypes &types) const {
  return machine::packetBytes(tileBytesOf(types.input(0)->element));
}

void ProgramTasks::leaveUntimed(size_t index) {
  ++untimedOps[program.instructions()[index].op];
}

void ProgramTasks::addCompute(size_t index, const Op &op,
                              const OpTypes &types) {
  // Attention that has no shape here is no elementwise op either.
  if (!op.costs.keysAndValues.empty() && !op.costs.attention &&
      !machine.processor)
    return leaveUntimed(index);
  for (int64_t stream = 0; stream < streams(); ++stream) {
    if (!writes(index, stream))
      continue;
    OpCost cost = times.cost(op, types, stream);
    count(op.name, types, stream, cost.flops);
    if (cost.seconds <= 0)
      continue;
    if (stream == host() && !hostIsChip) {
      computeWhole(index, cost);
      continue;
    }
    if (alternates)
      finishTransfers(index, stream);
    compute(index, stream, cost);
  }
}

/// Nobody else can do it on a mesh of chips, so every chip does all of it; a
/// processor whose threads are the devices does it once. What the host prepares
/// by moving elements, before it sends them or once it has them back, has no
/// time here.
void ProgramTasks::computeWhole(size_t index, const OpCost &cost) {
  if (machine.processor) {
    compute(index, host(), cost);
    return;
  }
  bool onChips = false, known = true;
  for (int32_t value : program.instructions()[index].outputs)
    if (value != kAbsent) {
      onChips |= whole.onChips(value);
      known &= whole.isConstant(value);
    }
  if (known)
    return;
  if (!onChips)
    return leaveUntimed(index);
  for (int64_t device = 0; device < program.deviceCount(); ++device) {
    join(index, device, last[host()]);
    if (alternates)
      finishTransfers(index, device);
    taskNotes[compute(index, device, cost)].whole = true;
  }
}

void ProgramTasks::finishTransfers(size_t index, int64_t stream) {
  for (const auto *transfers : {&underWay, &leaving})
    for (const auto &[start, tasks] : *transfers)
      join(index, stream, tasks[stream]);
}

std::vector<ProgramTasks::Tasks> ProgramTasks::carry(size_t index, const Op &op,
                                                     const OpTypes &types) {
  machine::TransferOptions options;
  options.packet = packetOf(types);
  machine::OpStart begin(startSeconds());
  std::vector<Tasks> arrived(streams()), left(streams());
  std::map<std::vector<int64_t>, machine::TaskId> meetings;
  for (int64_t device = 0; device < program.deviceCount(); ++device) {
    std::vector<Arrival> arrivals;
    op.exchange.arrivals(types, device, arrivals);
    std::vector<int64_t> members;
    std::map<int64_t, double> bytesFrom;
    for (const Arrival &arrival : arrivals) {
      countTransfer(arrival.source, device, arrival.bytes);
      if (!bytesFrom.count(arrival.source))
        members.push_back(arrival.source);
      bytesFrom[arrival.source] += static_cast<double>(arrival.bytes);
    }
    bool staysHere = members.size() == 1 && members[0] == device;
    movedOnDevice[device] = staysHere &&
                                    op.exchange.carriage == Carriage::Direct &&
                                    !op.access.shares
                                ? bytesFrom[device]
                                : 0;
    machine::LinkUse use;
    if (members.size() > 1 &&
        meshLinks.collective(op.exchange.carriage, members, device,
                             bytesFrom[members[0]], options, use)) {
      // It begins when all are there.
      auto meeting = meetings.find(members);
      if (meeting == meetings.end()) {
        Tasks all;
        for (int64_t member : members)
          all.insert(all.end(), last[member].begin(), last[member].end());
        meeting = meetings
                      .emplace(members, addTask(index, device, TaskKind::Other,
                                                0, all, {}))
                      .first;
      }
      arrived[device] = {addTask(index, device, TaskKind::Transfer,
                                 use.seconds + startSeconds(),
                                 {meeting->second}, use.holds)};
      continue;
    }
    for (int64_t source : members) {
      if (source == device)
        continue;
      Tasks both = last[source];
      both.insert(both.end(), last[device].begin(), last[device].end());
      for (machine::LinkUse &hop :
           meshLinks.direct(source, device, bytesFrom[source], options)) {
        begin.charge(hop, hop.holds);
        arrived[device].push_back(addTask(index, device, TaskKind::Transfer,
                                          hop.seconds, both, hop.holds));
        left[source].push_back(arrived[device].back());
      }
    }
  }
  if (op.role == Op::Role::Start)
    leaving[index] = std::move(left);
  return arrived;
}

/// What the host sends and gets is timed apart from the program, by its bytes
/// (WholeTensors). Whole tensors that chips compute with are gathered by all of
/// them, and shards of such are cut out.
void ProgramTasks::addCrossing(size_t index, const OpTypes &types) {
  Tasks before;
  for (int64_t stream = 0; stream < streams(); ++stream)
    if (takesPart(index, stream))
      before.insert(before.end(), last[stream].begin(), last[stream].end());
  Tasks meeting;
  if (!before.empty())
    meeting = {addTask(index, host(), TaskKind::Other, 0, before, {})};
  for (int64_t stream = 0; stream < streams(); ++stream)
    if (writes(index, stream)) {
      count(program.instructions()[index].op, types, stream, 0);
      join(index, stream, meeting);
    }
  if (machine.processor) {
    // Shards are read where they lie; a whole tensor is put together.
    if (writes(index, host()))
      leaveUntimed(index);
    return;
  }
  bool fromWhole = types.input(0)->placement == Placement::Whole;
  bool toWhole = types.output(0)->placement == Placement::Whole;
  if (toWhole && !fromWhole && whole.onChips(types.outputValue(0)))
    return gatherWhole(index, types);
  if (!fromWhole || toWhole || !whole.onChips(types.inputValue(0)))
    return;
  OpCost cut;
  cut.seconds =
      machine::moveTime(machine, 2.0 * double(heldBytes(*types.output(0))))
          .seconds;
  for (int64_t device = 0; device < program.deviceCount(); ++device)
    compute(index, device, cut);
}

void ProgramTasks::gatherWhole(size_t index, const OpTypes &types) {
  size_t rank = types.input(0)->shape.size();
  Result<ShardPlan> plan = program.instructions()[index].op == "mesh_shard"
                               ? ShardPlan::ofMeshShard(types, rank)
                               : ShardPlan::ofSharding(types, rank);
  auto bytes = static_cast<double>(heldBytes(*types.input(0)));
  machine::TransferOptions options;
  options.packet = packetOf(types);
  for (size_t axis : plan->axes()) {
    std::vector<Tasks> before(last.begin(), last.end() - 1);
    for (int64_t device = 0; device < program.deviceCount(); ++device) {
      std::vector<int64_t> members;
      Tasks all;
      for (int64_t other = 0; other < program.mesh()[axis]; ++other) {
        members.push_back(meshLinks.neighbour(
            device, axis, other - meshLinks.rankOf(device, axis)));
        const Tasks &ready = before[members.back()];
        all.insert(all.end(), ready.begin(), ready.end());
      }
      machine::LinkUse use;
      if (members.size() > 1 &&
          meshLinks.collective(machine::Carriage::AllGather, members, device,
                               bytes, options, use))
        join(index, device,
             {addTask(index, device, TaskKind::Transfer,
                      use.seconds + startSeconds(), all, use.holds)});
    }
    bytes *= static_cast<double>(program.mesh()[axis]);
  }
  if (!plan->deals())
    return;
  // Rows that were dealt are put in order again.
  OpCost order;
  order.seconds =
      machine::moveTime(machine, 2.0 * double(heldBytes(*types.output(0))))
          .seconds;
  for (int64_t device = 0; device < program.deviceCount(); ++device)
    taskNotes[compute(index, device, order)].whole = true;
}

/// Sums of what arrived, and rows that only change their places. On a shared
/// processor neither is told from the hand-over.
void ProgramTasks::addArrived(size_t index, const Op &op, const OpTypes &types,
                              int64_t device) {
  if (machine.processor)
    return;
  OpCost cost;
  Carriage carriage = op.exchange.carriage;
  if (carriage == Carriage::AllReduce || carriage == Carriage::ReduceScatter) {
    // Every device adds up the part of one rank, which for an all_reduce is
    // gathered afterwards.
    auto ranks = static_cast<double>(types.axis()->ranks());
    double share = carriage == Carriage::AllReduce ? 1 / ranks : 1;
    double sums = (ranks - 1) * share *
                  static_cast<double>(elementCount(types.output(0)->shape));
    double bytes =
        (ranks + 1) * share * static_cast<double>(heldBytes(*types.output(0)));
    cost.seconds = machine::elementwiseTime(machine, sums, bytes).seconds;
  } else if (movedOnDevice[device] > 0) {
    cost.seconds =
        machine::moveTime(machine, 2 * movedOnDevice[device]).seconds;
  }
  if (cost.seconds > 0)
    compute(index, device, cost);
}

void ProgramTasks::addInstruction(size_t index) {
  const Op &op = *opTable().find(program.instructions()[index].op);
  OpTypes types(program, index);
  workingOps += op.role != Op::Role::Buffer && op.role != Op::Role::Wait &&
                (op.exchanges() || !op.access.shares);
  switch (op.role) {
  case Op::Role::Buffer:
    return;
  case Op::Role::Start:
    underWay[index] = carry(index, op, types);
    return;
  case Op::Role::Wait: {
    size_t start = program.startOf(index);
    OpTypes transfer(program, start, index);
    for (int64_t device = 0; device < program.deviceCount(); ++device) {
      join(index, device, underWay[start][device]);
      count(op.name, transfer, device, 0);
    }
    underWay.erase(start);
    leaving.erase(start);
    return;
  }
  case Op::Role::Compute:
    break;
  }
  if (!op.exchanges())
    return addCompute(index, op, types);
  if (!op.exchange.arrivals)
    return addCrossing(index, types);
  std::vector<Tasks> arrived = carry(index, op, types);
  // A fused ring that is one instruction has no schedule here.
  if (op.costs.flops && !machine.processor)
    leaveUntimed(index);
  for (int64_t device = 0; device < program.deviceCount(); ++device) {
    join(index, device, arrived[device]);
    count(op.name, types, device, 0);
    addArrived(index, op, types, device);
  }
}

Status ProgramTasks::build() {
  auto composite = program.composites().begin();
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    if (composite != program.composites().end() && composite->first == i) {
      const Composite &here = *composite++;
      Result<bool> fused = FusedAttention(*this, here).add();
      if (!fused)
        return fused.status();
      if (*fused) {
        i += here.count - 1;
        ++workingOps;
        continue;
      }
    }
    addInstruction(i);
  }
  return Status::success();
}

} // namespace ring::rt
