// SPDX-License-Identifier: Apache-2.0
//
// Access to operands and attributes of an instruction.

#include "Ops/OpTypes.h"

#include <algorithm>

namespace ring::rt {

OpTypes::OpTypes(const Program &program, size_t index)
    : OpTypes(program, index, index) {}

OpTypes::OpTypes(const Program &program, size_t index, size_t outputsOf)
    : owner(&program), step(&program.instructions()[index]),
      results(&program.instructions()[outputsOf]), position(index) {}

int32_t OpTypes::inputValue(size_t i) const {
  return i < step->inputs.size() ? step->inputs[i] : kAbsent;
}

int32_t OpTypes::outputValue(size_t i) const {
  return i < results->outputs.size() ? results->outputs[i] : kAbsent;
}

const ValueType *OpTypes::input(size_t i) const {
  int32_t value = inputValue(i);
  return value == kAbsent ? nullptr : &owner->values()[value];
}

const ValueType *OpTypes::output(size_t i) const {
  int32_t value = outputValue(i);
  return value == kAbsent ? nullptr : &owner->values()[value];
}

bool OpTypes::has(const char *name) const {
  return step->attributes.count(name) != 0;
}

int64_t OpTypes::intOr(const char *name, int64_t otherwise) const {
  auto found = step->attributes.find(name);
  if (found == step->attributes.end())
    return otherwise;
  return std::get<int64_t>(found->second);
}

double OpTypes::floatOr(const char *name, double otherwise) const {
  auto found = step->attributes.find(name);
  if (found == step->attributes.end())
    return otherwise;
  if (auto *whole = std::get_if<int64_t>(&found->second))
    return static_cast<double>(*whole);
  return std::get<double>(found->second);
}

std::string OpTypes::text(const char *name) const {
  auto found = step->attributes.find(name);
  if (found == step->attributes.end())
    return {};
  return std::get<std::string>(found->second);
}

const std::vector<int64_t> &OpTypes::ints(const char *name) const {
  static const std::vector<int64_t> kNone;
  auto found = step->attributes.find(name);
  if (found == step->attributes.end())
    return kNone;
  return std::get<std::vector<int64_t>>(found->second);
}

std::vector<bool> OpTypes::bools(const char *name) const {
  auto found = step->attributes.find(name);
  if (found == step->attributes.end())
    return {};
  return std::get<std::vector<bool>>(found->second);
}

int64_t OpTypes::dim(const char *name, size_t rank) const {
  int64_t extent = static_cast<int64_t>(rank);
  int64_t dim = intOr(name, extent);
  if (dim < 0 && dim >= -extent)
    dim += extent;
  return dim >= 0 && dim < extent ? dim : -1;
}

Result<MeshAxis> OpTypes::axis() const {
  return axis(intOr("axis", 0), intOr("axis_size", 0), intOr("axis_stride", 1));
}

Result<MeshAxis> OpTypes::axis(int64_t index, int64_t size,
                               int64_t stride) const {
  const Shape &mesh = owner->mesh();
  if (size == 0 && index >= 0 && index < static_cast<int64_t>(mesh.size()))
    size = mesh[index];
  if (std::optional<std::string> misfit =
          MeshAxis::misfitOf(mesh, index, size, stride))
    return error(*misfit);
  return MeshAxis(mesh, index, size, stride);
}

Result<SequenceLayout> OpTypes::layout(const char *name) const {
  const std::vector<int64_t> &numbers = ints(name);
  if (numbers.size() != 4 && numbers.size() != 5)
    return error("'", name,
                 "' expects a layout of kind, length, ranks, offset and, of a "
                 "block-cyclic one, block, but got ",
                 numbers.size(), " numbers");
  if (numbers[0] < 0 || numbers[0] > 4)
    return error("'", name, "' expects a layout kind from 0 to 4, but got ",
                 numbers[0]);
  SequenceLayout layout{static_cast<positions::LayoutKind>(numbers[0]),
                        numbers[1], numbers[2], numbers[3],
                        numbers.size() == 5 ? numbers[4] : 0};
  if (std::optional<std::string> misfit = layout.misfit())
    return error("'", name, "' ", *misfit);
  return layout;
}

Result<Block> OpTypes::block() const {
  for (const char *part : {"queries", "keys", "source", "axis"})
    if (!has(part))
      return error("expects a block to have queries, keys, source and axis, ",
                   "but '", part, "' is missing");
  Result<SequenceLayout> queries = layout("queries");
  if (!queries)
    return queries.status();
  Result<SequenceLayout> keys = layout("keys");
  if (!keys)
    return keys.status();
  Result<MeshAxis> onAxis = axis();
  if (!onAxis)
    return onAxis.status();
  Block found{*queries, *keys, intOr("source", 0),      intOr("first_key", 0),
              *onAxis,  {},    intOr("outer_source", 0)};
  if (has("outer")) {
    std::vector<int64_t> ring = ints("outer");
    if (ring.size() != 3)
      return error("expects 'outer' to be an axis, its size and its stride, "
                   "but got ",
                   ring.size(), " numbers");
    Result<MeshAxis> outer = axis(ring[0], ring[1], ring[2]);
    if (!outer)
      return outer.status();
    found.outer = *outer;
  }
  // Keys over one rank are all on every device.
  if (queries->ranks != found.ranks() ||
      (keys->ranks != found.ranks() && keys->ranks != 1))
    return error("expects the layouts of a block to have the axis's ",
                 found.ranks(), " ranks, but got ", queries->ranks, " and ",
                 keys->ranks);
  int64_t firstKey = intOr("first_key", 0);
  if (firstKey < 0 || firstKey >= keys->shardLength())
    return error("expects 'first_key' to be one of ", keys->shardLength(),
                 " rows, but got ", firstKey);
  return found;
}

std::optional<Positions> OpTypes::places(const char *name, int64_t device,
                                         int64_t rows) const {
  const std::vector<int64_t> &numbers = ints(name);
  std::optional<Positions> found;
  size_t next = 0;
  for (int64_t i = 0; i < deviceCount(); ++i) {
    if (next >= numbers.size())
      return std::nullopt;
    int64_t count = numbers[next++], listed = 0;
    if (count < 1 || count > static_cast<int64_t>((numbers.size() - next) / 3))
      return std::nullopt;
    Positions own;
    for (int64_t j = 0; j < count; ++j, next += 3) {
      PositionRange range{numbers[next], numbers[next + 1], numbers[next + 2]};
      if (!range.isInSequence() || range.size > rows - listed)
        return std::nullopt;
      listed += range.size;
      own.push_back(range);
    }
    if (listed != rows)
      return std::nullopt;
    if (i == device)
      found = own;
  }
  return next == numbers.size() ? found : std::nullopt;
}

BlockPositions OpTypes::positions(size_t query, size_t key,
                                  int64_t device) const {
  int64_t queryRows = input(query)->shape[2], keyRows = input(key)->shape[2];
  BlockPositions rows{{{0, queryRows, 1}}, {{0, keyRows, 1}}};
  if (has("key_places")) {
    rows = {*places("query_places", device, queryRows),
            *places("key_places", device, keyRows)};
  } else if (hasBlock()) {
    Result<Block> place = block();
    rows = {place->queriesOn(device, queryRows),
            place->keysOn(device, keyRows)};
  }
  for (PositionRange &range : rows.keys)
    range.begin += intOr("key_shift", 0);
  return rows;
}

Band OpTypes::band() const {
  auto side = [&](const char *name) {
    int64_t keys = intOr(name, -1);
    return keys < 0 ? std::nullopt : std::optional(keys);
  };
  return {side("before"), side("after")};
}

Status OpTypes::verifyBand() const {
  if (has("before") != has("after"))
    return error("expects 'before' and 'after' together");
  // Far beyond any sequence, and sums with positions stay within 64 bits.
  constexpr int64_t kFar = int64_t(1) << 41;
  int64_t before = intOr("before", -1), after = intOr("after", -1);
  if (before < -1 || after < -1 || before > kFar || after > kFar)
    return error("expects a band of -1 to 2^41 on either side, but got ",
                 before, " and ", after);
  return Status::success();
}

Status expectShape(const OpTypes &types, size_t i, const Shape &shape) {
  const ValueType *type = types.output(i);
  if (type && type->shape != shape)
    return error("expects result ", i, " to be ", describe(shape), ", but got ",
                 describe(type->shape));
  return Status::success();
}

Status expectTensors(const OpTypes &types) {
  auto check = [](const ValueType *type, const char *what, size_t i) {
    if (type && type->kind != ValueKind::Tensor)
      return error("expects ", what, " ", i, " to be a tensor, but got ",
                   describe(*type));
    return Status::success();
  };
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (Status status = check(types.input(i), "operand", i); !status)
      return status;
  for (size_t i = 0; i < types.outputCount(); ++i)
    if (Status status = check(types.output(i), "result", i); !status)
      return status;
  return Status::success();
}

Status expectRank(const OpTypes &types, size_t i, size_t rank) {
  const ValueType *type = types.input(i);
  if (type && type->shape.size() != rank)
    return error("expects operand ", i, " to have ", rank,
                 " dimensions, but got ", describe(*type));
  return Status::success();
}

Status expectSameType(const OpTypes &types, size_t i, size_t j) {
  const ValueType *output = types.output(i);
  const ValueType *input = types.input(j);
  if (output && input && *output != *input)
    return error("expects result ", i, " to be ", describe(*input),
                 ", but got ", describe(*output));
  return Status::success();
}

Result<Shape> broadcastShapes(std::initializer_list<const Shape *> shapes) {
  size_t rank = 0;
  for (const Shape *shape : shapes)
    rank = std::max(rank, shape->size());
  Shape joint(rank, 1);
  for (const Shape *shape : shapes) {
    size_t lead = rank - shape->size();
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t size = (*shape)[i];
      if (size == 1)
        continue;
      if (joint[lead + i] != 1 && joint[lead + i] != size)
        return error("expects shapes that broadcast, but got ", joint[lead + i],
                     " and ", size, " in dimension ", lead + i);
      joint[lead + i] = size;
    }
  }
  return joint;
}

} // namespace ring::rt
