// SPDX-License-Identifier: Apache-2.0
//
// What an op sees of an instruction before there is any data: the types of its
// operands, its attributes, and the mesh.

#ifndef RING_RUNTIME_OPS_OPTYPES_H
#define RING_RUNTIME_OPS_OPTYPES_H

#include "ring-runtime/Program.h"
#include "ring-runtime/Status.h"
#include "ring/Positions/Band.h"
#include "ring/Positions/Block.h"

#include <initializer_list>
#include <optional>

namespace ring::rt {

using positions::Band;
using positions::Block;
using positions::MeshAxis;
using positions::PositionRange;
using positions::Positions;
using positions::SequenceLayout;

/// The positions of the rows on both sides of a block.
struct BlockPositions {
  Positions queries;
  Positions keys;
};

/// A view of one instruction. Cheap to make and to copy.
class OpTypes {
public:
  /// The instruction at `index`; the results of `outputsOf` where given, which
  /// is how a wait stands in for the results of the transfer it waits for.
  OpTypes(const Program &program, size_t index);
  OpTypes(const Program &program, size_t index, size_t outputsOf);

  const Program &program() const { return *owner; }
  const Instruction &instruction() const { return *step; }
  size_t index() const { return position; }
  int64_t deviceCount() const { return owner->deviceCount(); }
  /// The number that stands for the host where a device is expected.
  int64_t host() const { return owner->deviceCount(); }

  size_t inputCount() const { return step->inputs.size(); }
  size_t outputCount() const { return results->outputs.size(); }
  /// The type of an operand, or nullptr if it is absent.
  const ValueType *input(size_t i) const;
  const ValueType *output(size_t i) const;
  int32_t inputValue(size_t i) const;
  int32_t outputValue(size_t i) const;

  /// Attributes. The kinds have been checked against the op's list.
  bool has(const char *name) const;
  int64_t intOr(const char *name, int64_t otherwise) const;
  double floatOr(const char *name, double otherwise) const;
  bool flag(const char *name) const { return intOr(name, 0) != 0; }
  std::string text(const char *name) const;
  const std::vector<int64_t> &ints(const char *name) const;
  std::vector<bool> bools(const char *name) const;

  /// The dimension that attribute `name` names, of `rank`; -1 if there is none.
  int64_t dim(const char *name, size_t rank) const;

  /// The attributes of the ring dialect, put together again.
  Result<MeshAxis> axis() const;
  Result<MeshAxis> axis(int64_t index, int64_t size, int64_t stride) const;
  Result<SequenceLayout> layout(const char *name) const;
  Result<Block> block() const;
  Band band() const;
  /// The positions of the rows of operands `query` and `key` on a device: by
  /// the block where there is one, else from 0 on; keys moved by `key_shift`.
  BlockPositions positions(size_t query, size_t key, int64_t device) const;
  bool hasBlock() const { return has("queries") || has("key_places"); }
  /// The positions that attribute `name` lists for a device; nothing where the
  /// list does not have `rows` rows on every device.
  std::optional<Positions> places(const char *name, int64_t device,
                                  int64_t rows) const;

  /// Checks `before` and `after`: both or neither, and -1 or more.
  Status verifyBand() const;

private:
  const Program *owner;
  const Instruction *step;
  const Instruction *results;
  size_t position;
};

/// Fails unless output `i` has that shape.
Status expectShape(const OpTypes &types, size_t i, const Shape &shape);
/// Fails unless all operands, but for tokens and buffers, are tensors.
Status expectTensors(const OpTypes &types);
/// Fails unless input `i` has that rank.
Status expectRank(const OpTypes &types, size_t i, size_t rank);
/// Fails unless output `i` has the type of input `j`.
Status expectSameType(const OpTypes &types, size_t i, size_t j);
/// The shape that shapes broadcast to, from the right; nothing if they do not.
Result<Shape> broadcastShapes(std::initializer_list<const Shape *> shapes);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_OPTYPES_H
