// SPDX-License-Identifier: Apache-2.0
//
// Serialises programs. The only writer of the format.

#include "ring-runtime/ProgramBuilder.h"

#include "Data/Numbers.h"
#include "Program_generated.h"

namespace ring::rt {

namespace encode {

void axis(Attributes &attributes, const Axis &axis) {
  attributes["axis"] = axis.index;
  if (axis.size != 0)
    attributes["axis_size"] = axis.size;
  if (axis.stride != 1)
    attributes["axis_stride"] = axis.stride;
}

void band(Attributes &attributes, int64_t before, int64_t after) {
  attributes["before"] = before;
  attributes["after"] = after;
}

void block(Attributes &attributes, const Layout &queries, const Layout &keys,
           int64_t source, const Axis &onAxis) {
  attributes["queries"] = queries.ints();
  attributes["keys"] = keys.ints();
  attributes["source"] = source;
  axis(attributes, onAxis);
}

void parts(Attributes &attributes, const std::vector<Part> &parts) {
  std::vector<int64_t> ints;
  for (const Part &part : parts)
    ints.insert(ints.end(), {part.source, part.offset, part.size, part.stride});
  attributes["parts"] = std::move(ints);
}

void sharding(Attributes &attributes, const std::vector<int64_t> &axes) {
  attributes["axes"] = axes;
}

void sharding(Attributes &attributes, const std::vector<int64_t> &axes,
              int64_t sequence, const Layout &layout) {
  sharding(attributes, axes);
  attributes["sequence"] = sequence;
  attributes["layout"] = layout.ints();
}

} // namespace encode

ProgramBuilder::ProgramBuilder(std::string name, Shape mesh)
    : title(std::move(name)), meshShape(std::move(mesh)) {}

int32_t ProgramBuilder::addInput(std::string name, ValueType type,
                                 int64_t limit) {
  int32_t value = static_cast<int32_t>(values.size());
  values.push_back(std::move(type));
  inputs.push_back({value, std::move(name), limit});
  return value;
}

int64_t ProgramBuilder::addConstantData(const void *data, size_t size,
                                        bool splat) {
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  constants.emplace_back(bytes, bytes + size);
  splats.push_back(splat);
  return static_cast<int64_t>(constants.size()) - 1;
}

std::vector<int32_t>
ProgramBuilder::addOptional(std::string op, std::vector<int32_t> operands,
                            const std::vector<ValueType> &results,
                            const std::vector<bool> &present,
                            Attributes attributes, std::string location) {
  std::vector<int32_t> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!present[i]) {
      outputs.push_back(kAbsent);
      continue;
    }
    outputs.push_back(static_cast<int32_t>(values.size()));
    values.push_back(results[i]);
  }
  instructions.push_back({std::move(op), std::move(operands), outputs,
                          std::move(attributes), std::move(location)});
  return outputs;
}

std::vector<int32_t> ProgramBuilder::add(std::string op,
                                         std::vector<int32_t> operands,
                                         const std::vector<ValueType> &results,
                                         Attributes attributes,
                                         std::string location) {
  return addOptional(std::move(op), std::move(operands), results,
                     std::vector<bool>(results.size(), true),
                     std::move(attributes), std::move(location));
}

int32_t ProgramBuilder::addOne(std::string op, std::vector<int32_t> operands,
                               ValueType result, Attributes attributes,
                               std::string location) {
  return add(std::move(op), std::move(operands), {std::move(result)},
             std::move(attributes), std::move(location))[0];
}

int32_t ProgramBuilder::addFull(ValueType type, double value) {
  return addOne("full", {}, std::move(type), {{"value", value}});
}

int32_t ProgramBuilder::addConstant(ValueType type,
                                    const std::vector<double> &numbers) {
  // Block formats travel as f32: the reader rounds whole rows.
  ElementType stored = type.element;
  if (stored == ElementType::BFP8B || stored == ElementType::BFP4B)
    stored = ElementType::F32;
  std::vector<uint8_t> bytes(numbers.size() * heldElementBytes(stored));
  storeNumbers(bytes.data(), stored, 0, numbers.data(),
               static_cast<int64_t>(numbers.size()));
  int64_t data =
      addConstantData(bytes.data(), bytes.size(),
                      numbers.size() == 1 && elementCount(type.shape) != 1);
  return addOne("constant", {}, std::move(type), {{"data", data}});
}

void ProgramBuilder::addComposite(std::string name, size_t first,
                                  std::vector<int32_t> operands,
                                  std::vector<int32_t> results,
                                  Attributes attributes) {
  composites.push_back({std::move(name), first, instructions.size() - first,
                        std::move(operands), std::move(results),
                        std::move(attributes)});
}

void ProgramBuilder::addOutput(std::string name, int32_t value) {
  outputs.push_back({value, std::move(name), 0});
}

namespace {

/// Writes one attribute: its kind, and the field of that kind.
flatbuffers::Offset<format::Attribute>
writeAttribute(flatbuffers::FlatBufferBuilder &out, const std::string &name,
               const Attribute &attribute) {
  auto nameOffset = out.CreateSharedString(name);
  flatbuffers::Offset<flatbuffers::String> text;
  flatbuffers::Offset<flatbuffers::Vector<int64_t>> ints;
  flatbuffers::Offset<flatbuffers::Vector<double>> floats;
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> bools;
  if (auto *value = std::get_if<std::string>(&attribute))
    text = out.CreateString(*value);
  else if (auto *value = std::get_if<std::vector<int64_t>>(&attribute))
    ints = out.CreateVector(*value);
  else if (auto *value = std::get_if<std::vector<double>>(&attribute))
    floats = out.CreateVector(*value);
  else if (auto *value = std::get_if<std::vector<bool>>(&attribute))
    bools = out.CreateVector(*value);

  format::AttributeBuilder builder(out);
  builder.add_name(nameOffset);
  builder.add_kind(static_cast<format::AttributeKind>(attribute.index()));
  if (auto *value = std::get_if<int64_t>(&attribute))
    builder.add_int_(*value);
  else if (auto *value = std::get_if<double>(&attribute))
    builder.add_float_(*value);
  builder.add_string(text);
  builder.add_ints(ints);
  builder.add_floats(floats);
  builder.add_bools(bools);
  return builder.Finish();
}

std::vector<flatbuffers::Offset<format::Attribute>>
writeAttributes(flatbuffers::FlatBufferBuilder &out,
                const Attributes &attributes) {
  std::vector<flatbuffers::Offset<format::Attribute>> offsets;
  for (const auto &[name, attribute] : attributes)
    offsets.push_back(writeAttribute(out, name, attribute));
  return offsets;
}

std::vector<flatbuffers::Offset<format::Port>>
writePorts(flatbuffers::FlatBufferBuilder &out,
           const std::vector<Port> &ports) {
  std::vector<flatbuffers::Offset<format::Port>> offsets;
  for (const Port &port : ports)
    offsets.push_back(format::CreatePort(
        out, port.value, out.CreateString(port.name), port.limit));
  return offsets;
}

} // namespace

std::vector<uint8_t> ProgramBuilder::serialize() const {
  flatbuffers::FlatBufferBuilder out;
  std::vector<flatbuffers::Offset<format::Value>> valueOffsets;
  for (const ValueType &type : values)
    valueOffsets.push_back(
        format::CreateValue(out, static_cast<format::ValueKind>(type.kind),
                            static_cast<format::ElementType>(type.element),
                            static_cast<format::Placement>(type.placement),
                            out.CreateVector(type.shape)));

  std::vector<flatbuffers::Offset<format::Constant>> constantOffsets;
  for (size_t i = 0; i < constants.size(); ++i) {
    out.ForceVectorAlignment(constants[i].size(), 1, 16);
    auto data = out.CreateVector(constants[i]);
    constantOffsets.push_back(format::CreateConstant(out, splats[i], data));
  }

  std::vector<flatbuffers::Offset<format::Instruction>> stepOffsets;
  for (const Instruction &step : instructions) {
    auto attributes = writeAttributes(out, step.attributes);
    auto op = out.CreateSharedString(step.op);
    auto operands = out.CreateVector(step.inputs);
    auto results = out.CreateVector(step.outputs);
    auto attributeVector = out.CreateVector(attributes);
    auto location = out.CreateSharedString(step.location);
    stepOffsets.push_back(format::CreateInstruction(out, op, operands, results,
                                                    attributeVector, location));
  }

  std::vector<flatbuffers::Offset<format::Composite>> compositeOffsets;
  for (const Composite &composite : composites) {
    auto attributes = writeAttributes(out, composite.attributes);
    auto compositeName = out.CreateSharedString(composite.name);
    auto operands = out.CreateVector(composite.inputs);
    auto results = out.CreateVector(composite.outputs);
    auto attributeVector = out.CreateVector(attributes);
    compositeOffsets.push_back(format::CreateComposite(
        out, compositeName, static_cast<uint32_t>(composite.first),
        static_cast<uint32_t>(composite.count), operands, results,
        attributeVector));
  }

  auto name = out.CreateString(title);
  auto mesh = out.CreateVector(meshShape);
  auto valueVector = out.CreateVector(valueOffsets);
  auto constantVector = out.CreateVector(constantOffsets);
  auto stepVector = out.CreateVector(stepOffsets);
  auto inputVector = out.CreateVector(writePorts(out, inputs));
  auto outputVector = out.CreateVector(writePorts(out, outputs));
  auto compositeVector = out.CreateVector(compositeOffsets);
  format::FinishProgramBuffer(
      out, format::CreateProgram(out, kProgramVersion, name, mesh, valueVector,
                                 constantVector, stepVector, inputVector,
                                 outputVector, compositeVector));
  return {out.GetBufferPointer(), out.GetBufferPointer() + out.GetSize()};
}

Result<Program> ProgramBuilder::build() const {
  std::vector<uint8_t> file = serialize();
  return Program::load(file.data(), file.size());
}

} // namespace ring::rt
