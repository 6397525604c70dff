// SPDX-License-Identifier: Apache-2.0
//
// Writes program files. A compiler adds values and instructions in order and
// takes the bytes; whether they make sense is decided when they are loaded, by
// the same verification that guards every file. Needs no exceptions, no RTTI.

#ifndef RING_RUNTIME_PROGRAMBUILDER_H
#define RING_RUNTIME_PROGRAMBUILDER_H

#include "ring-runtime/Program.h"

#include <string>
#include <vector>

namespace ring::rt {

/// How the ring dialect's attributes are written into a program's attributes.
/// docs/ProgramFormat.md has the table; these are the same words in C++.
namespace encode {

/// The numbering of the ring dialect's layouts.
enum class LayoutKind : int64_t {
  Contiguous,
  Mirrored,
  Zigzag,
  Striped,
  BlockCyclic
};

/// Which positions of a sequence each rank holds.
struct Layout {
  LayoutKind kind = LayoutKind::Contiguous;
  int64_t length = 0;
  int64_t ranks = 1;
  int64_t offset = 0;
  int64_t block = 0; ///< of a block-cyclic layout

  /// The form in an attribute: kind, length, ranks, offset, block if any.
  std::vector<int64_t> ints() const {
    std::vector<int64_t> numbers = {static_cast<int64_t>(kind), length, ranks,
                                    offset};
    if (block != 0)
      numbers.push_back(block);
    return numbers;
  }
};

/// A mesh axis, or a sub-ring of it: rank = (coordinate / stride) mod size.
struct Axis {
  int64_t index = 0;
  int64_t size = 0; ///< 0: the whole axis
  int64_t stride = 1;
};

/// `size` rows from `offset`, every `stride`-th, of the rank `source` further.
struct Part {
  int64_t source = 0;
  int64_t offset = 0;
  int64_t size = 0;
  int64_t stride = 1;
};

/// Sets `axis`, and `axis_size` and `axis_stride` for a sub-ring.
void axis(Attributes &attributes, const Axis &axis);
/// Sets `before` and `after`; -1 leaves a side unbounded.
void band(Attributes &attributes, int64_t before, int64_t after);
/// Sets `queries`, `keys`, `source` and the axis.
void block(Attributes &attributes, const Layout &queries, const Layout &keys,
           int64_t source, const Axis &axis);
/// Sets `parts`.
void parts(Attributes &attributes, const std::vector<Part> &parts);
/// Sets `axes`; the mesh axis of each dimension, -1 for none.
void sharding(Attributes &attributes, const std::vector<int64_t> &axes);
/// Sets `axes`, `sequence` and `layout`.
void sharding(Attributes &attributes, const std::vector<int64_t> &axes,
              int64_t sequence, const Layout &layout);

} // namespace encode

/// Collects a program. Values are numbered in the order they are added.
class ProgramBuilder {
public:
  ProgramBuilder(std::string name, Shape mesh);

  /// Adds an input of the program. `limit` bounds generated integers.
  int32_t addInput(std::string name, ValueType type, int64_t limit = 0);

  /// Adds the numbers of a constant; gives the `data` attribute of a
  /// `constant` instruction. A splat has one element.
  int64_t addConstantData(const void *data, size_t size, bool splat = false);

  /// Adds an instruction and its results. `inputs` may hold kAbsent.
  std::vector<int32_t> add(std::string op, std::vector<int32_t> inputs,
                           const std::vector<ValueType> &results,
                           Attributes attributes = {},
                           std::string location = {});

  /// The same for an instruction with optional results that are absent:
  /// `present[i]` tells whether result i exists. Absent ones come back as
  /// kAbsent.
  std::vector<int32_t> addOptional(std::string op, std::vector<int32_t> inputs,
                                   const std::vector<ValueType> &results,
                                   const std::vector<bool> &present,
                                   Attributes attributes = {},
                                   std::string location = {});

  /// Adds an instruction with exactly one result.
  int32_t addOne(std::string op, std::vector<int32_t> inputs, ValueType result,
                 Attributes attributes = {}, std::string location = {});

  /// A constant of one repeated number.
  int32_t addFull(ValueType type, double value);

  /// Adds a constant of the given numbers, converted to the type.
  int32_t addConstant(ValueType type, const std::vector<double> &numbers);

  /// Says that the instructions from `first` on stand for one op of the device.
  void addComposite(std::string name, size_t first, std::vector<int32_t> inputs,
                    std::vector<int32_t> outputs, Attributes attributes);
  size_t instructionCount() const { return instructions.size(); }

  /// Names a value as an output of the program.
  void addOutput(std::string name, int32_t value);

  /// The type of a value added before.
  const ValueType &typeOf(int32_t value) const { return values[value]; }
  const Shape &mesh() const { return meshShape; }

  /// The program file.
  std::vector<uint8_t> serialize() const;

  /// Serialises and loads, so that a mistake comes back as a message.
  Result<Program> build() const;

private:
  std::string title;
  Shape meshShape;
  std::vector<ValueType> values;
  std::vector<std::vector<uint8_t>> constants;
  std::vector<bool> splats;
  std::vector<Instruction> instructions;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Composite> composites;
};

} // namespace ring::rt

#endif // RING_RUNTIME_PROGRAMBUILDER_H
