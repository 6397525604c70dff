// SPDX-License-Identifier: Apache-2.0
//
// The memory and the semaphores that fused rings transfer with. A ring leaves
// its semaphores at 0 only when its last device is done, so the next one must
// not find them: two sets take turns.

#ifndef RING_RUNTIME_TTNN_TTNNRINGROOMS_H
#define RING_RUNTIME_TTNN_TTNNRINGROOMS_H

#include "Ttnn/TtnnHeaders.h"

#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace ring::rt {

/// What one fused ring transfers with.
struct RingRoom {
  ::ttnn::Tensor keys, values; ///< room for those of all ranks
  std::vector<::ttnn::GlobalSemaphore> semaphores;
};

/// The rooms of a run, made when they are first asked for.
class RingRooms {
public:
  explicit RingRooms(::ttnn::MeshDevice &device) : device(device) {}

  /// The room for a ring over such keys and values, which the last ring over
  /// such ones did not have.
  RingRoom &next(const ::ttnn::Tensor &keys, const ::ttnn::Tensor &values,
                 int64_t ranks);

private:
  using Sizes = std::vector<uint32_t>;
  using Key = std::tuple<Sizes, Sizes, ::ttnn::DataType, int64_t>;
  struct Pair {
    std::array<RingRoom, 2> rooms;
    size_t turn = 0;
  };

  RingRoom make(const ::ttnn::Tensor &keys, const ::ttnn::Tensor &values,
                int64_t ranks);

  ::ttnn::MeshDevice &device;
  std::map<Key, Pair> pairs;
};

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNRINGROOMS_H
