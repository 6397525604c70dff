// SPDX-License-Identifier: Apache-2.0
//
// The schedule of a ring: who sends which rows how far, and what a device meets
// when. Worked example, four devices and both directions, device 0:
//
//   step 0  its own shard                while it leaves both ways
//   step 1  that of device 3, from the previous; its first half is passed on
//   step 2  that of device 1, from the next; its second half is passed on
//   step 3  that of device 2, half from either side

#include "ring-runtime/AttentionProgram.h"

#include "TileMask.h"

#include <algorithm>

namespace ring::rt {

namespace {

using positions::PositionRange;
using positions::Positions;

TileBand tileBand(const positions::Band &band) {
  return {band.before ? static_cast<int32_t>(*band.before) : kUnbounded,
          band.after ? static_cast<int32_t>(*band.after) : kUnbounded};
}

RowRange unite(RowRange a, RowRange b) {
  if (!a.count)
    return b;
  if (!b.count)
    return a;
  const uint32_t first = std::min(a.first, b.first);
  return {first, std::max(a.end(), b.end()) - first};
}

class RingWriter {
public:
  explicit RingWriter(const RingLayout &layout)
      : layout(layout), ranks(static_cast<uint32_t>(layout.sequence.ranks)),
        shardRows(
            static_cast<uint32_t>(layout.sequence.shardLength() / kTileSize)) {}

  Result<AttentionSchedule> write();

private:
  uint32_t neighbour(uint32_t rank, uint32_t direction) const {
    return (rank + (direction ? ranks - 1 : 1)) % ranks;
  }
  /// Whose shard the `hop`th arrival of a direction brings.
  uint32_t sourceOf(uint32_t rank, uint32_t direction, uint32_t hop) const {
    return (rank + (direction ? hop : ranks - hop)) % ranks;
  }
  uint32_t hopsOf(uint32_t direction) const {
    if (!layout.replicatedQueries.empty())
      return 0;
    if (!layout.bothDirections)
      return direction ? 0 : ranks - 1;
    return ranks / 2;
  }
  /// The rows that a direction is to bring from `hop` ranks away: all, or half
  /// of the shard across an even ring.
  RowRange shareOf(uint32_t direction, uint32_t hop) const {
    const bool across =
        layout.bothDirections && ranks % 2 == 0 && hop == ranks / 2;
    const uint32_t half = (shardRows + 1) / 2;
    if (!across)
      return {0, shardRows};
    return direction ? RowRange{half, shardRows - half} : RowRange{0, half};
  }

  /// The rows of a shard that some query of a rank sees.
  RowRange seenBy(uint32_t rank, uint32_t source) const;
  /// The rows that the `hop`th arrival of a direction has to bring to a rank,
  /// for itself or for those behind it.
  RowRange neededAt(uint32_t rank, uint32_t direction, uint32_t hop) const;
  void writeSends(uint32_t rank, uint32_t direction,
                  std::vector<RowTransfer> &sends) const;
  void addPieces(uint32_t source, uint32_t store, RowRange rows,
                 std::optional<std::pair<uint32_t, uint32_t>> arrival,
                 AttentionStep &step) const;
  void writeSteps(uint32_t rank, DeviceSchedule &device) const;
  std::vector<QueryRows> queriesOf(uint32_t rank) const;

  /// A direction has no more stores than arrivals.
  uint32_t landingStores(uint32_t direction) const {
    return std::min(layout.landingStores, hopsOf(direction));
  }
  uint32_t landingStore(uint32_t direction, uint32_t arrival) const {
    return 1 + (direction ? landingStores(0) : 0) +
           arrival % landingStores(direction);
  }
  uint32_t jointStore() const {
    return 1 + landingStores(0) + landingStores(1);
  }

  const RingLayout &layout;
  uint32_t ranks, shardRows;
  std::vector<Positions> shards;
};

RowRange RingWriter::seenBy(uint32_t rank, uint32_t source) const {
  if (layout.jointLength)
    return {0, shardRows};
  const TileBand band = tileBand(layout.band);
  RowRange seen;
  for (uint32_t row = 0; row < shardRows; ++row) {
    const Positions keys = positions::sliceRows(
        shards[source], int64_t{row} * kTileSize, kTileSize);
    if (keys.front().begin >= layout.length)
      continue;
    const PositionSpan keySpan = {static_cast<int32_t>(keys.front().begin),
                                  static_cast<int32_t>(keys.back().last())};
    for (const PositionRange &queries : shards[rank])
      if (mayMeet({static_cast<int32_t>(queries.begin),
                   static_cast<int32_t>(queries.last())},
                  keySpan, band)) {
        seen = unite(seen, {row, 1});
        break;
      }
  }
  return seen;
}

RowRange RingWriter::neededAt(uint32_t rank, uint32_t direction,
                              uint32_t hop) const {
  if (hop > hopsOf(direction))
    return {};
  // Of an odd ring both directions bring as many.
  if (layout.bothDirections && ranks % 2 && hop > (ranks - 1) / 2)
    return {};
  RowRange own = seenBy(rank, sourceOf(rank, direction, hop));
  const RowRange share = shareOf(direction, hop);
  const uint32_t first = std::max(own.first, share.first);
  const uint32_t end = std::min(own.end(), share.end());
  own = first < end ? RowRange{first, end - first} : RowRange{};
  return unite(own, neededAt(neighbour(rank, direction), direction, hop + 1));
}

void RingWriter::writeSends(uint32_t rank, uint32_t direction,
                            std::vector<RowTransfer> &sends) const {
  uint32_t arrivals = 0;
  for (uint32_t hop = 1; hop <= hopsOf(direction); ++hop) {
    // What leaves for the neighbour's hop came here one hop earlier.
    std::optional<uint32_t> arrival;
    if (hop > 1 && neededAt(rank, direction, hop - 1).count)
      arrival = arrivals++;
    const RowRange rows = neededAt(neighbour(rank, direction), direction, hop);
    if (!rows.count)
      continue;
    const auto number = static_cast<uint32_t>(sends.size());
    RowTransfer send;
    send.from = arrival ? landingStore(direction, *arrival) : 0;
    send.to = landingStore(direction, number);
    send.rows = rows;
    send.toRow = rows.first;
    send.arrival = arrival;
    sends.push_back(send);
  }
}

void RingWriter::addPieces(uint32_t source, uint32_t store, RowRange rows,
                           std::optional<std::pair<uint32_t, uint32_t>> arrival,
                           AttentionStep &step) const {
  uint32_t row = rows.first;
  for (const PositionRange &range :
       positions::sliceRows(shards[source], int64_t{rows.first} * kTileSize,
                            int64_t{rows.count} * kTileSize)) {
    RowPiece piece;
    piece.store = store;
    piece.rows = {row, static_cast<uint32_t>(range.size / kTileSize)};
    row = piece.rows.end();
    piece.position = range.begin;
    piece.stride = range.stride;
    piece.arrival = arrival;
    const int64_t before = layout.length - range.begin;
    const int64_t valid =
        before <= 0 ? 0 : (before + range.stride - 1) / range.stride;
    piece.valid = static_cast<uint32_t>(std::min(valid, range.size));
    if (piece.valid)
      step.pieces.push_back(piece);
  }
}

void RingWriter::writeSteps(uint32_t rank, DeviceSchedule &device) const {
  AttentionStep own;
  addPieces(rank, 0, {0, shardRows}, std::nullopt, own);
  if (layout.jointLength) {
    RowPiece joint;
    joint.store = jointStore();
    joint.rows = {0, static_cast<uint32_t>(
                         (layout.jointLength + kTileSize - 1) / kTileSize)};
    joint.valid = static_cast<uint32_t>(layout.jointLength);
    own.pieces.push_back(joint);
  }
  device.steps.push_back(own);

  uint32_t arrivals[2] = {0, 0};
  for (uint32_t hop = 1; hop <= std::max(hopsOf(0), hopsOf(1)); ++hop) {
    // The two halves of the shard across the ring are one step.
    const bool across =
        layout.bothDirections && ranks % 2 == 0 && hop == ranks / 2;
    AttentionStep step;
    for (uint32_t direction = 0; direction < 2; ++direction) {
      if (!neededAt(rank, direction, hop).count)
        continue;
      const uint32_t arrival = arrivals[direction]++;
      const uint32_t source = sourceOf(rank, direction, hop);
      const RowRange seen = seenBy(rank, source);
      const RowRange share = shareOf(direction, hop);
      const uint32_t first = std::max(seen.first, share.first);
      const uint32_t end = std::min(seen.end(), share.end());
      if (first < end)
        addPieces(source, landingStore(direction, arrival),
                  {first, end - first}, std::make_pair(direction, arrival),
                  step);
      if (!across && !step.pieces.empty()) {
        device.steps.push_back(step);
        step = {};
      }
    }
    if (!step.pieces.empty())
      device.steps.push_back(step);
  }
}

std::vector<QueryRows> RingWriter::queriesOf(uint32_t rank) const {
  std::vector<QueryRows> queries;
  uint32_t row = 0;
  for (int64_t position : layout.replicatedQueries)
    queries.push_back({row++, position, 1});
  if (queries.empty())
    for (const PositionRange &range : shards[rank]) {
      queries.push_back({row, range.begin, range.stride});
      row += static_cast<uint32_t>(range.size / kTileSize);
    }
  return queries;
}

Result<AttentionSchedule> RingWriter::write() {
  const int64_t length = layout.sequence.length;
  if (std::optional<std::string> misfit = layout.sequence.misfit())
    return error(*misfit);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    shards.push_back(layout.sequence.positionsOf(rank));
  for (const Positions &shard : shards)
    for (const PositionRange &range : shard)
      if (range.size % kTileSize)
        return error("expects whole tiles of ", kTileSize,
                     " rows at evenly spaced positions, but got ", range.size);
  if (layout.length < 1 || layout.length > length || length >= 1 << 30)
    return error("expects a length from 1 to ", length, ", but got ",
                 layout.length);
  if (layout.jointLength && !layout.band.isUnbounded())
    return error("expects no mask beside joint rows");
  if (!layout.landingStores)
    return error("expects at least one landing store, but got 0");

  AttentionSchedule schedule;
  schedule.band = layout.band;
  schedule.storeRows.assign(jointStore(), shardRows);
  if (layout.jointLength)
    schedule.storeRows.push_back(static_cast<uint32_t>(
        (layout.jointLength + kTileSize - 1) / kTileSize));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    DeviceSchedule device;
    device.queries = queriesOf(rank);
    for (uint32_t direction = 0; direction < 2; ++direction)
      writeSends(rank, direction, device.sends[direction]);
    writeSteps(rank, device);
    schedule.devices.push_back(std::move(device));
  }
  return schedule;
}

} // namespace

Result<AttentionSchedule> ringSchedule(const RingLayout &layout) {
  return RingWriter(layout).write();
}

} // namespace ring::rt
