// SPDX-License-Identifier: Apache-2.0
//
// Reads a launch: who is beside whom, what belongs together, and then one
// instruction after the other.

#include "Launch/LaunchReader.h"

#include <algorithm>

namespace ring::rt {

//===----------------------------------------------------------------------===//
// Keys and values together
//===----------------------------------------------------------------------===//

/// The operand of a start that a result of its wait is, by its number.
static std::pair<size_t, size_t> startOf(const Program &program, size_t wait,
                                         int32_t result) {
  const std::vector<int32_t> &outputs = program.instructions()[wait].outputs;
  const auto place = std::find(outputs.begin(), outputs.end(), result);
  return {program.startOf(wait), static_cast<size_t>(place - outputs.begin())};
}

/// Checks that values come the way that keys come, and notes which belong
/// together.
Status LaunchReader::pairUp(int32_t keys, int32_t values) {
  auto known = valuesOf.find(keys);
  if (known != valuesOf.end())
    return known->second == values
               ? Status::success()
               : error("expects keys that belong to one tensor of values in a "
                       "launch, but got two");
  valuesOf[keys] = values;
  std::optional<size_t> one = makerOf(keys), other = makerOf(values);
  if (!one && !other)
    return Status::success();
  const auto differ = [&] {
    return error("expects keys and values that travel alike, but got ",
                 one ? nameOf(*one) : "an input", " beside ",
                 other ? nameOf(*other) : "an input");
  };
  if (!one || !other || nameOf(*one) != nameOf(*other))
    return differ();
  OpTypes keyTypes = typesOf(*one), valueTypes = typesOf(*other);
  if (nameOf(*one) == "ring.wait") {
    auto [keyStart, keyPlace] = startOf(program, *one, keys);
    auto [valueStart, valuePlace] = startOf(program, *other, values);
    if (nameOf(keyStart) != nameOf(valueStart) ||
        typesOf(keyStart).instruction().attributes !=
            typesOf(valueStart).instruction().attributes)
      return differ();
    const std::vector<int32_t> &from = program.instructions()[keyStart].inputs;
    const std::vector<int32_t> &beside =
        program.instructions()[valueStart].inputs;
    valuesOf[from[from.size() / 2 + keyPlace]] =
        beside[beside.size() / 2 + valuePlace];
    return pairUp(from[keyPlace], beside[valuePlace]);
  }
  // Dimensions before the last are the same for both.
  if (nameOf(*one) == "slice") {
    for (const char *name : {"begins", "steps"})
      if (keyTypes.ints(name) != valueTypes.ints(name))
        return differ();
    if (keyTypes.ints("begins")[3] != 0 ||
        keyTypes.output(0)->shape[2] != valueTypes.output(0)->shape[2])
      return differ();
  }
  if (keyTypes.inputCount() != valueTypes.inputCount())
    return differ();
  for (size_t i = 0; i < keyTypes.inputCount(); ++i)
    if (Status status =
            pairUp(keyTypes.inputValue(i), valueTypes.inputValue(i));
        !status)
      return status;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

/// All transfers and blocks of a launch are on one axis; the devices of each
/// ring on it, rank by rank.
Status LaunchReader::findRing() {
  for (size_t i = launch.first; i < launch.first + launch.count; ++i) {
    OpTypes types = typesOf(i);
    if (!types.has("axis"))
      continue;
    Result<MeshAxis> own = types.axis();
    if (!own)
      return refuse(i, own.status());
    if (types.has("outer"))
      return refuse(i, error("expects one ring in a launch, but got a ring of "
                             "rings"));
    if (axis &&
        (axis->ranks() != own->ranks() || axis->member(0, axis->ranks() - 1) !=
                                              own->member(0, own->ranks() - 1)))
      return refuse(i, error("expects one axis of the mesh in a launch, but "
                             "got two"));
    axis = *own;
  }
  if (!axis)
    axis = MeshAxis();
  std::vector<bool> taken(program.deviceCount());
  for (int64_t device = 0; device < program.deviceCount(); ++device) {
    if (taken[device])
      continue;
    std::vector<uint32_t> ring;
    for (int64_t rank = 0; rank < axis->ranks(); ++rank) {
      const int64_t member = axis->member(device, rank);
      taken[member] = true;
      ring.push_back(static_cast<uint32_t>(member));
    }
    result.rings.push_back(std::move(ring));
  }
  rowsOf.resize(ranks());
  landing.resize(ranks());
  result.schedule.devices.resize(ranks());
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Status LaunchReader::follow(size_t instruction) {
  const std::string &name = nameOf(instruction);
  OpTypes types = typesOf(instruction);
  if (name == "ring.start_shift") {
    for (size_t i = 0; i < types.inputCount() / 2; ++i)
      if (valuesOf.count(types.inputValue(i)))
        if (Status status = followShift(types, i); !status)
          return status;
    return Status::success();
  }
  const bool fetches = name == "ring.start_gather";
  if (fetches || name == "ring.start_all_gather") {
    if (!valuesOf.count(types.inputValue(0)))
      return Status::success();
    if (types.dim("dim", 4) != 2)
      return error("expects rows of keys to be gathered in a launch, but got "
                   "dimension ",
                   types.dim("dim", 4));
    return fetches ? followGather(types) : followAllGather(types);
  }
  if (name == "ring.accumulate")
    return followAccumulate(types);
  if (name == "ring.wait") {
    const size_t start = program.startOf(instruction);
    const std::vector<int32_t> &inputs = program.instructions()[start].inputs;
    for (size_t i = 0; i < types.outputCount(); ++i)
      if (valuesOf.count(inputs[i]))
        for (uint32_t rank = 0; rank < ranks(); ++rank)
          rowsOf[rank][types.outputValue(i)] =
              landing[rank][types.inputValue(0)];
    return Status::success();
  }
  if (name == "slice" || name == "concat") {
    if (!valuesOf.count(types.outputValue(0)))
      return Status::success();
    const Shape &from = types.input(0)->shape, &to = types.output(0)->shape;
    if (name == "concat" && types.dim("dim", 4) != 2)
      return error("expects rows to be put together in a launch, but got "
                   "dimension ",
                   types.dim("dim", 4));
    if (name == "slice" && (from[0] != to[0] || from[1] != to[1] ||
                            from[3] != to[3] || types.ints("steps")[2] != 1))
      return error("expects rows side by side to be taken in a launch, but got "
                   "other slices");
    for (uint32_t rank = 0; rank < ranks(); ++rank) {
      TensorRows rows;
      for (size_t i = 0; i < types.inputCount(); ++i)
        for (const StoredRows &part : rowsOf[rank][types.inputValue(i)])
          rows.push_back(part);
      rowsOf[rank][types.outputValue(0)] =
          name == "slice" ? sliceOf(rows, types.ints("begins")[2], to[2])
                          : rows;
    }
    return Status::success();
  }
  if (name == "ring.init") {
    if (types.inputCount() && types.input(0))
      result.sink = types.inputValue(0);
    return Status::success();
  }
  if (name == "ring.finish") {
    result.outputs = types.outputValue(0);
    result.logSums = types.outputValue(1);
    return Status::success();
  }
  if (name == "ring.buffer")
    return Status::success();
  return error("expects what a launch can do (transfers to neighbours, "
               "all-gathers and one attention), but got ",
               name);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Status LaunchReader::readOptions() {
  auto pairOf = [&](const char *name) -> std::optional<std::vector<int64_t>> {
    auto found = launch.attributes.find(name);
    if (found == launch.attributes.end())
      return std::nullopt;
    const auto *numbers = std::get_if<std::vector<int64_t>>(&found->second);
    if (!numbers || numbers->size() != 2 || (*numbers)[0] < 1 ||
        (*numbers)[1] < 1)
      return std::nullopt;
    return *numbers;
  };
  const auto chunks = pairOf("chunks"), grid = pairOf("grid");
  if (!chunks || !grid)
    return error("expects chunks and a grid of two positive numbers each for a "
                 "launch");
  const ValueType &query = program.values()[result.queries];
  const ValueType &output = program.values()[result.outputs];
  const uint32_t mostRows = *std::max_element(result.schedule.storeRows.begin(),
                                              result.schedule.storeRows.end());
  AttentionSizes &sizes = result.sizes;
  sizes.batch = static_cast<uint32_t>(query.shape[0]);
  sizes.queryHeads = static_cast<uint32_t>(query.shape[1]);
  sizes.queryRows = tilesOf(query.shape[2]);
  sizes.headDim = static_cast<uint32_t>(query.shape[3]);
  sizes.valueDim = static_cast<uint32_t>(output.shape[3]);
  AttentionOptions &options = result.options;
  options.queryChunk = std::min(tilesOf((*chunks)[0]), sizes.queryRows);
  options.keyChunk = std::min(tilesOf((*chunks)[1]), mostRows);
  options.gridColumns = static_cast<uint32_t>((*grid)[0]);
  options.cores = static_cast<uint32_t>((*grid)[0] * (*grid)[1]);
  options.scale = *scale;
  options.sink = result.sink != kAbsent;
  auto intOr = [&](const char *name, int64_t otherwise) {
    auto found = launch.attributes.find(name);
    const auto *number = found == launch.attributes.end()
                             ? nullptr
                             : std::get_if<int64_t>(&found->second);
    return number ? *number : otherwise;
  };
  options.approximateExp = intOr("exp_approx", 0);
  options.handOn = intOr("chained", 0);
  options.compute.fidelity = static_cast<MathFidelity>(std::clamp<int64_t>(
      intOr("fidelity", static_cast<int64_t>(MathFidelity::HiFi4)), 0, 3));
  result.schedule.band = *band;
  for (int32_t value : launch.inputs) {
    const ValueType &type = program.values()[value];
    if (value != result.sink && value != result.mask &&
        type.element != ElementType::BF16)
      return error("expects bf16 tensors in a launch, but got ",
                   describe(type));
  }
  if (result.mask != kAbsent) {
    const ValueType &mask = program.values()[result.mask];
    if (mask.element != ElementType::BF16 && mask.element != ElementType::F32)
      return error("expects a mask of bf16 or f32 in a launch, but got ",
                   describe(mask));
    sizes.mask = {mask.shape[0] > 1, mask.shape[1] > 1, mask.shape[2] > 1,
                  tilesOf(mask.shape[3]),
                  mask.element == ElementType::F32 ? 2u : 1u};
  }
  if (output.element == ElementType::F32)
    options.outputFormat = TileFormat::F32;
  else if (output.element != ElementType::BF16)
    return error("expects a launch to give bf16 or f32, but got ",
                 describe(output));
  return Status::success();
}

Result<LaunchDescription> LaunchReader::read() {
  const size_t end = launch.first + launch.count;
  for (size_t i = launch.first; i < end; ++i)
    for (int32_t output : program.instructions()[i].outputs)
      if (output != kAbsent)
        makers[output] = i;
  for (size_t i = launch.first; i < end; ++i)
    if (nameOf(i) == "ring.accumulate") {
      OpTypes types = typesOf(i);
      if (Status status = pairUp(types.inputValue(1), types.inputValue(2));
          !status)
        return refuse(i, status);
      result.sizes.keyHeads = static_cast<uint32_t>(types.input(1)->shape[1]);
    }
  if (Status status = findRing(); !status)
    return status;
  for (auto [keys, values] : valuesOf)
    if (!makerOf(keys))
      for (auto &rows : rowsOf)
        rows[keys] = {{{keys, 0}, 0, program.values()[keys].shape[2], {}}};
  // A device's own shard has number 0 where there is one.
  for (int32_t input : launch.inputs)
    if (valuesOf.count(input))
      storeOf({input, 0}, program.values()[input].shape[2]);
  for (size_t i = launch.first; i < end; ++i)
    if (Status status = follow(i); !status)
      return refuse(i, status);
  if (!band || result.outputs == kAbsent)
    return error("expects an attention in a launch, but got none");
  for (DeviceSchedule &device : result.schedule.devices)
    if (device.steps.empty())
      device.steps.emplace_back();
  if (Status status = readOptions(); !status)
    return status;
  return std::move(result);
}

Result<LaunchDescription> describeLaunch(const Program &program,
                                         const Composite &launch) {
  return LaunchReader(program, launch).read();
}

} // namespace ring::rt
