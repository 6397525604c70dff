// SPDX-License-Identifier: Apache-2.0
//
// Checks of programs before a device is touched.

#include "Ttnn/TtnnCheck.h"

#include "Ops/Op.h"

namespace ring::rt {

static bool isWait(const Program &program, size_t index) {
  const std::string &op = program.instructions()[index].op;
  return opTable().find(op)->role == Op::Role::Wait;
}

TtnnPlace placeOf(const Program &program, size_t index) {
  const Instruction &step = program.instructions()[index];
  switch (opTable().find(step.op)->role) {
  case Op::Role::Buffer:
  case Op::Role::Start:
    return TtnnPlace::Nowhere;
  case Op::Role::Wait:
    return TtnnPlace::Devices;
  case Op::Role::Compute:
    break;
  }
  for (const std::vector<int32_t> *values : {&step.inputs, &step.outputs})
    for (int32_t value : *values)
      if (value != kAbsent &&
          program.values()[value].placement != Placement::Local)
        return TtnnPlace::Host;
  // Numbers that depend on nothing are made once, by the CPU backend.
  return step.op == "constant" || step.op == "arange" ? TtnnPlace::Host
                                                      : TtnnPlace::Devices;
}

size_t callOf(const Program &program, size_t index) {
  return isWait(program, index) ? program.startOf(index) : index;
}

std::string describeStep(const Program &program, size_t index) {
  const Instruction &step = program.instructions()[index];
  return "instruction " + std::to_string(index) + " '" + step.op + "'" +
         (step.location.empty() ? "" : " at " + step.location);
}

static Status checkStep(const Program &program, size_t index) {
  size_t call = callOf(program, index);
  const std::string &op = program.instructions()[call].op;
  auto found = ttnnTable().find(op);
  if (found == ttnnTable().end())
    return error("'", op,
                 "' has no call in tt-metal; compile with target=ttnn");
  const TtnnOp &entry = found->second;
  return entry.check ? entry.check(OpTypes(program, call, index))
                     : Status::success();
}

/// The fabric between devices is of one kind.
static Status checkTopology(const Program &program) {
  bool line = false;
  for (size_t i = 0; i < program.instructions().size(); ++i)
    line |= program.instructions()[i].op == "ring_joint_sdpa" &&
            OpTypes(program, i).text("topology") != "ring";
  if (line && goesRound(program))
    return error("expects one topology for all rings of a program on devices, "
                 "but got ring and linear");
  return Status::success();
}

Status checkProgram(const Program &program) {
  if (program.mesh().size() > 2)
    return error("expects a mesh of one or two axes on devices, but got ",
                 describe(program.mesh()));
  for (size_t i = 0; i < program.instructions().size(); ++i)
    if (placeOf(program, i) == TtnnPlace::Devices)
      if (Status status = checkStep(program, i); !status)
        return status.in(describeStep(program, i));
  return checkTopology(program);
}

Status checkCores(const Program &program, ::ttnn::CoreCoord grid) {
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    if (placeOf(program, i) != TtnnPlace::Devices)
      continue;
    size_t call = callOf(program, i);
    const TtnnOp &op = ttnnTable().at(program.instructions()[call].op);
    if (!op.fits)
      continue;
    if (Status status = op.fits(OpTypes(program, call, i), grid); !status)
      return status.in(describeStep(program, i));
  }
  return Status::success();
}

bool goesRound(const Program &program) {
  for (size_t i = 0; i < program.instructions().size(); ++i)
    if (OpTypes(program, i).text("topology") == "ring")
      return true;
  return false;
}

} // namespace ring::rt
