// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a launch as steps: which rows of which stores meet the queries,
// where these are in the sequence, and the columns of a mask.

#include "Launch/LaunchReader.h"

#include "Ops/AttentionBlock.h"

#include <algorithm>

namespace ring::rt {

/// The column of the launch's mask that the mask of a block begins with; blocks
/// have columns of one tensor, or none has a mask.
Result<int64_t> LaunchReader::followMask(const OpTypes &types) {
  constexpr size_t kMask = 4;
  int32_t mask = kAbsent;
  int64_t column = 0;
  if (types.inputCount() > kMask && types.input(kMask)) {
    mask = types.inputValue(kMask);
    if (std::optional<size_t> maker = makerOf(mask)) {
      OpTypes slice = typesOf(*maker);
      if (nameOf(*maker) != "slice")
        return error("expects columns of a mask in a launch, but got what ",
                     nameOf(*maker), " makes");
      const Shape &from = slice.input(0)->shape, &to = slice.output(0)->shape;
      if (from[0] != to[0] || from[1] != to[1] || from[2] != to[2] ||
          slice.ints("steps")[3] != 1)
        return error("expects columns side by side of a mask in a launch, but "
                     "got another slice");
      column = slice.ints("begins")[3];
      mask = slice.inputValue(0);
    }
  }
  if (attends && mask != result.mask)
    return error("expects one tensor of masks for all blocks of a launch, but "
                 "got ",
                 mask == kAbsent || result.mask == kAbsent
                     ? "blocks without one"
                     : "two");
  attends = true;
  result.mask = mask;
  return column;
}

Status LaunchReader::followAccumulate(const OpTypes &types) {
  const int32_t query = types.inputValue(0), key = types.inputValue(1);
  Result<int64_t> maskColumn = followMask(types);
  if (!maskColumn)
    return maskColumn.status();
  if (types.has("key_places") || types.has("query_places"))
    return error("expects layouts of keys in a launch, but got places, "
                 "as packed documents have them");
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
        const int64_t column = *maskColumn + row + first - rows.first;
        if (!misses && result.mask != kAbsent && column % kTile)
          return error("expects masks in whole tiles of ", kTile,
                       " columns, but got one from column ", column, " on");
        piece.maskColumn = static_cast<uint32_t>(column / kTile);
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

} // namespace ring::rt
