// SPDX-License-Identifier: Apache-2.0
//
// Layouts in both directions: rank to positions, and position to rank.

#include "Ops/SequenceLayout.h"

#include <algorithm>

namespace ring::rt {

Result<SequenceLayout> SequenceLayout::get(const std::vector<int64_t> &ints) {
  constexpr int64_t kLongest = int64_t(1) << 40;
  if (ints.size() != 4)
    return error("expects a layout of kind, length, ranks and offset, but got ",
                 ints.size(), " numbers");
  if (ints[0] < 0 || ints[0] > 3)
    return error("expects a layout kind from 0 to 3, but got ", ints[0]);
  if (ints[1] < 1 || ints[1] > kLongest || ints[2] < 1 || ints[2] > ints[1] ||
      ints[3] < 0 || ints[3] > kLongest)
    return error("expects a layout of positive length and ranks and an offset ",
                 "that is not negative, all at most 2^40, but got ", ints[1],
                 " over ", ints[2], " at ", ints[3]);
  SequenceLayout layout;
  layout.kind = static_cast<Kind>(ints[0]);
  layout.count = ints[1];
  layout.owners = ints[2];
  layout.start = ints[3];
  int64_t chunks = layout.owners * (layout.kind == Kind::Zigzag ? 2 : 1);
  if (layout.count % chunks != 0)
    return error("expects the number of chunks to divide ", layout.count,
                 ", but got ", chunks);
  return layout;
}

Positions SequenceLayout::positionsOf(int64_t rank) const {
  int64_t shard = shardLength();
  switch (kind) {
  case Kind::Contiguous:
    return {{start + rank * shard, shard, 1}};
  case Kind::Mirrored:
    return {{start + (owners - 1 - rank) * shard, shard, 1}};
  case Kind::Zigzag: {
    int64_t half = shard / 2;
    return {{start + rank * half, half, 1},
            {start + (2 * owners - 1 - rank) * half, half, 1}};
  }
  case Kind::Striped:
    return {{start + rank, shard, owners}};
  }
  return {};
}

void SequenceLayout::locate(int64_t position, int64_t &rank,
                            int64_t &row) const {
  position -= start;
  int64_t shard = shardLength();
  switch (kind) {
  case Kind::Contiguous:
    rank = position / shard;
    row = position % shard;
    return;
  case Kind::Mirrored:
    rank = owners - 1 - position / shard;
    row = position % shard;
    return;
  case Kind::Zigzag: {
    int64_t half = shard / 2;
    int64_t chunk = position / half;
    bool late = chunk >= owners;
    rank = late ? 2 * owners - 1 - chunk : chunk;
    row = position % half + (late ? half : 0);
    return;
  }
  case Kind::Striped:
    rank = position % owners;
    row = position / owners;
    return;
  }
}

Positions sliceRows(const Positions &shard, int64_t first, int64_t count) {
  Positions rows;
  for (const PositionRange &range : shard) {
    int64_t skipped = std::min(first, range.size);
    int64_t taken = std::min(count, range.size - skipped);
    if (taken > 0)
      rows.push_back(
          {range.begin + skipped * range.stride, taken, range.stride});
    first -= skipped;
    count -= taken;
  }
  return rows;
}

} // namespace ring::rt
