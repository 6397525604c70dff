// SPDX-License-Identifier: Apache-2.0
//
// Coordinates, ranks and positions, spelt out.

#include "Reference/Places.h"

#include <numeric>

namespace ring::rt::reference {

Shape coordinatesOf(const Shape &mesh, int64_t device) {
  Shape coordinates;
  int64_t block = elementCount(mesh);
  for (int64_t extent : mesh) {
    block /= extent;
    coordinates.push_back(device / block % extent);
  }
  return coordinates;
}

Ring Ring::of(const Call &call) {
  const Shape &mesh = call.types.program().mesh();
  size_t axis = call.types.intOr("axis", 0);
  int64_t size = call.types.intOr("axis_size", 0);
  return {mesh, axis, size == 0 ? mesh[axis] : size,
          call.types.intOr("axis_stride", 1)};
}

Ring Ring::all(const Call &call) {
  int64_t devices = call.types.deviceCount();
  return {{devices}, 0, devices, 1};
}

int64_t Ring::rankOf(int64_t device) const {
  return coordinatesOf(mesh, device)[axis] / stride % ranks;
}

int64_t Ring::member(int64_t device, int64_t rank) const {
  Shape coordinates = coordinatesOf(mesh, device);
  coordinates[axis] += (rank - rankOf(device)) * stride;
  return flatten(mesh, coordinates);
}

int64_t Ring::neighbour(int64_t device, int64_t offset) const {
  int64_t rank = (rankOf(device) + offset % ranks) % ranks;
  return member(device, rank < 0 ? rank + ranks : rank);
}

std::vector<int64_t> positionsOf(const std::vector<int64_t> &layout,
                                 int64_t rank) {
  enum { Contiguous, Mirrored, Zigzag, Striped, BlockCyclic };
  int64_t kind = layout[0], ranks = layout[2], rows = layout[1] / ranks;
  std::vector<int64_t> positions;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t half = rows / 2, position = 0;
    if (kind == Contiguous)
      position = rank * rows + row;
    else if (kind == Mirrored)
      position = (ranks - 1 - rank) * rows + row;
    else if (kind == Striped)
      position = row * ranks + rank;
    else if (kind == BlockCyclic)
      position = (row / layout[4] * ranks + rank) * layout[4] + row % layout[4];
    else if (kind == Zigzag && row < half)
      position = rank * half + row;
    else if (kind == Zigzag)
      position = (2 * ranks - 1 - rank) * half + row - half;
    positions.push_back(layout[3] + position);
  }
  return positions;
}

/// The positions that attribute `name` lists for the call's device.
static std::vector<int64_t> listedRows(const Call &call, const char *name) {
  const std::vector<int64_t> &numbers = call.types.ints(name);
  size_t next = 0;
  for (int64_t device = 0; device < call.device; ++device)
    next += 1 + 3 * static_cast<size_t>(numbers[next]);
  std::vector<int64_t> positions;
  int64_t ranges = numbers[next++];
  for (int64_t i = 0; i < ranges; ++i, next += 3)
    for (int64_t row = 0; row < numbers[next + 1]; ++row)
      positions.push_back(numbers[next] + row * numbers[next + 2]);
  return positions;
}

BlockRows blockRows(const Call &call, size_t query, size_t key) {
  int64_t count = call.inputShape(key)[2];
  BlockRows rows = {countUp(call.inputShape(query)[2]), countUp(count)};
  if (call.types.has("key_places")) {
    rows = {listedRows(call, "query_places"), listedRows(call, "key_places")};
  } else if (call.types.has("queries")) {
    Ring inner = Ring::of(call);
    int64_t own = inner.rankOf(call.device);
    int64_t source =
        inner.neighbour(call.device, call.types.intOr("source", 0));
    int64_t from = inner.rankOf(source);
    if (call.types.has("outer")) {
      const std::vector<int64_t> &ring = call.types.ints("outer");
      size_t axis = static_cast<size_t>(ring[0]);
      Ring outer = {inner.mesh, axis, ring[1] == 0 ? inner.mesh[axis] : ring[1],
                    ring[2]};
      own += outer.rankOf(call.device) * inner.ranks;
      from += outer.rankOf(outer.neighbour(
                  call.device, call.types.intOr("outer_source", 0))) *
              inner.ranks;
    }
    const std::vector<int64_t> &keys = call.types.ints("keys");
    rows.queries = positionsOf(call.types.ints("queries"), own);
    rows.keys = positionsOf(keys, keys[2] == 1 ? 0 : from);
    auto first = rows.keys.begin() + call.types.intOr("first_key", 0);
    rows.keys = {first, first + count};
  }
  for (int64_t &position : rows.keys)
    position += call.types.intOr("key_shift", 0);
  return rows;
}

std::vector<int64_t> countUp(int64_t count, int64_t first) {
  std::vector<int64_t> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

} // namespace ring::rt::reference
