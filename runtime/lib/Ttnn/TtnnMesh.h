// SPDX-License-Identifier: Apache-2.0
//
// The devices of a run: opened with the links between them switched on, and
// left as they were found.

#ifndef RING_RUNTIME_TTNN_TTNNMESH_H
#define RING_RUNTIME_TTNN_TTNNMESH_H

#include "Ttnn/TtnnHeaders.h"
#include "ring-runtime/Status.h"
#include "ring-runtime/Types.h"

#include <memory>

namespace ring::rt {

/// The links of all devices, on for as long as this lives. They have to be
/// switched on before a device is opened, and off after the last is closed.
class OpenFabric {
public:
  explicit OpenFabric(tt::tt_fabric::FabricConfig config) {
    tt::tt_fabric::SetFabricConfig(config);
  }
  ~OpenFabric();
  OpenFabric(const OpenFabric &) = delete;
  OpenFabric &operator=(const OpenFabric &) = delete;
};

/// The mesh, open for as long as this lives.
class OpenMesh {
public:
  /// Opens a mesh of one or two axes; `ring`: whose links go round. Fails with
  /// what tt-metal says where it has no such devices.
  static Result<std::unique_ptr<OpenMesh>> open(const Shape &mesh, bool ring);
  ~OpenMesh();
  OpenMesh(const OpenMesh &) = delete;
  OpenMesh &operator=(const OpenMesh &) = delete;

  ::ttnn::MeshDevice &device() { return *opened; }
  const ::ttnn::MeshShape shape;

private:
  OpenMesh(const Shape &mesh, bool ring);

  std::unique_ptr<OpenFabric> fabric; ///< none for one device
  std::shared_ptr<::ttnn::MeshDevice> opened;
};

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNMESH_H
