// SPDX-License-Identifier: Apache-2.0
//
// From bytes to a Program. Nothing in a file is believed: FlatBuffers' verifier
// bounds every offset, then sizes and enums are checked here, and what the
// program means is checked by ProgramVerifier.

#include "Data/Files.h"
#include "Program/ProgramVerifier.h"
#include "ring-runtime/Program.h"

#include "Program_generated.h"

#include <cstring>
#include <limits>

namespace ring::rt {

/// Reads the parts of a file into a Program.
class ProgramReader {
public:
  ProgramReader(Program &program, size_t size)
      : program(program), budget(64 * size + (size_t(1) << 20)) {}

  Status read(const format::Program &file);

private:
  Status readMesh(const format::Program &file);
  Status readValues(const format::Program &file);
  Status readInstruction(const format::Instruction &step);
  Status readAttribute(const format::Attribute &attribute, Attributes &into);
  Status readComposite(const format::Composite &composite);
  Status
  readPorts(const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports,
            std::vector<Port> &into);

  /// Offsets of a hostile file may share one long vector a million times, so
  /// what is copied out of the file is counted against its size.
  Status spend(size_t bytes) {
    if (bytes > budget)
      return error("the file shares its vectors too often");
    budget -= bytes;
    return Status::success();
  }

  Program &program;
  size_t budget;
};

namespace {

constexpr int64_t kMaxDevices = int64_t(1) << 20;
constexpr int64_t kMaxBytes = int64_t(1) << 46;
constexpr size_t kMaxRank = 8;
constexpr int64_t kMaxElements = int64_t(1) << 44;

std::string textOf(const flatbuffers::String *text) {
  return text ? text->str() : std::string();
}

/// The elements of a vector that may be absent. The verifier lets vectors begin
/// at any multiple of 4, so elements of 8 bytes are copied, not pointed at.
template <typename T, typename U>
std::vector<T> elementsOf(const flatbuffers::Vector<U> *vector) {
  std::vector<T> elements;
  size_t count = vector ? vector->size() : 0;
  for (size_t i = 0; i < count; ++i) {
    U element;
    std::memcpy(&element, vector->Data() + i * sizeof(U), sizeof(U));
    elements.push_back(static_cast<T>(flatbuffers::EndianScalar(element)));
  }
  return elements;
}

template <typename Vector>
size_t lengthOf(const Vector *vector) {
  return vector ? vector->size() : 0;
}

/// What the attributes of an instruction or a composite take when copied.
template <typename Table>
size_t sizeOfAttributes(const Table &table) {
  size_t bytes = 0;
  if (table.attributes())
    for (const format::Attribute *attribute : *table.attributes())
      bytes += lengthOf(attribute->name()) + lengthOf(attribute->string()) +
               8 * lengthOf(attribute->ints()) +
               8 * lengthOf(attribute->floats()) + lengthOf(attribute->bools());
  return bytes;
}

/// FNV-1a: enough to tell two programs apart by accident, not by intent.
uint64_t hashOf(const std::vector<uint8_t> &bytes) {
  uint64_t hash = 14695981039346656037ull;
  for (uint8_t byte : bytes)
    hash = (hash ^ byte) * 1099511628211ull;
  return hash;
}

} // namespace

Status ProgramReader::readMesh(const format::Program &file) {
  program.meshShape = elementsOf<int64_t>(file.mesh());
  if (program.meshShape.empty() || program.meshShape.size() > kMaxRank)
    return error("expects a mesh of 1 to ", kMaxRank, " axes, but got ",
                 program.meshShape.size());
  program.devices = 1;
  for (int64_t size : program.meshShape) {
    if (size < 1 || size > kMaxDevices / program.devices)
      return error("expects a mesh of 1 to ", kMaxDevices, " devices, but got ",
                   describe(program.meshShape));
    program.devices *= size;
  }
  return Status::success();
}

Status ProgramReader::readValues(const format::Program &file) {
  for (const format::Value *value : *file.values()) {
    size_t index = program.valueTypes.size();
    if (value->kind() > format::ValueKind_MAX ||
        value->element() > format::ElementType_MAX ||
        value->placement() > format::Placement_MAX)
      return error("value %", index,
                   " has a kind, element type or placement out of range");
    ValueType type;
    type.kind = static_cast<ValueKind>(value->kind());
    type.element = static_cast<ElementType>(value->element());
    type.placement = static_cast<Placement>(value->placement());
    size_t rank = value->shape() ? value->shape()->size() : 0;
    if (rank > kMaxRank)
      return error("expects value %", index, " to have at most ", kMaxRank,
                   " dimensions, but got ", rank);
    type.shape = elementsOf<int64_t>(value->shape());
    int64_t count = 1;
    for (int64_t size : type.shape) {
      if (size < 1 || size > kMaxElements / count)
        return error("expects value %", index, " to have 1 to 2^44 elements, ",
                     "but got the shape ", describe(type.shape));
      count *= size;
    }
    if (type.kind == ValueKind::State &&
        (rank != 4 || type.element != ElementType::F32))
      return error("expects the state %", index, " to be 4-D f32, but got ",
                   describe(type));
    if (type.kind == ValueKind::Token && rank != 0)
      return error("expects the token %", index, " to have no shape, but got ",
                   describe(type.shape));
    if (heldBytes(type) > kMaxBytes)
      return error("expects value %", index, " to fit 2^46 bytes, but got ",
                   describe(type));
    program.valueTypes.push_back(std::move(type));
  }
  return Status::success();
}

Status ProgramReader::readAttribute(const format::Attribute &attribute,
                                    Attributes &into) {
  std::string name = attribute.name()->str();
  Attribute value;
  switch (attribute.kind()) {
  case format::AttributeKind_Int:
    value = static_cast<int64_t>(attribute.int_());
    break;
  case format::AttributeKind_Float:
    value = attribute.float_();
    break;
  case format::AttributeKind_String:
    value = textOf(attribute.string());
    break;
  case format::AttributeKind_Ints:
    value = elementsOf<int64_t>(attribute.ints());
    break;
  case format::AttributeKind_Floats:
    value = elementsOf<double>(attribute.floats());
    break;
  case format::AttributeKind_Bools:
    value = elementsOf<bool>(attribute.bools());
    break;
  default:
    return error("attribute '", name, "' has a kind out of range");
  }
  if (!into.emplace(std::move(name), std::move(value)).second)
    return error("attribute '", attribute.name()->str(), "' occurs twice");
  return Status::success();
}

Status ProgramReader::readInstruction(const format::Instruction &step) {
  size_t bytes = lengthOf(step.op()) + lengthOf(step.location()) +
                 4 * (lengthOf(step.inputs()) + lengthOf(step.outputs())) +
                 sizeOfAttributes(step);
  if (Status status = spend(bytes); !status)
    return status;

  Instruction instruction;
  instruction.op = step.op()->str();
  instruction.location = textOf(step.location());
  instruction.inputs = elementsOf<int32_t>(step.inputs());
  instruction.outputs = elementsOf<int32_t>(step.outputs());
  if (step.attributes())
    for (const format::Attribute *attribute : *step.attributes())
      if (Status status = readAttribute(*attribute, instruction.attributes);
          !status)
        return error("instruction ", program.steps.size(), " (", instruction.op,
                     "): ", status.message());
  program.steps.push_back(std::move(instruction));
  return Status::success();
}

Status ProgramReader::readComposite(const format::Composite &composite) {
  if (Status status = spend(
          composite.name()->size() + sizeOfAttributes(composite) +
          4 * (lengthOf(composite.inputs()) + lengthOf(composite.outputs())));
      !status)
    return status;
  Composite read;
  read.name = composite.name()->str();
  read.first = composite.first();
  read.count = composite.count();
  read.inputs = elementsOf<int32_t>(composite.inputs());
  read.outputs = elementsOf<int32_t>(composite.outputs());
  if (composite.attributes())
    for (const format::Attribute *attribute : *composite.attributes())
      if (Status status = readAttribute(*attribute, read.attributes); !status)
        return error("composite '", read.name, "': ", status.message());
  program.compositeList.push_back(std::move(read));
  return Status::success();
}

Status ProgramReader::readPorts(
    const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports,
    std::vector<Port> &into) {
  for (const format::Port *port : ports) {
    if (Status status = spend(port->name()->size()); !status)
      return status;
    into.push_back({port->value(), port->name()->str(), port->limit()});
  }
  return Status::success();
}

Status ProgramReader::read(const format::Program &file) {
  if (file.version() != kProgramVersion)
    return error("expects program version ", kProgramVersion, ", but got ",
                 file.version());
  program.title = file.name()->str();
  if (Status status = readMesh(file); !status)
    return status;
  if (Status status = readValues(file); !status)
    return status;
  if (file.constants())
    for (const format::Constant *constant : *file.constants())
      program.constantData.push_back(
          {constant->splat(),
           constant->data() ? constant->data()->data() : nullptr,
           constant->data() ? constant->data()->size() : 0});
  for (const format::Instruction *step : *file.instructions())
    if (Status status = readInstruction(*step); !status)
      return status;
  if (Status status = readPorts(*file.inputs(), program.inputPorts); !status)
    return status;
  if (file.composites())
    for (const format::Composite *composite : *file.composites())
      if (Status status = readComposite(*composite); !status)
        return status;
  return readPorts(*file.outputs(), program.outputPorts);
}

Result<Program> Program::load(const void *data, size_t size) {
  if (size < 8 || size > FLATBUFFERS_MAX_BUFFER_SIZE)
    return error("expects a program file of 8 bytes to 2 GiB, but got ", size,
                 " bytes");
  auto copy = std::make_shared<std::vector<uint8_t>>(
      static_cast<const uint8_t *>(data),
      static_cast<const uint8_t *>(data) + size);
  if (!format::ProgramBufferHasIdentifier(copy->data()))
    return error("expects a program file, which has the identifier RING, but "
                 "got something else (ring-run takes modules)");
  // A table takes at least 8 bytes of its own, so more tables than that are
  // the same ones visited again and again.
  flatbuffers::Verifier verifier(copy->data(), copy->size(), 16,
                                 static_cast<flatbuffers::uoffset_t>(size / 8));
  if (!format::VerifyProgramBuffer(verifier))
    return error("the program file is truncated or corrupted");

  Program program;
  program.file = copy;
  program.fileHash = hashOf(*copy);
  ProgramReader reader(program, size);
  if (Status status = reader.read(*format::GetProgram(copy->data())); !status)
    return status;
  if (Status status = ProgramVerifier(program).verify(); !status)
    return status;
  return program;
}

Result<Program> Program::loadFile(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  Result<Program> program = load(bytes->data(), bytes->size());
  if (!program)
    return error("'", path, "': ", program.message());
  return program;
}

} // namespace ring::rt
