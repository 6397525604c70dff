// SPDX-License-Identifier: Apache-2.0
//
// Time from counts. A core's math thread and its pack thread go on beside each
// other, so that the longer of the two counts: once while a chunk is weighed,
// once while weights meet values. What hands over from chunk to chunk comes on
// top. What the reader, the writer and the mover do goes on beside it all.
//
// Cycles that are not in the chip model follow from rates that the public
// documentation of the instruction set gives, and from the instructions in
// TT-Metalium's sources; nothing of it was measured.

#include "ring-runtime/LaunchTime.h"

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/LinkModel.h"

#include <algorithm>

namespace ring::rt {

namespace {

// Bytes a cycle between L1 and the registers.
constexpr double kUnpackRate = 64; ///< an unpacker alone: 4 x 16 B
constexpr double kPackRate = 64;   ///< four packers, 16 B each
/// Packing that adds reads and writes L1: two cycles for 16 B of each packer.
/// That holds if accesses need not be atomic; else it would be five.
constexpr double kAddRate = 32;

/// An operation on a tile other than products and exponentials: what takes
/// longest is to unpack it, and most are of f32.
constexpr double kTileOperationCycles =
    tileBytes(TileFormat::F32) / kUnpackRate;
/// A product waits for a tile of its streamed operand.
constexpr double kProductUnpackCycles =
    tileBytes(TileFormat::BF16) / kUnpackRate;

/// An approximate exponential of a tile whose inputs are kept from below: 24
/// instructions for 8 vectors, with steps between the four faces, and the start
/// and the end of a call.
constexpr double kApproximateExpCycles = 4 * (24 + 2) + 8;
/// An exact one: 43 instructions for each of 32 vectors, as compiled.
constexpr double kExactExpCycles = 32 * 43;

/// Operations of the pairs of a query and a key that a device counts.
double usefulFlops(const LaunchDescription &launch, size_t rank) {
  const DeviceSchedule &device = launch.schedule.devices[rank];
  positions::Positions queries;
  for (size_t i = 0; i < device.queries.size(); ++i) {
    const uint32_t end = i + 1 < device.queries.size()
                             ? device.queries[i + 1].firstRow
                             : launch.sizes.queryRows;
    queries.push_back({device.queries[i].position,
                       int64_t{32} * (end - device.queries[i].firstRow),
                       device.queries[i].stride});
  }
  double pairs = 0;
  for (const AttentionStep &step : device.steps)
    for (const RowPiece &piece : step.pieces)
      if (piece.valid)
        pairs += static_cast<double>(positions::countPairs(
            queries,
            positions::PositionRange{piece.position, piece.valid, piece.stride},
            launch.schedule.band));
  return 2 * pairs * launch.sizes.batch * launch.sizes.queryHeads *
         (launch.sizes.headDim + launch.sizes.valueDim);
}

} // namespace

LaunchTime launchTime(const machine::Machine &machine,
                      const LaunchDescription &launch,
                      const AttentionProgram &attention) {
  const machine::Chip &chip = machine.chip;
  const AttentionOptions &options = launch.options;
  const double productCycles = std::max(
      chip.tileProductCycles[static_cast<size_t>(options.compute.fidelity)] /
          chip.productEfficiency,
      kProductUnpackCycles);
  LaunchTime longest;
  double flops = 0;
  const std::vector<DeviceWork> works = workOf(attention, options);
  for (size_t rank = 0; rank < works.size(); ++rank) {
    const AttentionWork &core = works[rank].busiest;
    const AttentionWork &all = works[rank].all;
    LaunchTime time;
    const uint64_t weightBytes = core.weights * tileBytes(TileFormat::BF16);
    time.weighing.math = core.scoreProducts * productCycles;
    time.weighing.pack = weightBytes / kPackRate;
    time.adding.math = (core.sumProducts + core.valueProducts) * productCycles +
                       core.tileOperations * kTileOperationCycles;
    time.adding.pack = (core.packedBytes - weightBytes) / kPackRate +
                       core.addedBytes / kAddRate;
    // The pack thread makes approximate exponentials, the math thread others.
    if (options.approximateExp)
      time.weighing.pack += core.exponentials * kApproximateExpCycles;
    else
      time.weighing.math += core.exponentials * kExactExpCycles;
    // Without two halves of the registers nothing goes on beside.
    if (options.compute.fullSync)
      for (LaunchTime::Lanes *lanes : {&time.weighing, &time.adding})
        lanes->math += lanes->pack;
    for (double *cycles : {&time.weighing.math, &time.weighing.pack,
                           &time.adding.math, &time.adding.pack})
      *cycles /= chip.clock;
    time.chunks = core.keyChunks * chip.chunkCycles / chip.clock;
    time.dram = all.dramBytes / chip.dramBandwidth;
    uint64_t sent = 0;
    for (const auto &sends : launch.schedule.devices[rank].sends) {
      uint64_t rows = 0;
      for (const RowTransfer &send : sends)
        rows += send.rows.count;
      sent = std::max(sent, rows);
    }
    const double rowBytes = 2.0 * 32 * launch.sizes.batch *
                            launch.sizes.keyHeads *
                            (launch.sizes.headDim + launch.sizes.valueDim);
    if (machine.links.ring.bandwidth > 0)
      time.links = sent * rowBytes /
                   machine.links.ring.bandwidthOf(
                       machine::packetBytes(machine::kBf16TileBytes));
    time.seconds = std::max({time.compute(), time.dram, time.links});
    if (time.links > 0)
      time.hidden = 1 - std::max(0.0, time.seconds -
                                          std::max(time.compute(), time.dram)) /
                            time.links;
    flops = std::max(flops, usefulFlops(launch, rank));
    if (time.seconds > longest.seconds)
      longest = time;
  }
  if (longest.seconds > 0)
    longest.utilisation = flops / (longest.seconds * options.cores *
                                   chip.clock * machine::kUtilisationFlops);
  return longest;
}

Status chooseChunks(const machine::Machine &machine,
                    LaunchDescription &launch) {
  // Rows of tiles, as attention kernels are used with.
  constexpr uint32_t kSizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16};
  const uint32_t mostKeys = *std::max_element(launch.schedule.storeRows.begin(),
                                              launch.schedule.storeRows.end());
  const auto sizesUpTo = [&](uint32_t asked, uint32_t most) {
    std::vector<uint32_t> sizes;
    if (asked)
      return std::vector<uint32_t>{std::min(asked, most)};
    for (uint32_t size : kSizes)
      if (size <= most)
        sizes.push_back(size);
    return sizes;
  };
  AttentionOptions best;
  double seconds = 0;
  Status why = Status::success();
  const AttentionOptions asked = launch.options;
  const auto attempt = [&](uint32_t queries, uint32_t keys, bool handOn) {
    launch.options.queryChunk = queries;
    launch.options.keyChunk = keys;
    launch.options.handOn = handOn;
    Result<AttentionProgram> program =
        attentionProgram(launch.schedule, launch.sizes, launch.options);
    if (!program) {
      if (why)
        why = program.status();
      return;
    }
    const double time = launchTime(machine, launch, *program).seconds;
    if (seconds == 0 || time < seconds) {
      seconds = time;
      best = launch.options;
    }
  };
  for (uint32_t queries : sizesUpTo(asked.queryChunk, launch.sizes.queryRows))
    for (uint32_t keys : sizesUpTo(asked.keyChunk, mostKeys)) {
      attempt(queries, keys, false);
      if (launch.schedule.band.isUnbounded())
        attempt(queries, keys, true);
    }
  if (seconds == 0) {
    launch.options = asked;
    return why;
  }
  launch.options = best;
  return Status::success();
}

} // namespace ring::rt
