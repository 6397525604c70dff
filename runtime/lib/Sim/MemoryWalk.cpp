// SPDX-License-Identifier: Apache-2.0
//
// The walk.

#include "Sim/MemoryWalk.h"

#include "Sim/FusedAttention.h"

namespace ring::rt {

namespace {

class Walk {
public:
  Walk(const Program &program, bool host, int64_t limit, int threads)
      : program(program), placement(host ? Placement::Whole : Placement::Local),
        threads(threads), account(program, limit),
        held(program.instructions().size(), 0) {}

  bool holds(int32_t value) const {
    return value != kAbsent && program.values()[value].placement == placement;
  }

  Status bindInputs() {
    for (const Port &port : program.inputs())
      if (holds(port.value))
        if (Status status = account.charge(port.value); !status)
          return status;
    return Status::success();
  }

  Status step(size_t index) {
    const Instruction &step = program.instructions()[index];
    const Op *op = opTable().find(step.op);
    bool writes = false;
    for (int32_t value : step.outputs)
      writes |= holds(value);
    Status status = Status::success();
    if (writes && op->role == Op::Role::Buffer) {
      status = account.charge(step.outputs[0]);
    } else if (writes && op->role == Op::Role::Wait) {
      size_t start = program.startOf(index);
      status = charge(index, *opTable().find(program.instructions()[start].op),
                      OpTypes(program, start, index), /*intoBuffers=*/true);
    } else if (writes && op->role == Op::Role::Compute) {
      status = charge(index, *op, OpTypes(program, index), false);
    }
    if (!status)
      return status.in("instruction " + std::to_string(index) + " '" + step.op +
                       "'");
    held[index] = account.memory().heldBytes();
    account.releaseDead(index);
    return status;
  }

  /// The results of a composite appear at its end, and its operands stay until
  /// then.
  Status fusedStep(const Composite &composite) {
    for (int32_t value : composite.outputs)
      if (holds(value))
        if (Status status = account.charge(value); !status)
          return status.in("composite '" + composite.name + "'");
    held[composite.first] = account.memory().heldBytes();
    for (size_t i = 0; i < composite.count; ++i)
      account.releaseDead(composite.first + i);
    return Status::success();
  }

  const Program &program;
  Placement placement;
  int threads;
  ValueAccount account;
  std::vector<int64_t> held; ///< by instruction

private:
  Status charge(size_t index, const Op &op, const OpTypes &types,
                bool intoBuffers) {
    return account.chargeResults(index, op, types, intoBuffers, threads);
  }
};

} // namespace

Result<MemoryUse> walkMemory(const Program &program, bool host, int64_t limit,
                             int threads, bool fused) {
  // Gathered keys and values lie in buffers that all layers of one shape share.
  int64_t gathered = 0;
  for (const Composite &composite : program.composites())
    if (fused && !host)
      gathered =
          std::max(gathered, FusedAttention::gatheredBytes(program, composite));
  if (limit > 0 && gathered >= limit)
    return Status::outOfMemory(
        {"the buffer of gathered keys and values", gathered, 0, limit});
  Walk walk(program, host, limit > 0 ? limit - gathered : 0, threads);
  if (Status status = walk.bindInputs(); !status)
    return status;
  auto composite = program.composites().begin();
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    bool begins =
        composite != program.composites().end() && composite->first == i;
    if (begins && fused && FusedAttention::isKnown(composite->name)) {
      if (Status status = walk.fusedStep(*composite); !status)
        return status;
      i += composite->count - 1;
    } else if (Status status = walk.step(i); !status) {
      return status;
    }
    if (begins)
      ++composite;
  }
  for (int64_t &bytes : walk.held)
    if (bytes > 0)
      bytes += gathered;
  return MemoryUse{walk.account.memory().peakBytes() + gathered,
                   walk.account.memory().peakKeyValueBytes() + gathered,
                   walk.account.memory().scratchBytes(), std::move(walk.held)};
}

} // namespace ring::rt
