// SPDX-License-Identifier: Apache-2.0
//
// The rules of docs/ProgramFormat.md, "What loading checks".

#include "Program/ProgramVerifier.h"

#include "Ops/Op.h"

#include <limits>

namespace ring::rt {

namespace {

constexpr size_t kNoStart = std::numeric_limits<size_t>::max();

const char *nameOf(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Int:
    return "int";
  case AttributeKind::Float:
    return "float";
  case AttributeKind::String:
    return "string";
  case AttributeKind::Ints:
    return "ints";
  case AttributeKind::Floats:
    return "floats";
  case AttributeKind::Bools:
    return "bools";
  }
  return "?";
}

Status verifyCount(const char *what, size_t count, int low, int high) {
  if (count >= static_cast<size_t>(low) && count <= static_cast<size_t>(high))
    return Status::success();
  if (low == high)
    return error("expects ", low, " ", what, ", but got ", count);
  if (high == kVariadic)
    return error("expects at least ", low, " ", what, ", but got ", count);
  return error("expects ", low, " to ", high, " ", what, ", but got ", count);
}

Status verifyAttributes(const Op &op, const Attributes &attributes) {
  size_t known = 0;
  for (const AttributeSpec &spec : op.signature.attributes) {
    auto found = attributes.find(spec.name);
    if (found == attributes.end()) {
      if (spec.required)
        return error("expects the attribute '", spec.name, "'");
      continue;
    }
    ++known;
    auto kind = static_cast<AttributeKind>(found->second.index());
    bool widened =
        spec.kind == AttributeKind::Float && kind == AttributeKind::Int;
    if (kind != spec.kind && !widened)
      return error("expects '", spec.name, "' to be ", nameOf(spec.kind),
                   ", but got ", nameOf(kind));
  }
  if (known == attributes.size())
    return Status::success();
  for (const auto &entry : attributes) {
    bool found = false;
    for (const AttributeSpec &spec : op.signature.attributes)
      found |= entry.first == spec.name;
    if (!found)
      return error("has the unknown attribute '", entry.first, "'");
  }
  return Status::success();
}

} // namespace

Status ProgramVerifier::define(int32_t value) {
  if (value < 0 || static_cast<size_t>(value) >= program.valueTypes.size())
    return error("defines value %", value, ", but there are ",
                 program.valueTypes.size());
  if (defined[value])
    return error("defines value %", value, " a second time");
  defined[value] = true;
  return Status::success();
}

Status ProgramVerifier::verifyOperands(const Instruction &step) {
  for (int32_t value : step.inputs) {
    if (value == kAbsent)
      continue;
    if (value < 0 || static_cast<size_t>(value) >= program.valueTypes.size())
      return error("reads value %", value, ", but there are ",
                   program.valueTypes.size());
    if (!defined[value])
      return error("reads value %", value, " before it is defined");
    if (Status status = checkFresh(value); !status)
      return status;
  }
  for (int32_t value : step.outputs)
    if (value != kAbsent)
      if (Status status = define(value); !status)
        return status;
  return Status::success();
}

Status ProgramVerifier::verifyPlacement(const Instruction &step, bool crosses) {
  bool seen[2] = {false, false};
  for (const std::vector<int32_t> *list : {&step.inputs, &step.outputs}) {
    if (crosses)
      seen[0] = seen[1] = false;
    for (int32_t value : *list)
      if (value != kAbsent)
        seen[static_cast<size_t>(program.valueTypes[value].placement)] = true;
    if (seen[0] && seen[1])
      return error("expects its operands in one place, but got whole and ",
                   "local values");
  }
  return Status::success();
}

Status ProgramVerifier::checkFresh(int32_t value) {
  const Landing &landing = landings[value];
  if (landing.buffer == kAbsent || bufferUses[landing.buffer] == landing.use)
    return Status::success();
  return error("reads value %", value, ", which lay in buffer %",
               landing.buffer, " until another transfer into it started");
}

Status ProgramVerifier::followTransfers(size_t index) {
  const Instruction &step = program.steps[index];
  const Op *op = opTable().find(step.op);
  if (op->role == Op::Role::Start) {
    for (int32_t value : step.inputs) {
      if (value == kAbsent ||
          program.valueTypes[value].kind != ValueKind::Buffer)
        continue;
      if (bufferBusy[value])
        return error("starts a transfer into buffer %", value,
                     ", but another one into it is under way");
      bufferBusy[value] = true;
      ++bufferUses[value];
    }
    // Starting may have overwritten one of its own operands.
    for (int32_t value : step.inputs)
      if (value != kAbsent)
        if (Status status = checkFresh(value); !status)
          return status;
    startOfToken[step.outputs[0]] = index;
    return Status::success();
  }
  if (op->role != Op::Role::Wait)
    return Status::success();

  int32_t token = step.inputs[0];
  if (startOfToken[token] == kNoStart)
    return error("waits for value %", token, ", which no transfer made");
  if (awaited[token])
    return error("waits for token %", token, " a second time");
  awaited[token] = true;
  size_t start = startOfToken[token];
  program.startOfWait[index] = start;
  std::vector<int32_t> buffers;
  for (int32_t value : program.steps[start].inputs)
    if (value != kAbsent && program.valueTypes[value].kind == ValueKind::Buffer)
      buffers.push_back(value);
  if (buffers.size() != step.outputs.size())
    return error("expects one result per buffer of the transfer, ",
                 buffers.size(), ", but got ", step.outputs.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    ValueType expected = program.valueTypes[buffers[i]];
    expected.kind = ValueKind::Tensor;
    if (step.outputs[i] == kAbsent)
      return error("expects result ", i, ", but it is absent");
    const ValueType &found = program.valueTypes[step.outputs[i]];
    if (found != expected)
      return error("expects result ", i, " to be ", describe(expected),
                   ", but got ", describe(found));
    bufferBusy[buffers[i]] = false;
    landings[step.outputs[i]] = {buffers[i], bufferUses[buffers[i]]};
  }
  return Status::success();
}

Status ProgramVerifier::verifyInstruction(size_t index) {
  const Instruction &step = program.steps[index];
  const Op *op = opTable().find(step.op);
  if (!op)
    return error("is no op of this runtime");
  if (Status status =
          verifyCount("operands", step.inputs.size(),
                      op->signature.inputs.fewest, op->signature.inputs.most);
      !status)
    return status;
  if (Status status =
          verifyCount("results", step.outputs.size(),
                      op->signature.outputs.fewest, op->signature.outputs.most);
      !status)
    return status;
  for (int i = 0; i < op->signature.inputs.fewest; ++i)
    if (step.inputs[i] == kAbsent)
      return error("expects operand ", i, ", but it is absent");
  for (int i = 0; i < op->signature.outputs.fewest; ++i)
    if (step.outputs[i] == kAbsent)
      return error("expects result ", i, ", but it is absent");
  if (op->signature.inputs.most == kVariadic)
    for (int32_t value : step.inputs)
      if (value == kAbsent)
        return error("expects all operands, but one is absent");
  if (op->signature.outputs.most == kVariadic)
    for (int32_t value : step.outputs)
      if (value == kAbsent)
        return error("expects all results, but one is absent");
  if (Status status = verifyOperands(step); !status)
    return status;
  if (Status status = verifyPlacement(step, op->signature.crossesPlacement);
      !status)
    return status;
  if (Status status = verifyAttributes(*op, step.attributes); !status)
    return status;
  if (op->signature.verify)
    if (Status status = op->signature.verify(OpTypes(program, index)); !status)
      return status;
  return followTransfers(index);
}

Status ProgramVerifier::verifyPorts() {
  if (program.outputPorts.empty())
    return error("expects at least one program output, but got none");
  for (const Port &port : program.outputPorts) {
    if (port.value < 0 ||
        static_cast<size_t>(port.value) >= program.valueTypes.size() ||
        !defined[port.value])
      return error("output '", port.name, "' names value %", port.value,
                   ", which is not defined");
    if (program.valueTypes[port.value].kind != ValueKind::Tensor)
      return error("expects output '", port.name, "' to be a tensor, but got ",
                   describe(program.valueTypes[port.value]));
    if (Status status = checkFresh(port.value); !status)
      return error("output '", port.name, "' ", status.message());
  }
  return Status::success();
}

/// Composites name instructions and values that are there, in order and without
/// overlap.
Status ProgramVerifier::verifyComposites() {
  size_t next = 0;
  for (const Composite &composite : program.compositeList) {
    if (composite.first < next || composite.count == 0 ||
        composite.first + composite.count > program.steps.size())
      return error("expects composite '", composite.name,
                   "' to stand for instructions from ", next, " to ",
                   program.steps.size(), ", but got ", composite.count,
                   " from ", composite.first);
    next = composite.first + composite.count;
    for (const std::vector<int32_t> *list :
         {&composite.inputs, &composite.outputs})
      for (int32_t value : *list)
        if (value != kAbsent &&
            (value < 0 || static_cast<size_t>(value) >= defined.size() ||
             !defined[value]))
          return error("composite '", composite.name, "' names value %", value,
                       ", which is not defined");
  }
  return Status::success();
}

void ProgramVerifier::findDeaths() {
  std::vector<size_t> lastUse(program.valueTypes.size(), kNoStart);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (int32_t value : program.steps[i].inputs)
      if (value != kAbsent)
        lastUse[value] = i;
    // What a transfer sends is read until its wait.
    if (size_t start = program.startOfWait[i]; start != kNoStart)
      for (int32_t value : program.steps[start].inputs)
        if (value != kAbsent)
          lastUse[value] = i;
    // A result that nobody reads dies where it is made.
    for (int32_t value : program.steps[i].outputs)
      if (value != kAbsent)
        lastUse[value] = i;
  }
  for (const Port &port : program.outputPorts)
    lastUse[port.value] = kNoStart;
  for (size_t value = 0; value < lastUse.size(); ++value) {
    // Buffers are kept for the whole program.
    bool kept = program.valueTypes[value].kind == ValueKind::Buffer;
    if (lastUse[value] != kNoStart && !kept)
      program.dying[lastUse[value]].push_back(static_cast<int32_t>(value));
  }
}

Status ProgramVerifier::verify() {
  size_t count = program.valueTypes.size();
  defined.assign(count, false);
  landings.assign(count, {});
  bufferUses.assign(count, 0);
  bufferBusy.assign(count, false);
  startOfToken.assign(count, kNoStart);
  awaited.assign(count, false);
  program.dying.assign(program.steps.size(), {});
  program.startOfWait.assign(program.steps.size(), kNoStart);

  for (const Port &port : program.inputPorts) {
    if (Status status = define(port.value); !status)
      return error("input '", port.name, "' ", status.message());
    if (program.valueTypes[port.value].kind != ValueKind::Tensor)
      return error("expects input '", port.name, "' to be a tensor, but got ",
                   describe(program.valueTypes[port.value]));
    if (port.limit < 0)
      return error("expects the limit of input '", port.name,
                   "' not to be negative, but got ", port.limit);
  }
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (Status status = verifyInstruction(i); !status) {
      const Instruction &step = program.steps[i];
      return error("instruction ", i, " '", step.op, "'",
                   step.location.empty() ? "" : " at ", step.location, " ",
                   status.message());
    }
  for (size_t value = 0; value < count; ++value)
    if (startOfToken[value] != kNoStart && !awaited[value])
      return error("instruction ", startOfToken[value],
                   " starts a transfer that nobody waits for");
  if (Status status = verifyPorts(); !status)
    return status;
  if (Status status = verifyComposites(); !status)
    return status;
  findDeaths();
  return Status::success();
}

} // namespace ring::rt
