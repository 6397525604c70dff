// SPDX-License-Identifier: Apache-2.0

#include "ring-runtime/AttentionWork.h"

#include "AttentionArguments.h"
#include "MoverArguments.h"

#include <map>

namespace ring::rt {

AttentionWork &AttentionWork::operator+=(const AttentionWork &other) {
  scoreProducts += other.scoreProducts;
  sumProducts += other.sumProducts;
  valueProducts += other.valueProducts;
  weights += other.weights;
  exponentials += other.exponentials;
  tileOperations += other.tileOperations;
  packedBytes += other.packedBytes;
  addedBytes += other.addedBytes;
  keyChunks += other.keyChunks;
  queryRowSteps += other.queryRowSteps;
  dramBytes += other.dramBytes;
  keyBytes += other.keyBytes;
  fabricBytes += other.fabricBytes;
  arrivedBytes += other.arrivedBytes;
  return *this;
}

namespace {

/// Arguments that are numbers, as the kernels' own arithmetic reads them.
struct Words {
  const std::vector<DeviceArgument> *arguments;
  uint32_t operator()(uint32_t index) const {
    return (*arguments)[index].value;
  }
};

const DeviceKernel *kernelOf(const OneDevice &device, const char *source) {
  for (const DeviceKernel &kernel : device.kernels)
    if (kernel.source == source)
      return &kernel;
  return nullptr;
}

constexpr uint64_t kNarrow = tileBytes(TileFormat::BF16);
constexpr uint64_t kWide = tileBytes(TileFormat::F32);

/// Counts what reader, compute kernel and writer do for a chunk of queries, in
/// the order in which they do it.
class ChunkCounter {
public:
  ChunkCounter(const DeviceKernel &reader, const AttentionOptions &options)
      : constants{&reader.compileTime}, tables{{&reader.common}},
        options(options), headTiles(constants(kHeadTiles)),
        valueTiles(constants(kValueTiles)),
        scalesQueries(options.approximateExp && scales()),
        scalesScores(!options.approximateExp && scales()) {}

  AttentionWork count(const QueryChunk &queries);

private:
  bool scales() const {
    constexpr uint32_t kOne = 0x3f800000; // as bits of an f32
    return constants(kScaleBits) != kOne;
  }
  void packState() {
    work.packedBytes += rows * (kNarrow + (1 + valueTiles) * kWide);
  }
  void begin();
  void passState();
  void meet(const QueryChunk &queries, const KeyChunk &keys, bool fresh);
  void raise(uint64_t tiles, uint64_t masks);
  void finish();

  Words constants;
  AttentionTables<Words> tables;
  const AttentionOptions &options;
  uint64_t headTiles, valueTiles, rows = 0;
  bool scalesQueries, scalesScores;
  AttentionWork work;
};

/// A state that has seen nothing.
void ChunkCounter::begin() {
  work.tileOperations += rows * (2 + valueTiles + scalesQueries);
  packState();
}

void ChunkCounter::passState() {
  work.tileOperations += rows * (2 + valueTiles);
  packState();
}

/// References rise to the maxima of a chunk.
void ChunkCounter::raise(uint64_t tiles, uint64_t masks) {
  work.scoreProducts += tiles * headTiles + masks;
  work.packedBytes += tiles * kNarrow; // scores
  work.tileOperations += tiles;        // their maxima
  // Maxima, new maxima and references; corrections; the rescaled state.
  work.packedBytes += rows * (2 * kNarrow + kWide);
  work.tileOperations += rows * (3 + 1 + 1 + scalesScores);
  work.exponentials += rows;
  work.tileOperations += rows * (1 + valueTiles);
  packState();
}

void ChunkCounter::meet(const QueryChunk &queries, const KeyChunk &keys,
                        bool fresh) {
  const uint64_t tiles = rows * keys.rows;
  uint64_t masks = 0;
  for (uint32_t r = 0; keys.masked && r < rows; ++r)
    for (uint32_t c = 0; c < keys.rows; ++c)
      masks += !hidesNothing(tables.maskOf(queries.firstRow + r, keys, c));
  masks += tiles * constants(kMaskParts) * constants(kMaskTerms);
  work.dramBytes += tiles * constants(kMaskParts) * kNarrow;
  ++work.keyChunks;
  work.queryRowSteps += rows;
  work.keyBytes += keys.rows * (headTiles + valueTiles) * kNarrow;
  if (fresh) {
    raise(tiles, masks);
  } else {
    work.tileOperations += rows; // the largest sum
    work.packedBytes += kWide;
  }
  work.scoreProducts += tiles * headTiles + masks;
  work.weights += tiles;
  work.exponentials += tiles;
  work.tileOperations += tiles * scalesScores;
  work.sumProducts += tiles;
  work.packedBytes += tiles * kNarrow + rows * kWide;
  work.tileOperations += rows; // sums, to the state
  work.valueProducts += tiles * valueTiles;
  work.addedBytes += rows * (1 + valueTiles) * kWide;
}

void ChunkCounter::finish() {
  const uint64_t outputBytes = tileBytes(options.outputFormat);
  work.tileOperations += rows * (10 + scalesScores + valueTiles);
  work.packedBytes += rows * (2 * kWide + valueTiles * outputBytes);
  work.dramBytes += rows * (valueTiles * outputBytes + kWide);
}

AttentionWork ChunkCounter::count(const QueryChunk &queries) {
  work = {};
  rows = queries.rows;
  const uint32_t steps = tables.words(kSteps);
  uint32_t piece = 0;
  for (uint32_t step = 0; step < steps; ++step) {
    work.dramBytes += rows * headTiles * kNarrow;
    if (step == 0 && constants(kHasSink))
      work.dramBytes += 2 * kWide;
    // A state that is spilled is written behind a step and read before the
    // next.
    if (!constants(kResident))
      work.dramBytes += ((step > 0) + (step + 1 < steps)) * rows *
                        (kNarrow + (1 + valueTiles) * kWide);
    if (step == 0)
      begin();
    if (scalesQueries) {
      work.tileOperations += 2 * rows * headTiles;
      work.packedBytes += rows * headTiles * kNarrow;
    }
    bool met = false;
    piece = tables.forKeyChunks(piece, queries, constants(kKeyRows),
                                [&](const KeyChunk &keys) {
                                  if (step > 0 && !met)
                                    passState();
                                  meet(queries, keys, step == 0 && !met);
                                  met = true;
                                });
    if (step + 1 == steps)
      finish();
    else
      passState();
  }
  return work;
}

/// What a mover reads and sends, by direction.
std::array<uint64_t, 2> bytesSent(const KernelOnCore &core) {
  const Words words = {&core.arguments};
  const uint64_t rowBytes =
      words(kHeads) *
      (uint64_t{words(kKeyRowPages)} * words(kKeyPageBytes) +
       uint64_t{words(kValueRowPages)} * words(kValuePageBytes));
  uint32_t at =
      kMoverWords + words(kMoverStores) * kStoreWords + words(kConsumers);
  std::array<uint64_t, 2> bytes = {0, 0};
  for (uint64_t &sent : bytes) {
    const uint32_t sends = words(at + kSends);
    const uint32_t arrivals = words(at + kIncoming);
    at += kDirectionWords;
    for (uint32_t i = 0; i < sends; ++i, at += kSendWords)
      sent += decodeSend(words, at).rows * rowBytes;
    at += arrivals * kArrivalWords;
  }
  return bytes;
}

} // namespace

std::vector<DeviceWork> workOf(const AttentionProgram &attention,
                               const AttentionOptions &options) {
  const std::vector<OneDevice> &devices = attention.program.devices;
  std::vector<DeviceWork> works(devices.size());
  for (size_t number = 0; number < devices.size(); ++number) {
    DeviceWork &work = works[number];
    const DeviceKernel *reader =
        kernelOf(devices[number], "AttentionReader.cpp");
    const AttentionTables<Words> tables = {{&reader->common}};
    ChunkCounter counter(*reader, options);
    // Heads are alike, so that most chunks have been counted before.
    std::map<std::pair<uint32_t, uint32_t>, AttentionWork> counted;
    for (const KernelOnCore &core : reader->cores) {
      AttentionWork own;
      tables.forQueryChunks(
          core.arguments[kFirstRow].value, core.arguments[kRows].value,
          options.queryChunk, [&](const QueryChunk &queries) {
            const auto [known, isNew] =
                counted.try_emplace({queries.firstRow, queries.rows});
            if (isNew)
              known->second = counter.count(queries);
            own += known->second;
          });
      // Keys that are handed on come from DRAM once.
      const DeviceArgument &from = core.arguments[kHandedFrom];
      if (from.kind == DeviceArgument::Kind::Scalar && from.value == kNoCore)
        own.dramBytes += own.keyBytes;
      work.all += own;
      if (own.products() > work.busiest.products())
        work.busiest = own;
    }
    const DeviceKernel *mover = kernelOf(devices[number], "RingMover.cpp");
    if (!mover)
      continue;
    const KernelOnCore &core = mover->cores.front();
    const std::array<uint64_t, 2> bytes = bytesSent(core);
    for (uint32_t direction : {0u, 1u}) {
      work.all.fabricBytes += bytes[direction];
      work.all.dramBytes += bytes[direction];
      // What is sent is written where it arrives.
      AttentionWork &receiver =
          works[core.connections[direction].neighbour].all;
      receiver.dramBytes += bytes[direction];
      receiver.arrivedBytes += bytes[direction];
    }
  }
  return works;
}

} // namespace ring::rt
