// SPDX-License-Identifier: Apache-2.0
//
// Time from counts. The compute kernel's math thread makes products and
// exponentials one after the other, so their times add up; what the reader, the
// writer and the mover do goes on beside it. The constants are those of the
// chip model.

#include "ring-runtime/LaunchTime.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// Operations on a tile of scores beside its products and its exponential: its
/// maximum, the copy to the registers, the scale.
constexpr double kTileOperations = 3;
/// Operations on a row of query tiles for each chunk of keys: the comparison of
/// its maxima, and the sums.
constexpr double kRowOperations = 2;
/// Operations on a tile of a given mask: the copy to the registers, the scale.
constexpr double kMaskOperations = 2;

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
  const double productCycles =
      chip.tileProductCycles[static_cast<size_t>(options.compute.fidelity)] /
      chip.productEfficiency;
  LaunchTime longest;
  double flops = 0;
  const std::vector<DeviceWork> works = workOf(attention, options);
  for (size_t rank = 0; rank < works.size(); ++rank) {
    const AttentionWork &core = works[rank].busiest;
    const AttentionWork &all = works[rank].all;
    LaunchTime time;
    time.products = core.products() * productCycles / chip.clock;
    time.exponentials = core.weights * chip.expCycles / chip.clock;
    time.softmax =
        (core.weights * kTileOperations + core.maskTiles * kMaskOperations +
         core.queryRowSteps * kRowOperations) *
        chip.tileOperationCycles / chip.clock;
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
    if (machine.links.ringBandwidth > 0)
      time.links = sent * rowBytes / machine.links.ringBandwidth;
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
  constexpr uint32_t kSizes[] = {1, 2, 3, 4, 6, 8, 9, 12, 16};
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
