// SPDX-License-Identifier: Apache-2.0
//
// Working the table out.

#include "Mpi/TransferPlan.h"

#include "Mesh/LocalStreams.h"

#include <set>

namespace ring::rt {

int RankDeal::rankOf(int64_t stream) const {
  if (stream >= devices)
    return 0;
  // A guess that is exact but for rounding down in firstOf.
  int rank = static_cast<int>(stream * ranks / devices);
  while (rank + 1 < ranks && firstOf(rank + 1) <= stream)
    ++rank;
  return rank;
}

std::vector<int64_t> RankDeal::streamsOf(int rank) const {
  std::vector<int64_t> streams;
  for (int64_t i = firstOf(rank); i < firstOf(rank + 1); ++i)
    streams.push_back(i);
  if (rank == 0)
    streams.push_back(devices);
  return streams;
}

size_t TransferPlan::operandsSent(const Program &program, size_t instruction) {
  const Instruction &step = program.instructions()[instruction];
  if (opTable().find(step.op)->role != Op::Role::Start)
    return std::min(step.inputs.size(), step.outputs.size());
  size_t tensors = 0;
  while (program.values()[step.inputs[tensors]].kind != ValueKind::Buffer)
    ++tensors;
  return tensors;
}

size_t TransferPlan::inputShared(const Program &program, size_t instruction) {
  const Instruction &step = program.instructions()[instruction];
  const std::vector<Port> &inputs = program.inputs();
  bool crosses = opTable().find(step.op)->signature.crossesPlacement;
  for (size_t i = 0; crosses && i < inputs.size(); ++i)
    if (inputs[i].value == step.inputs[0] &&
        program.values()[step.inputs[0]].placement == Placement::Whole)
      return i;
  return inputs.size();
}

Result<TransferPlan> TransferPlan::of(const Program &program,
                                      const RankDeal &deal, int self,
                                      int tagLimit) {
  TransferPlan plan;
  std::map<int, int64_t> sentTo, receivedFrom; // tags used, by rank
  auto take = [&](std::map<int, int64_t> &used, int rank, size_t operands,
                  Message &message) {
    int64_t tag = used[rank];
    used[rank] += static_cast<int64_t>(operands);
    message = {rank, static_cast<int>(tag)};
    return used[rank] <= tagLimit;
  };
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    const Instruction &step = program.instructions()[i];
    const Op &op = *opTable().find(step.op);
    if (!op.exchanges() || inputShared(program, i) < program.inputs().size())
      continue;
    OpTypes types(program, i);
    std::set<std::pair<int64_t, int>> pairs; // source, reading rank
    for (int64_t reader :
         holdersOf(program, program.values()[step.outputs[0]].placement)) {
      int rank = deal.rankOf(reader);
      std::vector<int64_t> sources;
      op.exchange.sources(types, reader, sources);
      for (int64_t source : sources)
        if (deal.rankOf(source) != rank &&
            (rank == self || deal.rankOf(source) == self))
          pairs.insert({source, rank});
    }
    size_t operands = operandsSent(program, i);
    for (auto [source, rank] : pairs) {
      Message message;
      bool enough = true;
      if (rank == self) {
        enough = take(receivedFrom, deal.rankOf(source), operands, message);
        plan.receives[{i, source}] = message;
      } else {
        enough = take(sentTo, rank, operands, message);
        plan.sends[{i, source}].push_back(message);
      }
      if (!enough)
        return error("expects at most ", tagLimit,
                     " messages between two ranks, but instruction ", i, " '",
                     step.op, "' needs more");
    }
  }
  return plan;
}

const std::vector<Message> &TransferPlan::sendsOf(size_t instruction,
                                                  int64_t stream) const {
  static const std::vector<Message> kNone;
  auto found = sends.find({instruction, stream});
  return found == sends.end() ? kNone : found->second;
}

const Message *TransferPlan::receiveOf(size_t instruction,
                                       int64_t source) const {
  auto found = receives.find({instruction, source});
  return found == receives.end() ? nullptr : &found->second;
}

} // namespace ring::rt
