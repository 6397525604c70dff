// SPDX-License-Identifier: Apache-2.0
//
// The transfers of a launch as sends from neighbour to neighbour, each from a
// store to a store.

#include "Launch/LaunchReader.h"

namespace ring::rt {

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
static Origin placeOf(int32_t buffer, const Journey &journey) {
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

} // namespace ring::rt
