// SPDX-License-Identifier: Apache-2.0
//
// Who stands where on a mesh axis, and what transfers ask of the fabric.

#pragma once

#include "TensorState.h"
#include "standin/Cluster.hpp"

#include <tt-metalium/experimental/fabric/fabric_edm_types.hpp>

namespace standin {

/// The ranks of a mesh axis; of all devices without one.
class Ranks {
public:
  Ranks(const ttnn::MeshDevice &mesh, std::optional<uint32_t> axis)
      : columns(mesh.shape()[1]), axis(axis),
        size(axis ? mesh.shape()[static_cast<int32_t>(*axis)]
                  : mesh.num_devices()) {}
  size_t count() const { return size; }
  size_t rankOf(size_t device) const {
    if (!axis)
      return device;
    return *axis == 0 ? device / columns : device % columns;
  }
  /// The device of a rank in the line of `device`.
  size_t member(size_t device, size_t rank) const {
    if (!axis)
      return rank;
    return *axis == 0 ? rank * columns + device % columns
                      : device / columns * columns + rank;
  }

private:
  const size_t columns;
  const std::optional<uint32_t> axis;
  const size_t size;
};

/// Throws unless the links are on, and go round where that is asked for.
inline void expectFabric(const char *op, bool round = false) {
  using tt::tt_fabric::FabricConfig;
  FabricConfig fabric = cluster().fabricAtOpen;
  expect(fabric == FabricConfig::FABRIC_1D ||
             fabric == FabricConfig::FABRIC_1D_RING,
         op, ": the fabric is off");
  expect(!round || fabric == FabricConfig::FABRIC_1D_RING, op,
         ": the fabric does not go round");
}

} // namespace standin
