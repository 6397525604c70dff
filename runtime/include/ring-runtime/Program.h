// SPDX-License-Identifier: Apache-2.0
//
// A loaded program: verified once, then read by every backend.

#ifndef RING_RUNTIME_PROGRAM_H
#define RING_RUNTIME_PROGRAM_H

#include "ring-runtime/Status.h"
#include "ring-runtime/Types.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ring::rt {

/// The version of the program format that this runtime reads and writes.
constexpr uint32_t kProgramVersion = 1;

/// Stands for an absent optional operand or result.
constexpr int32_t kAbsent = -1;

/// The value of an attribute. Flags are integers, 0 or 1.
using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<bool>>;

/// Attributes by name, in a fixed order.
using Attributes = std::map<std::string, Attribute>;

/// One step of every device, or of the host.
struct Instruction {
  std::string op;
  std::vector<int32_t> inputs;  ///< indices of values, or kAbsent
  std::vector<int32_t> outputs; ///< indices of values, or kAbsent
  Attributes attributes;
  std::string location; ///< where it came from, for messages
};

/// Instructions that stand together for one op of the device.
struct Composite {
  std::string name;
  size_t first = 0; ///< its first instruction
  size_t count = 0; ///< how many instructions it has
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  Attributes attributes;
};

/// An input or output of the program.
struct Port {
  int32_t value = 0;
  std::string name;
  int64_t limit = 0; ///< generated integers are 0 to limit - 1
};

/// The numbers of a constant, in the program's own memory.
struct ConstantData {
  bool splat = false;
  const uint8_t *data = nullptr;
  size_t size = 0;
};

/// A verified program. Copies share the file's memory.
class Program {
public:
  /// Reads and verifies a program. Any bytes are safe to pass.
  static Result<Program> load(const void *data, size_t size);
  /// Reads and verifies a program file.
  static Result<Program> loadFile(const std::string &path);

  const std::string &name() const { return title; }
  const Shape &mesh() const { return meshShape; }
  int64_t deviceCount() const { return devices; }
  const std::vector<ValueType> &values() const { return valueTypes; }
  const std::vector<ConstantData> &constants() const { return constantData; }
  const std::vector<Instruction> &instructions() const { return steps; }
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// In order, none within another.
  const std::vector<Composite> &composites() const { return compositeList; }

  /// The values that nobody reads after instruction `index`.
  const std::vector<int32_t> &diesAfter(size_t index) const {
    return dying[index];
  }
  /// For a ring.wait: the instruction that started the transfer.
  size_t startOf(size_t waitIndex) const { return startOfWait[waitIndex]; }

  /// A number that two programs share if and only if their files are the same,
  /// but for chance.
  uint64_t hash() const { return fileHash; }

  /// The program as text, one line per instruction.
  std::string text() const;
  /// One instruction as text.
  std::string text(size_t instruction) const;

private:
  friend class ProgramReader;
  friend class ProgramVerifier;

  std::shared_ptr<const std::vector<uint8_t>> file;
  std::string title;
  Shape meshShape;
  int64_t devices = 1;
  std::vector<ValueType> valueTypes;
  std::vector<ConstantData> constantData;
  std::vector<Instruction> steps;
  std::vector<Port> inputPorts;
  std::vector<Port> outputPorts;
  std::vector<Composite> compositeList;
  std::vector<std::vector<int32_t>> dying;
  std::vector<size_t> startOfWait;
  uint64_t fileHash = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_PROGRAM_H
