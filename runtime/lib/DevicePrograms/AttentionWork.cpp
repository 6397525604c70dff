// SPDX-License-Identifier: Apache-2.0

#include "ring-runtime/AttentionWork.h"

#include "AttentionArguments.h"
#include "MoverArguments.h"

namespace ring::rt {

AttentionWork &AttentionWork::operator+=(const AttentionWork &other) {
  scoreProducts += other.scoreProducts;
  sumProducts += other.sumProducts;
  valueProducts += other.valueProducts;
  weights += other.weights;
  maskTiles += other.maskTiles;
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

/// Every chunk of queries of a head, through all steps, as reader, compute and
/// writer go. All heads do the same.
std::vector<AttentionWork> headWork(const DeviceKernel &reader,
                                    const AttentionOptions &options) {
  const Words constants = {&reader.compileTime};
  const AttentionTables<Words> tables = {{&reader.common}};
  const uint64_t narrow = tileBytes(TileFormat::BF16);
  const uint64_t wide = tileBytes(TileFormat::F32);
  const uint32_t headTiles = constants(kHeadTiles);
  const uint32_t valueTiles = constants(kValueTiles);
  const bool spills = !constants(kResident);
  const uint32_t steps = tables.words(kSteps);
  std::vector<AttentionWork> works(tables.words(kHeadChunks));
  uint32_t firstPiece = 0, nextPiece = 0;
  for (uint32_t step = 0; step < steps; ++step, firstPiece = nextPiece)
    for (uint32_t chunk = 0; chunk < works.size(); ++chunk) {
      AttentionWork &work = works[chunk];
      const QueryChunk queries =
          tables.queryChunk(chunk, constants(kQueryRows));
      const uint64_t rows = queries.rows;
      work.dramBytes += rows * headTiles * narrow;
      if (step == 0 && constants(kHasSink))
        work.dramBytes += 2 * wide;
      // A state that is spilled is written behind a step and read before the
      // next.
      if (spills)
        work.dramBytes +=
            ((step > 0) + (step + 1 < steps)) * rows * (valueTiles + 2) * wide;
      if (step + 1 == steps)
        work.dramBytes +=
            rows * (valueTiles * tileBytes(options.outputFormat) + wide);
      nextPiece = tables.forKeyChunks(
          firstPiece, queries, constants(kKeyRows), [&](const KeyChunk &keys) {
            const uint64_t tiles = rows * keys.rows;
            ++work.keyChunks;
            work.queryRowSteps += rows;
            work.scoreProducts += tiles * headTiles;
            work.sumProducts += tiles;
            work.valueProducts += tiles * valueTiles;
            work.weights += tiles;
            work.maskTiles += tiles * constants(kMaskParts);
            work.dramBytes += tiles * constants(kMaskParts) * narrow;
            work.keyBytes += keys.rows * (headTiles + valueTiles) * narrow;
          });
    }
  return works;
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
    const std::vector<AttentionWork> chunks = headWork(*reader, options);
    for (const KernelOnCore &core : reader->cores) {
      AttentionWork own;
      for (uint32_t i = 0; i < core.arguments[kChunks].value; ++i)
        own += chunks[(core.arguments[kFirstChunk].value + i) % chunks.size()];
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
