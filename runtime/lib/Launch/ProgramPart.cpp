// SPDX-License-Identifier: Apache-2.0

#include "Launch/ProgramPart.h"

#include "ring-runtime/ProgramBuilder.h"

#include <set>

namespace ring::rt {

namespace {

/// The values that the instructions [begin, end) make or read.
std::set<int32_t> valuesOf(const Program &program, size_t begin, size_t end,
                           bool made) {
  std::set<int32_t> values;
  for (size_t i = begin; i < end; ++i) {
    const Instruction &step = program.instructions()[i];
    for (int32_t value : made ? step.outputs : step.inputs)
      if (value != kAbsent)
        values.insert(value);
  }
  return values;
}

} // namespace

Result<ProgramPart> partOf(const Program &program, size_t begin, size_t end) {
  ProgramPart part;
  const std::set<int32_t> made = valuesOf(program, begin, end, true);
  const std::set<int32_t> read = valuesOf(program, begin, end, false);
  std::set<int32_t> needed =
      valuesOf(program, end, program.instructions().size(), false);
  for (const Port &port : program.outputs())
    needed.insert(port.value);
  const auto isBuffer = [&](int32_t value) {
    return program.values()[value].kind == ValueKind::Buffer;
  };
  for (int32_t value : read)
    if (!made.count(value) && !isBuffer(value))
      part.inputs.push_back(value);
  for (int32_t value : made)
    if (needed.count(value) && !isBuffer(value))
      part.outputs.push_back(value);
  for (const std::vector<int32_t> *list : {&part.inputs, &part.outputs})
    for (int32_t value : *list)
      if (program.values()[value].kind != ValueKind::Tensor)
        return error("expects launches between transfers, but ",
                     describe(program.values()[value]),
                     " is under way across one");

  ProgramBuilder builder(program.name(), program.mesh());
  std::vector<int32_t> numbers(program.values().size(), kAbsent);
  const auto translate = [&](const std::vector<int32_t> &values) {
    std::vector<int32_t> translated;
    for (int32_t value : values)
      translated.push_back(value == kAbsent ? kAbsent : numbers[value]);
    return translated;
  };
  for (int32_t value : part.inputs)
    numbers[value] =
        builder.addInput(std::to_string(value), program.values()[value]);
  for (int32_t value : read)
    if (!made.count(value) && isBuffer(value))
      numbers[value] =
          builder.addOne("ring.buffer", {}, program.values()[value]);
  for (size_t i = begin; i < end; ++i) {
    const Instruction &step = program.instructions()[i];
    Attributes attributes = step.attributes;
    if (step.op == "constant") {
      auto &data = std::get<int64_t>(attributes["data"]);
      const ConstantData &constant = program.constants()[data];
      data =
          builder.addConstantData(constant.data, constant.size, constant.splat);
    }
    std::vector<ValueType> types;
    std::vector<bool> present;
    for (int32_t value : step.outputs) {
      present.push_back(value != kAbsent);
      types.push_back(value == kAbsent ? ValueType() : program.values()[value]);
    }
    const std::vector<int32_t> outputs =
        builder.addOptional(step.op, translate(step.inputs), types, present,
                            std::move(attributes), step.location);
    for (size_t k = 0; k < outputs.size(); ++k)
      if (outputs[k] != kAbsent)
        numbers[step.outputs[k]] = outputs[k];
  }
  for (int32_t value : part.outputs)
    builder.addOutput(std::to_string(value), numbers[value]);
  Result<Program> built = builder.build();
  if (!built)
    return built.status();
  part.program = std::move(*built);
  return part;
}

} // namespace ring::rt
