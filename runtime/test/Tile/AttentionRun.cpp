// SPDX-License-Identifier: Apache-2.0

#include "AttentionRun.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace ring::test {

using namespace ring::rt;
using positions::LayoutKind;

namespace {

float roundToBf16(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, 4);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  std::memcpy(&number, &bits, 4);
  return number;
}

std::vector<float> normals(size_t count, double size, std::mt19937 &random) {
  std::normal_distribution<double> normal(0, size);
  std::vector<float> numbers(count);
  for (float &number : numbers)
    number = roundToBf16(static_cast<float>(normal(random)));
  return numbers;
}

} // namespace

AttentionRun::AttentionRun(const AttentionCase &given, uint32_t dataSeed)
    : what(given) {
  if (what.ownScale)
    what.options.scale =
        static_cast<float>(1 / std::sqrt(double(what.sizes.headDim)));
  RingLayout layout;
  layout.sequence = {what.layout, paddedLength(), what.devices, 0};
  layout.length = what.length;
  layout.band = what.band;
  layout.bothDirections = what.bothDirections;
  layout.landingStores = what.landingStores;
  layout.jointLength = what.jointLength;
  layout.replicatedQueries = what.replicatedQueries;
  what.sizes.queryRows =
      what.replicatedQueries.empty()
          ? static_cast<uint32_t>(paddedLength() / what.devices / 32) +
                jointRows()
          : static_cast<uint32_t>(what.replicatedQueries.size());
  Result<AttentionSchedule> schedule = ringSchedule(layout);
  if (!schedule) {
    noProgram = schedule.message();
    return;
  }
  if (what.mask) {
    // Columns are in the order of the sequence.
    what.sizes.mask = {
        what.mask->perBatch, what.mask->perHead, what.mask->perQuery,
        static_cast<uint32_t>(paddedLength() / 32), what.mask->wide ? 2u : 1u};
    for (DeviceSchedule &device : schedule->devices)
      for (AttentionStep &step : device.steps)
        for (RowPiece &piece : step.pieces)
          piece.maskColumn = static_cast<uint32_t>(piece.position / 32);
  }
  Result<AttentionProgram> program =
      attentionProgram(*schedule, what.sizes, what.options);
  if (!program) {
    noProgram = program.message();
    return;
  }
  built = *program;

  std::mt19937 random(dataSeed);
  const AttentionSizes &sizes = what.sizes;
  const size_t queryHeads = size_t{sizes.batch} * sizes.queryHeads;
  const size_t keyHeads = size_t{sizes.batch} * sizes.keyHeads;
  numbers.queries = normals(queryHeads * queryLength() * sizes.headDim,
                            what.magnitude, random);
  numbers.keys = normals(keyHeads * what.length * sizes.headDim, 1, random);
  numbers.values = normals(keyHeads * what.length * sizes.valueDim, 1, random);
  numbers.jointQueries = normals(queryHeads * what.jointLength * sizes.headDim,
                                 what.magnitude, random);
  numbers.jointKeys =
      normals(keyHeads * what.jointLength * sizes.headDim, 1, random);
  numbers.jointValues =
      normals(keyHeads * what.jointLength * sizes.valueDim, 1, random);
  numbers.sinks = normals(queryHeads, 2, random);
  if (what.mask)
    drawMask(dataSeed);
}

void AttentionRun::drawMask(uint32_t dataSeed) {
  const MaskCase &mask = *what.mask;
  std::mt19937 random(dataSeed + 1);
  std::normal_distribution<double> normal(0, mask.magnitude);
  std::uniform_real_distribution<double> share;
  const int64_t rows = mask.perQuery ? queryLength() : 1;
  const int64_t heads = int64_t{mask.perBatch ? what.sizes.batch : 1} *
                        (mask.perHead ? what.sizes.queryHeads : 1);
  for (int64_t row = 0; row < heads * rows; ++row)
    for (int64_t key = 0; key < what.length; ++key) {
      const auto number = static_cast<float>(normal(random));
      const bool hides =
          share(random) < mask.hidden ||
          (mask.emptyRows && row % mask.emptyRows == mask.emptyRows - 1);
      numbers.mask.push_back(hides       ? mask.hides
                             : mask.wide ? number
                                         : roundToBf16(number));
    }
}

double AttentionRun::maskAt(int64_t head, int64_t query, int64_t key) const {
  if (!what.mask)
    return 0;
  const int64_t heads = what.sizes.queryHeads;
  int64_t row = what.mask->perBatch ? head / heads : 0;
  if (what.mask->perHead)
    row = row * heads + head % heads;
  if (what.mask->perQuery)
    row = row * queryLength() + query;
  return numbers.mask[row * what.length + key];
}

/// A device's rows of the mask as pages.
void AttentionRun::fillMask(const std::vector<int64_t> &queryPlaces,
                            PageBytes &pages) const {
  const MaskSizes &sizes = *what.sizes.mask;
  const size_t columns = 32 * size_t{sizes.columns};
  const size_t rows = sizes.perQuery ? queryPlaces.size() : 1;
  const size_t matrices = size_t{sizes.perBatch ? what.sizes.batch : 1} *
                          (sizes.perHead ? what.sizes.queryHeads : 1);
  const size_t wholeRows = sizes.perQuery ? queryLength() : 1;
  for (size_t number = 0; number < matrices; ++number) {
    std::vector<float> matrix(rows * columns);
    for (size_t row = 0; row < rows; ++row) {
      const size_t place = sizes.perQuery ? queryPlaces[row] : 0;
      if (place < wholeRows)
        std::copy_n(numbers.mask.begin() +
                        (number * wholeRows + place) * what.length,
                    what.length, matrix.begin() + row * columns);
    }
    writeMaskTiles(matrix.data(), static_cast<uint32_t>(rows),
                   static_cast<uint32_t>(columns), sizes.parts,
                   what.options.scale,
                   pages.data() + number * (pages.size() / matrices));
  }
}

int64_t AttentionRun::paddedLength() const {
  const int64_t unit =
      int64_t{32} * what.devices * (what.layout == LayoutKind::Zigzag ? 2 : 1);
  return (what.length + unit - 1) / unit * unit;
}

/// The positions of each device's rows, told apart from the library's.
std::vector<std::vector<int64_t>> AttentionRun::shardPositions() const {
  const int64_t ranks = what.devices, shard = paddedLength() / ranks;
  std::vector<std::vector<int64_t>> shards(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int64_t row = 0; row < shard; ++row)
      switch (what.layout) {
      case LayoutKind::Contiguous:
        shards[rank].push_back(rank * shard + row);
        break;
      case LayoutKind::Mirrored:
        shards[rank].push_back((ranks - 1 - rank) * shard + row);
        break;
      case LayoutKind::Zigzag: {
        const int64_t half = shard / 2;
        shards[rank].push_back(row < half
                                   ? rank * half + row
                                   : (2 * ranks - 2 - rank) * half + row);
        break;
      }
      case LayoutKind::Striped:
        shards[rank].push_back(row * ranks + rank);
        break;
      case LayoutKind::BlockCyclic:
        break; // Refused: no case says how long a block is.
      }
  return shards;
}

void AttentionRun::fill(MeshMemory &target) const {
  const AttentionSizes &sizes = what.sizes;
  const auto shards = shardPositions();
  // Puts rows of a head, and joint rows behind them, into tiles.
  auto put = [&](const std::vector<float> &whole, size_t wholeRows,
                 const std::vector<int64_t> &places, size_t jointAt,
                 const std::vector<float> *joint, uint32_t dim, uint32_t heads,
                 PageBytes &bytes) {
    const size_t rows = jointAt + (joint ? 32 * jointRows() : 0);
    const size_t headBytes = rows / 32 * ((dim + 31) / 32) * 2048;
    for (uint32_t head = 0; head < heads; ++head) {
      std::vector<float> matrix(rows * dim);
      for (size_t row = 0; row < places.size(); ++row)
        if (places[row] < int64_t(wholeRows))
          std::copy_n(whole.begin() + (head * wholeRows + places[row]) * dim,
                      dim, matrix.begin() + row * dim);
      for (int64_t row = 0; joint && row < what.jointLength; ++row)
        std::copy_n(joint->begin() + (head * what.jointLength + row) * dim, dim,
                    matrix.begin() + (jointAt + row) * dim);
      writeTiles(matrix.data(), static_cast<uint32_t>(rows), dim,
                 TileFormat::BF16, bytes.data() + head * headBytes);
    }
  };
  const uint32_t queryHeads = sizes.batch * sizes.queryHeads;
  const uint32_t keyHeads = sizes.batch * sizes.keyHeads;
  for (uint32_t device = 0; device < what.devices; ++device) {
    auto &memory = target[device];
    std::vector<int64_t> queryPlaces = shards[device];
    if (!what.replicatedQueries.empty()) {
      queryPlaces.clear();
      for (int64_t row = 0; row < queryLength(); ++row)
        queryPlaces.push_back(row);
    }
    if (what.mask)
      fillMask(queryPlaces, memory[built.mask]);
    const bool joint = what.jointLength;
    put(numbers.queries, queryLength(), queryPlaces, queryPlaces.size(),
        joint ? &numbers.jointQueries : nullptr, sizes.headDim, queryHeads,
        memory[built.queries]);
    put(numbers.keys, what.length, shards[device], shards[device].size(),
        nullptr, sizes.headDim, keyHeads, memory[built.keys[0]]);
    put(numbers.values, what.length, shards[device], shards[device].size(),
        nullptr, sizes.valueDim, keyHeads, memory[built.values[0]]);
    if (joint) {
      put({}, 0, {}, 0, &numbers.jointKeys, sizes.headDim, keyHeads,
          memory[built.keys.back()]);
      put({}, 0, {}, 0, &numbers.jointValues, sizes.valueDim, keyHeads,
          memory[built.values.back()]);
    }
    for (uint32_t head = 0; what.options.sink && head < queryHeads; ++head)
      writeSinkTiles(numbers.sinks[head], what.options.scale,
                     memory[built.sinks].data() + size_t{head} * 2 * 4096);
  }
}

MeshMemory &AttentionRun::prepare() {
  memory = makeMemory(built.program);
  fill(memory);
  return memory;
}

std::vector<uint32_t> AttentionRun::inputs() const {
  std::vector<uint32_t> buffers = {built.queries, built.keys[0],
                                   built.values[0]};
  if (what.jointLength) {
    buffers.push_back(built.keys.back());
    buffers.push_back(built.values.back());
  }
  if (what.options.sink)
    buffers.push_back(built.sinks);
  if (what.mask)
    buffers.push_back(built.mask);
  return buffers;
}

TileResult AttentionRun::execute(uint64_t seed, uint32_t launches,
                                 KernelTable kernels) {
  TileOptions options;
  options.limits = what.options.limits;
  options.seed = seed;
  options.launches = launches;
  options.kernels = std::move(kernels);
  return runOnTiles(built.program, prepare(), inputs(), options);
}

AttentionNumbers AttentionRun::reference() const {
  const AttentionSizes &sizes = what.sizes;
  const int64_t headDim = sizes.headDim, valueDim = sizes.valueDim;
  const int64_t heads = int64_t{sizes.batch} * sizes.queryHeads;
  const int64_t group = sizes.queryHeads / sizes.keyHeads;
  const bool replicated = !what.replicatedQueries.empty();
  const int64_t rows = queryLength();
  AttentionNumbers result;
  auto attend = [&](const float *query, int64_t head, int64_t row,
                    int64_t position, bool masked) {
    std::vector<double> scores;
    std::vector<const float *> values;
    auto meet = [&](const float *key, const float *value, double added) {
      double score = 0;
      for (int64_t d = 0; d < headDim; ++d)
        score += double(query[d]) * key[d];
      scores.push_back(score * double(what.options.scale) + added);
      values.push_back(value);
    };
    const int64_t keyHead = head / group;
    for (int64_t key = 0; key < what.length; ++key) {
      if (masked && what.band.before && key < position - *what.band.before)
        continue;
      if (masked && what.band.after && key > position + *what.band.after)
        continue;
      meet(&numbers.keys[(keyHead * what.length + key) * headDim],
           &numbers.values[(keyHead * what.length + key) * valueDim],
           maskAt(head, row, key));
    }
    for (int64_t key = 0; key < what.jointLength; ++key)
      meet(&numbers.jointKeys[(keyHead * what.jointLength + key) * headDim],
           &numbers.jointValues[(keyHead * what.jointLength + key) * valueDim],
           0);
    double most = -INFINITY;
    for (double score : scores)
      most = std::max(most, score);
    if (what.options.sink)
      most = std::max(most, double(numbers.sinks[head]));
    double sum = 0;
    std::vector<double> output(valueDim);
    for (size_t i = 0; most != -INFINITY && i < scores.size(); ++i) {
      const double weight = std::exp(scores[i] - most);
      sum += weight;
      for (int64_t e = 0; e < valueDim; ++e)
        output[e] += weight * values[i][e];
    }
    if (what.options.sink)
      sum += std::exp(double(numbers.sinks[head]) - most);
    for (double number : output)
      result.outputs.push_back(sum ? number / sum : 0);
    result.logSums.push_back(sum ? most + std::log(sum) : -INFINITY);
  };
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t row = 0; row < rows; ++row)
      attend(&numbers.queries[(head * rows + row) * headDim], head, row,
             replicated ? what.replicatedQueries[row / 32] + row % 32 : row,
             true);
    for (int64_t row = 0; row < what.jointLength; ++row)
      attend(&numbers.jointQueries[(head * what.jointLength + row) * headDim],
             head, row, 0, false);
  }
  return result;
}

AttentionNumbers AttentionRun::partOf(uint32_t device) const {
  const AttentionSizes &sizes = what.sizes;
  const uint32_t heads = sizes.batch * sizes.queryHeads;
  const uint32_t rows = sizes.queryRows * 32;
  std::vector<float> outputs(size_t{heads} * rows * sizes.valueDim);
  std::vector<float> columns(size_t{heads} * rows);
  readTiles(memory[device][built.outputs].data(), heads * rows, sizes.valueDim,
            TileFormat::BF16, outputs.data());
  std::vector<float> wide(size_t{heads} * rows * 32);
  readTiles(memory[device][built.logSums].data(), heads * rows, 32,
            TileFormat::F32, wide.data());
  AttentionNumbers part;
  part.outputs.assign(outputs.begin(), outputs.end());
  for (uint32_t row = 0; row < heads * rows; ++row)
    part.logSums.push_back(
        isEmptyLogSum(wide[size_t{row} * 32], what.options.scale)
            ? -INFINITY
            : wide[size_t{row} * 32]);
  return part;
}

AttentionNumbers AttentionRun::found() const {
  const AttentionSizes &sizes = what.sizes;
  const int64_t heads = int64_t{sizes.batch} * sizes.queryHeads;
  const int64_t rows = int64_t{sizes.queryRows} * 32, valueDim = sizes.valueDim;
  std::vector<AttentionNumbers> parts;
  for (uint32_t device = 0; device < what.devices; ++device)
    parts.push_back(partOf(device));
  AttentionNumbers whole;
  if (!what.replicatedQueries.empty()) {
    // Parts of the same queries, merged by their log-sum-exps.
    for (int64_t row = 0; row < heads * rows; ++row) {
      double most = -INFINITY, sum = 0;
      for (const AttentionNumbers &part : parts)
        most = std::max(most, part.logSums[row]);
      std::vector<double> output(valueDim);
      for (const AttentionNumbers &part : parts) {
        if (std::isinf(part.logSums[row]))
          continue;
        const double weight = std::exp(part.logSums[row] - most);
        sum += weight;
        for (int64_t e = 0; e < valueDim; ++e)
          output[e] += weight * part.outputs[row * valueDim + e];
      }
      for (double number : output)
        whole.outputs.push_back(sum ? number / sum : 0);
      whole.logSums.push_back(sum ? most + std::log(sum) : -INFINITY);
    }
    return whole;
  }
  const int64_t perHead = what.length + what.jointLength;
  whole.outputs.resize(heads * perHead * valueDim, NAN);
  whole.logSums.resize(heads * perHead, NAN);
  const auto shards = shardPositions();
  for (uint32_t device = 0; device < what.devices; ++device)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t joint = row - int64_t(shards[device].size());
        // Joint rows are the same on every device; the last one's count.
        int64_t place = joint < 0 ? shards[device][row] : what.length + joint;
        if (joint < 0 ? place >= what.length : joint >= what.jointLength)
          continue;
        place += head * perHead;
        std::copy_n(parts[device].outputs.begin() +
                        (head * rows + row) * valueDim,
                    valueDim, whole.outputs.begin() + place * valueDim);
        whole.logSums[place] = parts[device].logSums[head * rows + row];
      }
  return whole;
}

AttentionJudgement AttentionRun::judge() const {
  const AttentionNumbers expected = reference(), numbers = found();
  // Weights are rounded to bf16 on their way to the values.
  Precision precision;
  precision.element = ElementType::BF16;
  precision.rowLength = what.sizes.valueDim;
  precision.noise = std::sqrt(1 / 3.0) / 256;
  AttentionJudgement judgement;
  judgement.outputs = rt::judge(numbers.outputs, expected.outputs, precision);
  precision.element = ElementType::F32;
  precision.rowLength = 1;
  judgement.logSums = rt::judge(numbers.logSums, expected.logSums, precision);
  if (std::getenv("RING_TILE_SHOW") && judgement.fault().empty())
    std::printf("used up: outputs %.3f (rmse %.2g), log-sum-exps %.3f\n",
                judgement.outputs.worst, judgement.outputs.comparison.rmse,
                judgement.logSums.worst);
  return judgement;
}

std::string AttentionJudgement::fault() const {
  if (!outputs.passed())
    return "outputs: " + outputs.fault;
  return logSums.passed() ? "" : "log-sum-exps: " + logSums.fault;
}

std::string AttentionRun::run(uint64_t seed, uint32_t launches,
                              KernelTable kernels) {
  if (!noProgram.empty())
    return noProgram;
  const TileResult result = execute(seed, launches, std::move(kernels));
  return result.passed() ? judge().fault() : result.fault;
}

std::string AttentionRun::runOn(const Executor &executor) {
  if (!noProgram.empty())
    return noProgram;
  std::string fault = executor(built.program, prepare(), inputs());
  return fault.empty() ? judge().fault() : fault;
}

Executor onTiles(uint64_t seed) {
  return [seed](const DeviceProgram &program, MeshMemory &memory,
                const std::vector<uint32_t> &inputs) {
    TileOptions options;
    options.seed = seed;
    return runOnTiles(program, memory, inputs, options).fault;
  };
}

std::string runSideBySide(const std::vector<AttentionRun *> &attentions,
                          const std::vector<std::vector<uint32_t>> &groups,
                          uint32_t devices, const Executor &executor) {
  const Result<DeviceProgram> program =
      sideBySide(attentions[0]->program().program, groups, devices);
  if (!program)
    return program.message();
  MeshMemory memory = makeMemory(*program);
  std::vector<MeshMemory *> parts;
  for (size_t a = 0; a < attentions.size(); ++a) {
    parts.push_back(&attentions[a]->prepare());
    for (size_t d = 0; d < groups[a].size(); ++d)
      memory[groups[a][d]] = (*parts[a])[d];
  }
  if (std::string fault = executor(*program, memory, attentions[0]->inputs());
      !fault.empty())
    return fault;
  for (size_t a = 0; a < attentions.size(); ++a) {
    for (size_t d = 0; d < groups[a].size(); ++d)
      (*parts[a])[d] = memory[groups[a][d]];
    if (std::string fault = attentions[a]->judge().fault(); !fault.empty())
      return "attention " + std::to_string(a) + ": " + fault;
  }
  return "";
}

uint32_t seedsOfACase() {
  const char *wanted = std::getenv("RING_TILE_SEEDS");
  return wanted ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : 8;
}

std::string runCase(const AttentionCase &what, uint32_t seeds) {
  AttentionRun run(what);
  seeds = seeds ? seeds : seedsOfACase();
  for (uint64_t seed = 0; seed < seeds; ++seed)
    if (std::string complaint = run.run(seed); !complaint.empty())
      return "seed " + std::to_string(seed) + ": " + complaint;
  return "";
}

} // namespace ring::test
