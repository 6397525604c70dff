// SPDX-License-Identifier: Apache-2.0
//
// Rooms of fused rings, in turn.

#include "Ttnn/TtnnRingRooms.h"

namespace ring::rt {

using ::ttnn::Tensor;

static std::vector<uint32_t> sizesOf(const Tensor &tensor) {
  auto sizes = tensor.logical_shape().view();
  return {sizes.begin(), sizes.end()};
}

RingRoom RingRooms::make(const Tensor &keys, const Tensor &values,
                         int64_t ranks) {
  auto gathered = [&](const Tensor &shard) {
    ::ttnn::Shape shape = shard.logical_shape();
    shape[2] *= static_cast<uint32_t>(ranks);
    return ::ttnn::empty(shape, shard.dtype(), ::ttnn::Layout::TILE, &device,
                         ::ttnn::DRAM_MEMORY_CONFIG);
  };
  RingRoom room{gathered(keys), gathered(values), {}};
  ::ttnn::CoreCoord grid = device.compute_with_storage_grid_size();
  ::ttnn::CoreRangeSet cores(::ttnn::CoreRange(
      ::ttnn::CoreCoord(0, 0), ::ttnn::CoreCoord(grid.x - 1, grid.y - 1)));
  for (int i = 0; i < 2; ++i) // one for each way round
    room.semaphores.push_back(
        ::ttnn::global_semaphore::create_global_semaphore(&device, cores, 0));
  return room;
}

RingRoom &RingRooms::next(const Tensor &keys, const Tensor &values,
                          int64_t ranks) {
  Key key(sizesOf(keys), sizesOf(values), keys.dtype(), ranks);
  auto [found, added] = pairs.try_emplace(key);
  Pair &pair = found->second;
  if (added) {
    for (RingRoom &room : pair.rooms)
      room = make(keys, values, ranks);
    // A device that is ahead would else signal one that has no semaphore yet.
    tt::tt_metal::distributed::Synchronize(device, std::nullopt);
  }
  return pair.rooms[pair.turn++ % 2];
}

} // namespace ring::rt
