// SPDX-License-Identifier: Apache-2.0
//
// Meshes, the fabric between their devices, and semaphores.

#include "MeshState.h"
#include "Rules.h"
#include "standin/Cluster.hpp"
#include "ttnn/device.hpp"
#include "ttnn/distributed/api.hpp"
#include "ttnn/global_semaphore.hpp"
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>

using namespace standin;

Cluster &standin::cluster() {
  static Cluster cluster;
  return cluster;
}

// ---- Shapes and cores ----------------------------------------------------

namespace tt::tt_metal {

CoreRange::CoreRange(const CoreCoord &start, const CoreCoord &end)
    : start_coord(start), end_coord(end) {}
bool CoreRange::contains(const CoreCoord &core) const {
  return core.x >= start_coord.x && core.x <= end_coord.x &&
         core.y >= start_coord.y && core.y <= end_coord.y;
}
CoreRangeSet::CoreRangeSet(const CoreRange &range) : ranges_{range} {}
bool CoreRangeSet::contains(const CoreCoord &core) const {
  for (const CoreRange &range : ranges_)
    if (range.contains(core))
      return true;
  return false;
}

namespace distributed {

MeshShape::MeshShape(uint32_t s0, uint32_t s1) : ShapeBase({s0, s1}) {}
size_t MeshShape::mesh_size() const {
  size_t size = 1;
  for (uint32_t one : *this)
    size *= one;
  return size;
}
MeshCoordinate::MeshCoordinate(uint32_t c0, uint32_t c1) : value_{c0, c1} {}
uint32_t MeshCoordinate::operator[](int32_t dim) const { return value_[dim]; }
size_t MeshCoordinate::to_linear_index(const MeshShape &shape) const {
  expect(value_[0] < shape[0] && value_[1] < shape[1],
         "a mesh has no such device");
  return value_[0] * shape[1] + value_[1];
}

// ---- Meshes --------------------------------------------------------------

std::shared_ptr<MeshDevice> MeshDeviceImpl::make(const MeshShape &shape,
                                                 CoreCoord grid) {
  std::shared_ptr<MeshDevice> made(new MeshDevice());
  made->pimpl_.reset(new MeshDeviceImpl{shape, grid});
  return made;
}

MeshDevice::~MeshDevice() = default;
tt::ARCH MeshDevice::arch() const { return cluster().arch; }
CoreCoord MeshDevice::compute_with_storage_grid_size() const {
  return pimpl_->grid;
}
size_t MeshDevice::num_devices() const { return pimpl_->shape.mesh_size(); }
const MeshShape &MeshDevice::shape() const { return pimpl_->shape; }

void Synchronize(MeshDevice &device, ttsl::optional_reference<MeshCommandQueue>,
                 ttsl::Span<const SubDeviceId>) {
  ++device.impl().epoch;
}

} // namespace distributed
} // namespace tt::tt_metal

namespace ttnn {

tt::tt_metal::DispatchCoreConfig device::create_cluster_aware_dispatch_config(
    std::optional<tt::tt_metal::DispatchCoreType> type,
    std::optional<tt::tt_metal::DispatchCoreAxis>,
    tt::tt_fabric::FabricTensixConfig) {
  using tt::tt_metal::DispatchCoreType;
  return type.value_or(cluster().ethernetDispatches ? DispatchCoreType::ETH
                                                    : DispatchCoreType::WORKER);
}

std::shared_ptr<MeshDevice> distributed::open_mesh_device(
    const MeshShape &shape, size_t, size_t, size_t queues,
    const tt::tt_metal::DispatchCoreConfig &dispatch,
    const std::optional<MeshCoordinate> &, const std::vector<int> &, size_t) {
  expect(shape.mesh_size() <= cluster().devices, "a mesh of ",
         shape.mesh_size(), " devices is asked for, and there are ",
         cluster().devices);
  expect(queues >= 1, "a mesh needs a queue");
  bool workers = dispatch.get_dispatch_core_type() ==
                 tt::tt_metal::DispatchCoreType::WORKER;
  CoreCoord grid = cluster().grid;
  grid.y -= workers ? 1 : 0;
  cluster().fabricAtOpen = cluster().fabric;
  ++cluster().meshesOpened;
  ++cluster().meshesOpen;
  return tt::tt_metal::distributed::MeshDeviceImpl::make(shape, grid);
}

void distributed::close_mesh_device(const std::shared_ptr<MeshDevice> &mesh) {
  expect(mesh->impl().open, "a mesh is closed twice");
  mesh->impl().open = false;
  --cluster().meshesOpen;
}

} // namespace ttnn

// ---- Fabric --------------------------------------------------------------

void tt::tt_fabric::SetFabricConfig(FabricConfig config, FabricReliabilityMode,
                                    std::optional<uint8_t>, FabricTensixConfig,
                                    FabricUDMMode, FabricManagerMode,
                                    FabricRouterConfig) {
  expect(cluster().meshesOpen == 0,
         "the fabric is set before a mesh is opened, or after it is closed");
  cluster().fabric = config;
}

// ---- Semaphores ----------------------------------------------------------

void standin::RingResource::use(tt::tt_metal::distributed::MeshDeviceImpl &mesh,
                                const char *what) {
  expect(madeIn < mesh.epoch, what,
         " are used before all devices have them; synchronize after making "
         "them");
  expect(lastRing == 0 || lastRing < mesh.rings || usedIn < mesh.epoch, what,
         " are those of the ring before, which may not be done");
  lastRing = mesh.rings + 1;
  usedIn = mesh.epoch;
}

namespace tt::tt_metal {

GlobalSemaphore::GlobalSemaphore(GlobalSemaphoreImpl &&impl)
    : pimpl_(std::make_unique<GlobalSemaphoreImpl>(std::move(impl))) {}
GlobalSemaphore::GlobalSemaphore(const GlobalSemaphore &other)
    : pimpl_(std::make_unique<GlobalSemaphoreImpl>(*other.pimpl_)) {}
GlobalSemaphore::GlobalSemaphore(GlobalSemaphore &&) noexcept = default;
GlobalSemaphore &
GlobalSemaphore::operator=(GlobalSemaphore &&) noexcept = default;
GlobalSemaphore::~GlobalSemaphore() = default;

} // namespace tt::tt_metal

namespace ttnn {

GlobalSemaphore global_semaphore::create_global_semaphore(
    MeshDevice *mesh, const CoreRangeSet &cores, uint32_t initial, BufferType) {
  expect(initial == 0, "a ring waits for semaphores that count from 0");
  auto resource = std::make_shared<RingResource>();
  resource->madeIn = mesh->impl().epoch;
  return tt::tt_metal::GlobalSemaphoreImpl{mesh, cores, resource};
}

} // namespace ttnn
