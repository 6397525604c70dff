// SPDX-License-Identifier: Apache-2.0
//
// Follows the instructions of a launch, for all ranks side by side: which rows
// of which store a tensor consists of, and which transfer brought them. Keys
// are followed; values go the same ways, which is checked first.

#include "ring-runtime/LaunchDescription.h"

#include "Ops/AttentionBlock.h"
#include "Ops/OpTypes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ring::rt {

namespace {

constexpr int64_t kTile = 32;

uint32_t tilesOf(int64_t rows) {
  return static_cast<uint32_t>((rows + kTile - 1) / kTile);
}

/// Where keys lie: an input of the launch or a buffer, and which part of the
/// buffer where both directions land in it.
using Origin = std::pair<int32_t, uint32_t>;

/// Rows of a tensor that lie side by side in one place.
struct StoredRows {
  Origin origin;
  int64_t first = 0;
  int64_t count = 0;
  /// The direction and number of the transfer that brought them.
  std::optional<std::pair<uint32_t, uint32_t>> arrival;
};

/// All rows of a tensor in their order; none if nothing was sent.
using TensorRows = std::vector<StoredRows>;

TensorRows sliceOf(const TensorRows &tensor, int64_t first, int64_t count) {
  TensorRows taken;
  int64_t row = 0;
  for (const StoredRows &rows : tensor) {
    const int64_t begin = std::max(first, row);
    const int64_t end = std::min(first + count, row + rows.count);
    if (begin < end) {
      taken.push_back(rows);
      taken.back().first += begin - row;
      taken.back().count = end - begin;
    }
    row += rows.count;
  }
  return taken;
}

/// Rows of shards that all ranks get from the rank so many hops away.
struct Journey {
  int32_t input = kAbsent;
  uint32_t direction = 0;
  int64_t hops = 0;
  int64_t first = 0;
  int64_t count = 0;
};

class LaunchReader {
public:
  LaunchReader(const Program &program, const Composite &launch)
      : program(program), launch(launch) {}

  Result<LaunchDescription> read();

private:
  OpTypes typesOf(size_t instruction) const {
    return OpTypes(program, instruction);
  }
  const std::string &nameOf(size_t instruction) const {
    return program.instructions()[instruction].op;
  }
  /// The instruction of the launch that makes a value; nothing for its inputs.
  std::optional<size_t> makerOf(int32_t value) const {
    auto maker = makers.find(value);
    return maker == makers.end() ? std::nullopt
                                 : std::optional<size_t>(maker->second);
  }
  Status refuse(size_t instruction, const Status &why) const {
    return why.in(program.instructions()[instruction].location + ": " +
                  nameOf(instruction));
  }

  Status pairUp(int32_t keys, int32_t values);
  Status findRing();
  Status readOptions();
  Status follow(size_t instruction);
  Status followShift(const OpTypes &types, size_t key);
  Status followAllGather(const OpTypes &types);
  Status followGather(const OpTypes &types);
  Result<std::vector<StoredRows>> bring(const Journey &journey, Origin to,
                                        int64_t toRow);
  Status followAccumulate(const OpTypes &types);
  Result<uint32_t> send(uint32_t sender, uint32_t direction,
                        const StoredRows &rows, Origin to, int64_t toRow);
  uint32_t storeOf(Origin origin, int64_t rows);
  uint32_t ranks() const {
    return static_cast<uint32_t>(result.rings[0].size());
  }

  const Program &program;
  const Composite &launch;
  LaunchDescription result;
  std::map<int32_t, size_t> makers;
  std::map<int32_t, int32_t> valuesOf; ///< by the keys beside them
  std::map<Origin, uint32_t> stores;
  /// By rank: the rows of keys, and what is under way by its token.
  std::vector<std::map<int32_t, TensorRows>> rowsOf, landing;
  std::vector<std::pair<Journey, std::vector<StoredRows>>> journeys;
  std::optional<MeshAxis> axis;
  std::optional<Band> band;
  std::optional<float> scale;
};

//===----------------------------------------------------------------------===//
// Keys and values together
//===----------------------------------------------------------------------===//

/// The operand of a start that a result of its wait is, by its number.
std::pair<size_t, size_t> startOf(const Program &program, size_t wait,
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

uint32_t LaunchReader::storeOf(Origin origin, int64_t rows) {
  auto known = stores.find(origin);
  if (known == stores.end()) {
    known = stores.emplace(origin, result.stores.size()).first;
    result.stores.push_back({});
    result.schedule.storeRows.push_back(0);
    if (!makerOf(origin.first))
      result.stores.back() = {origin.first, valuesOf.at(origin.first)};
  }
  uint32_t &most = result.schedule.storeRows[known->second];
  most = std::max(most, tilesOf(rows));
  return known->second;
}

Result<uint32_t> LaunchReader::send(uint32_t sender, uint32_t direction,
                                    const StoredRows &rows, Origin to,
                                    int64_t toRow) {
  const int64_t all = program.values()[rows.origin.first].shape[2];
  const bool toEnd = rows.first + rows.count == all;
  if (rows.first % kTile || (rows.count % kTile && !toEnd) || toRow % kTile)
    return error("expects whole tiles of ", kTile,
                 " rows to travel, but got "
                 "rows ",
                 rows.first, " to ", rows.first + rows.count);
  if (rows.arrival && rows.arrival->first != direction)
    return error("expects what arrives to be passed on in its direction, but "
                 "got it turned back");
  RowTransfer transfer;
  transfer.from = storeOf(rows.origin, rows.first + rows.count);
  transfer.to = storeOf(to, toRow + rows.count);
  transfer.rows = {static_cast<uint32_t>(rows.first / kTile),
                   tilesOf(rows.count)};
  transfer.toRow = static_cast<uint32_t>(toRow / kTile);
  if (rows.arrival)
    transfer.arrival = rows.arrival->second;
  auto &sends = result.schedule.devices[sender].sends[direction];
  sends.push_back(transfer);
  return static_cast<uint32_t>(sends.size() - 1);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Status LaunchReader::followShift(const OpTypes &types, size_t key) {
  const int64_t size = ranks(), by = types.intOr("by", 0);
  const int64_t forward = ((by % size) + size) % size;
  if (forward != 1 && forward != size - 1)
    return error("expects transfers to a neighbour in a launch, but got a "
                 "shift by ",
                 by);
  const uint32_t direction = by < 0 || (by != 1 && forward == size - 1);
  const int32_t input = types.inputValue(key);
  const int32_t buffer = types.inputValue(types.inputCount() / 2 + key);
  for (int64_t rank = types.intOr("reaching", 0); rank < size; ++rank) {
    const uint32_t sender =
        static_cast<uint32_t>((rank - forward + size) % size);
    const TensorRows &rows = rowsOf[sender][input];
    TensorRows &landed = landing[rank][types.outputValue(0)];
    int64_t toRow = 0;
    for (const StoredRows &part : rows) {
      const Origin to = {buffer, 0};
      Result<uint32_t> number = send(sender, direction, part, to, toRow);
      if (!number)
        return number.status();
      landed.push_back(
          {to, toRow, part.count, std::make_pair(direction, *number)});
      toRow += part.count;
    }
  }
  return Status::success();
}

/// Where rows land: apart by direction, since each has its own counts, and by
/// hops, since what is passed on lies there until the next hop is free.
Origin placeOf(int32_t buffer, const Journey &journey) {
  return {buffer, journey.direction + 2 * static_cast<uint32_t>(journey.hops)};
}

/// Rows of the rank that is `hops` before, or after, every rank. They come from
/// neighbour to neighbour; whoever only passes them on has a place for them
/// too. All ranks go one hop before anyone goes the next, so that nobody waits
/// for rows that wait behind its own.
Result<std::vector<StoredRows>> LaunchReader::bring(const Journey &journey,
                                                    Origin to, int64_t toRow) {
  const int64_t size = ranks();
  for (const auto &[made, rows] : journeys)
    if (made.input == journey.input && made.direction == journey.direction &&
        made.hops == journey.hops && made.first <= journey.first &&
        journey.first + journey.count <= made.first + made.count) {
      std::vector<StoredRows> taken = rows;
      for (StoredRows &part : taken) {
        part.first += journey.first - made.first;
        part.count = journey.count;
      }
      return taken;
    }
  std::vector<StoredRows> from(size);
  if (journey.hops == 0) {
    for (int64_t rank = 0; rank < size; ++rank) {
      TensorRows own =
          sliceOf(rowsOf[rank][journey.input], journey.first, journey.count);
      if (own.size() != 1 || own[0].arrival)
        return error("expects rows of shards to be fetched in a launch, but "
                     "got rows that a transfer brings");
      from[rank] = own[0];
    }
    return from;
  }
  Journey before = journey;
  --before.hops;
  Result<std::vector<StoredRows>> source =
      bring(before, placeOf(to.first, before), toRow);
  if (!source)
    return source.status();
  for (int64_t rank = 0; rank < size; ++rank) {
    const int64_t sender = (rank + (journey.direction ? 1 : size - 1)) % size;
    Result<uint32_t> number =
        send(static_cast<uint32_t>(sender), journey.direction,
             (*source)[sender], to, toRow);
    if (!number)
      return number.status();
    from[rank] = {to, toRow, journey.count,
                  std::make_pair(journey.direction, *number)};
  }
  journeys.emplace_back(journey, from);
  return from;
}

/// Shards go both ways round the ring, hop by hop, into places of their own.
Status LaunchReader::followAllGather(const OpTypes &types) {
  const int64_t size = ranks();
  const int32_t input = types.inputValue(0), buffer = types.inputValue(1);
  const int64_t rows = program.values()[input].shape[2];
  for (int64_t rank = 0; rank < size; ++rank)
    landing[rank][types.outputValue(0)].resize(size);
  for (int64_t hop = 0; hop <= size / 2; ++hop)
    for (uint32_t direction : {0u, 1u}) {
      // Both ways meet across the ring, and start at the rank itself.
      if (direction && (hop == 0 || 2 * hop == size))
        continue;
      Result<std::vector<StoredRows>> brought =
          bring({input, direction, hop, 0, rows}, {buffer, direction},
                (hop - 1) * rows);
      if (!brought)
        return brought.status();
      for (int64_t rank = 0; rank < size; ++rank) {
        const int64_t source = (rank + (direction ? hop : size - hop)) % size;
        landing[rank][types.outputValue(0)][source] = (*brought)[rank];
      }
    }
  return Status::success();
}

Status LaunchReader::followGather(const OpTypes &types) {
  const int64_t size = ranks();
  const int32_t input = types.inputValue(0), buffer = types.inputValue(1);
  const std::vector<int64_t> &parts = types.ints("parts");
  int64_t toRow[2] = {0, 0};
  for (size_t i = 0; i + 3 < parts.size(); i += 4) {
    const int64_t source = ((parts[i] % size) + size) % size;
    const uint32_t direction = parts[i] > 0;
    const int64_t hops = direction ? source : (size - source) % size;
    if (parts[i + 3] != 1)
      return error("expects rows side by side to be fetched in a launch, but "
                   "got every ",
                   parts[i + 3], "th");
    Result<std::vector<StoredRows>> brought =
        bring({input, direction, hops, parts[i + 1], parts[i + 2]},
              placeOf(buffer, {input, direction, hops}), toRow[direction]);
    if (!brought)
      return brought.status();
    toRow[direction] += parts[i + 2];
    for (int64_t rank = 0; rank < size; ++rank)
      landing[rank][types.outputValue(0)].push_back((*brought)[rank]);
  }
  return Status::success();
}

Status LaunchReader::followAccumulate(const OpTypes &types) {
  const int32_t query = types.inputValue(0), key = types.inputValue(1);
  if (types.inputCount() > 4 && types.input(4))
    return error("expects masks that follow from positions in a launch, but "
                 "got a tensor");
  if (types.has("key_places") || types.has("query_places"))
    return error("expects layouts of keys in a launch, but got places");
  const Band own = types.band();
  const float factor = scaleOf(types, types.input(0)->shape[3]);
  if (scale && *scale != factor)
    return error("expects one scale in a launch, but got two");
  scale = factor;
  if (band && (band->before != own.before || band->after != own.after))
    return error("expects one pattern in a launch, but got two");
  band = own;
  result.queries = query;
  const int64_t limit = types.intOr("length", positions::kMostPositions);
  for (uint32_t rank = 0; rank < ranks(); ++rank) {
    DeviceSchedule &device = result.schedule.devices[rank];
    const BlockPositions places = types.positions(0, 1, result.rings[0][rank]);
    std::vector<QueryRows> queries;
    int64_t firstRow = 0;
    for (const PositionRange &range : places.queries) {
      if (firstRow % kTile && !own.isUnbounded())
        return error("expects parts of shards in whole tiles of ", kTile,
                     " rows, but got one from row ", firstRow, " on");
      queries.push_back(
          {static_cast<uint32_t>(firstRow / kTile), range.begin, range.stride});
      firstRow += range.size;
    }
    // Without a band nobody asks where queries are.
    if (own.isUnbounded())
      queries = {{0, 0, 1}};
    device.queries = queries;

    AttentionStep step;
    int64_t row = 0;
    for (const StoredRows &rows : rowsOf[rank][key]) {
      int64_t first = rows.first;
      for (const PositionRange &range :
           positions::sliceRows(places.keys, row, rows.count)) {
        RowPiece piece;
        piece.store = storeOf(rows.origin, first + range.size);
        piece.rows = {static_cast<uint32_t>(first / kTile),
                      tilesOf(range.size)};
        piece.position = range.begin;
        piece.stride = range.stride;
        piece.arrival = rows.arrival;
        const int64_t below =
            (limit - range.begin + range.stride - 1) / range.stride;
        piece.valid =
            static_cast<uint32_t>(std::clamp<int64_t>(below, 0, range.size));
        const bool misses =
            positions::classify(places.queries, range, own, limit) ==
            positions::Coverage::Empty;
        if (!misses && first % kTile)
          return error("expects parts of shards in whole tiles of ", kTile,
                       " rows, but got one from row ", first, " on");
        if (!misses)
          step.pieces.push_back(piece);
        first += range.size;
      }
      row += rows.count;
    }
    if (row == 0 && positions::classify(places.queries, places.keys, own,
                                        limit) != positions::Coverage::Empty)
      return error("expects keys that somebody sends, but rank ", rank,
                   " gets none");
    if (!step.pieces.empty())
      device.steps.push_back(std::move(step));
  }
  return Status::success();
}

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
    if (value != result.sink && type.element != ElementType::BF16)
      return error("expects bf16 tensors in a launch, but got ",
                   describe(type));
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

} // namespace

Result<LaunchDescription> describeLaunch(const Program &program,
                                         const Composite &launch) {
  return LaunchReader(program, launch).read();
}

} // namespace ring::rt
