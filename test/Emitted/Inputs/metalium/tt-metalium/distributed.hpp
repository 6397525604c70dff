// SPDX-License-Identifier: Apache-2.0
// The mesh, its memory and its queue.
#pragma once

#include <tt-metalium/host_api.hpp>

namespace tt::tt_fabric {
struct FabricNodeId {
  uint32_t device;
};
} // namespace tt::tt_fabric

namespace tt::tt_metal::distributed {

struct MeshShape {
  MeshShape(uint32_t rows, uint32_t columns) : rows(rows), columns(columns) {}
  uint32_t rows, columns;
};
struct MeshCoordinate {
  MeshCoordinate(uint32_t row, uint32_t column) : row(row), column(column) {}
  uint32_t number() const { return row * standin::world.columns + column; }
  uint32_t row, column;
};
struct MeshCoordinateRange {
  explicit MeshCoordinateRange(MeshCoordinate place) : place(place) {}
  MeshCoordinate place;
};
struct MeshDeviceConfig {
  explicit MeshDeviceConfig(MeshShape shape) : shape(shape) {}
  MeshShape shape;
};
struct MeshCommandQueue {};

class MeshDevice {
public:
  static std::shared_ptr<MeshDevice> create(const MeshDeviceConfig &config) {
    standin::world.rows = config.shape.rows;
    standin::world.columns = config.shape.columns;
    standin::world.program.devices.resize(size_t{config.shape.rows} * config.shape.columns);
    standin::world.memory.resize(standin::world.program.devices.size());
    return std::make_shared<MeshDevice>();
  }
  bool close() { return true; }
  MeshCommandQueue &mesh_command_queue() { return queue; }
  CoreCoord worker_core_from_logical_core(const CoreCoord &core) const {
    return CoreCoord(standin::kPlace + core.x, standin::kPlace + core.y);
  }
  tt_fabric::FabricNodeId get_fabric_node_id(const MeshCoordinate &place) const { return {place.number()}; }

private:
  MeshCommandQueue queue;
};

struct ReplicatedBufferConfig {
  uint64_t size = 0;
};
struct DeviceLocalBufferConfig {
  uint64_t page_size = 0;
  BufferType buffer_type = BufferType::DRAM;
};
class MeshBuffer {
public:
  static std::shared_ptr<MeshBuffer> create(const ReplicatedBufferConfig &all, const DeviceLocalBufferConfig &local,
                                            MeshDevice *) {
    auto buffer = std::make_shared<MeshBuffer>();
    buffer->number = static_cast<uint32_t>(standin::world.program.buffers.size());
    standin::world.program.buffers.push_back({"buffer " + std::to_string(buffer->number),
                                              static_cast<uint32_t>(local.page_size),
                                              static_cast<uint32_t>(all.size / local.page_size)});
    for (auto &device : standin::world.memory)
      device.emplace_back(all.size);
    return buffer;
  }
  uint64_t address() const { return standin::kAddress << 16 | number; }
  uint32_t number = 0;
};

struct MeshWorkload {
  void add_program(const MeshCoordinateRange &range, Program program) {
    devices[range.place.number()] = std::move(program.device);
  }
  std::map<uint32_t, ring::rt::OneDevice> devices;
};
inline void EnqueueMeshWorkload(MeshCommandQueue &, MeshWorkload &workload, bool) {
  auto &[program, memory, written, rows, columns] = standin::world;
  for (uint32_t device = 0; device < program.devices.size(); ++device)
    program.devices[device] = workload.devices[device];
  ring::rt::TileResult result =
      ring::rt::runOnTiles(program, memory, std::vector<uint32_t>(written.begin(), written.end()), {});
  if (!result.passed())
    throw std::runtime_error(result.fault);
}
inline void Finish(MeshCommandQueue &) {}

template <typename T>
void WriteShard(MeshCommandQueue &, const std::shared_ptr<MeshBuffer> &buffer, std::vector<T> &bytes,
                const MeshCoordinate &place, bool) {
  auto &pages = standin::world.memory[place.number()][buffer->number];
  if (bytes.size() * sizeof(T) != pages.size())
    throw std::runtime_error("expects " + std::to_string(pages.size()) + " bytes, but got " +
                             std::to_string(bytes.size() * sizeof(T)));
  std::copy(bytes.begin(), bytes.end(), pages.begin());
  standin::world.written.insert(buffer->number);
}
template <typename T>
void ReadShard(MeshCommandQueue &, std::vector<T> &bytes, const std::shared_ptr<MeshBuffer> &buffer,
               const MeshCoordinate &place, bool = true) {
  const auto &pages = standin::world.memory[place.number()][buffer->number];
  bytes.assign(pages.begin(), pages.end());
}

} // namespace tt::tt_metal::distributed
