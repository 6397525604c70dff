// SPDX-License-Identifier: Apache-2.0
// One axis of the mesh, or a sub-ring of it, and who stands where on it.

#ifndef RING_POSITIONS_MESHAXIS_H
#define RING_POSITIONS_MESHAXIS_H

#include "ring/Positions/Span.h"

#include <optional>
#include <string>
#include <vector>

namespace ring::positions {

/// The rank of a device is (coordinate / stride) mod size, where the coordinate
/// is the device's on one mesh axis. Worked example, an axis of eight devices
/// with size 2 and stride 4: coordinates 0 to 3 have rank 0, 4 to 7 rank 1, and
/// 1 and 5 make one ring.
class MeshAxis {
public:
  /// One device.
  MeshAxis() = default;
  /// The axis `index` of the mesh; size 0 is the whole axis.
  MeshAxis(Span<int64_t> mesh, int64_t index, int64_t size = 0,
           int64_t stride = 1);
  /// All devices of the mesh in order, as one axis.
  static MeshAxis all(Span<int64_t> mesh);
  /// Why the mesh has no such axis; nothing if it has.
  static std::optional<std::string> misfitOf(Span<int64_t> mesh, int64_t index,
                                             int64_t size, int64_t stride);

  int64_t ranks() const { return size; }
  int64_t rankOf(int64_t device) const { return device / step % size; }
  /// The device of the given rank in the ring of `device`.
  int64_t member(int64_t device, int64_t rank) const {
    return device + (rank - rankOf(device)) * step;
  }
  /// The device `offset` ranks further round the ring of `device`.
  int64_t neighbour(int64_t device, int64_t offset) const {
    return member(device, (rankOf(device) + offset % size + size) % size);
  }

private:
  int64_t size = 1;
  int64_t step = 1; ///< devices between two ranks
};

/// The coordinates of a device in the mesh.
std::vector<int64_t> coordinatesOf(Span<int64_t> mesh, int64_t device);

} // namespace ring::positions

#endif // RING_POSITIONS_MESHAXIS_H
