// SPDX-License-Identifier: Apache-2.0
//
// Opening and closing of devices.

#include "Ttnn/TtnnMesh.h"

#include <exception>

namespace ring::rt {

using tt::tt_fabric::FabricConfig;

/// What is thrown while devices are given back has no one to go to: the run is
/// over, and its result stands.
template <typename Function>
static void quietly(Function function) {
  try {
    function();
  } catch (const std::exception &) {
    return;
  }
}

OpenFabric::~OpenFabric() {
  quietly([] { tt::tt_fabric::SetFabricConfig(FabricConfig::DISABLED); });
}

OpenMesh::OpenMesh(const Shape &mesh, bool ring)
    : shape(static_cast<uint32_t>(mesh.size() > 1 ? mesh[0] : 1),
            static_cast<uint32_t>(mesh.back())) {
  constexpr size_t kTraceRegion = 0, kQueues = 1;
  if (shape.mesh_size() > 1)
    fabric = std::make_unique<OpenFabric>(ring ? FabricConfig::FABRIC_1D_RING
                                               : FabricConfig::FABRIC_1D);
  // Dispatch from ethernet cores, where a board has them to spare, leaves all
  // rows of the grid to the kernels, which is what plans count on.
  opened = ::ttnn::distributed::open_mesh_device(
      shape, DEFAULT_L1_SMALL_SIZE, kTraceRegion, kQueues,
      ::ttnn::device::create_cluster_aware_dispatch_config());
}

Result<std::unique_ptr<OpenMesh>> OpenMesh::open(const Shape &mesh, bool ring) {
  try {
    return std::unique_ptr<OpenMesh>(new OpenMesh(mesh, ring));
  } catch (const std::exception &problem) {
    return error("expects ", describe(mesh),
                 " Tenstorrent devices, but tt-metal could not open them: ",
                 problem.what());
  }
}

OpenMesh::~OpenMesh() {
  if (opened)
    quietly([&] { ::ttnn::distributed::close_mesh_device(opened); });
}

} // namespace ring::rt
