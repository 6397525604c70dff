// SPDX-License-Identifier: Apache-2.0
//
// Opens meshes of devices and runs programs on them.

#include "ring-runtime/MetalMachine.h"

#include "Metal/MetalProgram.h"

#include <tt-metalium/allocator.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/system_mesh.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace ring::rt {

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;
using tt::tt_fabric::FabricConfig;

namespace {

/// What TT-Metalium says is wrong, in one line: without the condition that
/// failed, which comes before "info:", and without the stack.
std::string reasonOf(const std::exception &problem) {
  std::string text = problem.what();
  text = text.substr(0, text.find("\nbacktrace:"));
  if (const size_t info = text.find("\ninfo:\n"); info != std::string::npos)
    text = text.substr(info + 7);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// What is thrown while devices are given back has no one to go to: the runs
/// are over, and their results stand.
template <typename Function>
void quietly(Function function) {
  try {
    function();
  } catch (const std::exception &) {
  }
}

/// Whether a program sends anything to another device.
bool connects(const DeviceProgram &program) {
  for (const OneDevice &device : program.devices)
    for (const DeviceKernel &kernel : device.kernels)
      for (const KernelOnCore &share : kernel.cores)
        if (!share.connections.empty())
          return true;
  return false;
}

} // namespace

bool metalIsBuiltIn() { return true; }

struct MetalMachine::Devices {
  ~Devices() {
    for (std::shared_ptr<MeshDevice> *open : {&mesh, &whole}) {
      if (*open)
        quietly([&] { (*open)->close(); });
      open->reset();
    }
    if (hasFabric)
      quietly([] { tt::tt_fabric::SetFabricConfig(FabricConfig::DISABLED); });
  }

  void open(uint32_t rows, uint32_t columns, bool wraps, uint32_t there) {
    const MeshShape shape(rows, columns);
    if (rows * columns > 1) {
      hasFabric = true;
      tt::tt_fabric::SetFabricConfig(wraps ? FabricConfig::FABRIC_1D_RING
                                           : FabricConfig::FABRIC_1D);
    }
    // Routers are started as devices are opened, and wait for all others.
    if (hasFabric && rows * columns < there) {
      whole =
          MeshDevice::create(MeshDeviceConfig(SystemMesh::instance().shape()));
      mesh = whole->create_submesh(shape);
    } else {
      mesh = MeshDevice::create(MeshDeviceConfig(shape));
    }
  }

  uint64_t dramBytes() const {
    const auto &allocator = mesh->allocator();
    return uint64_t{allocator->get_num_banks(BufferType::DRAM)} *
           allocator->get_statistics(BufferType::DRAM).total_allocated_bytes;
  }

  Result<MetalResult> run(const DeviceProgram &program, MeshMemory &memory,
                          const std::vector<uint32_t> &inputs,
                          uint32_t launches);

  std::shared_ptr<MeshDevice> whole; ///< that the mesh is a part of, if it is
  std::shared_ptr<MeshDevice> mesh;
  bool hasFabric = false;
};

Result<MetalResult>
MetalMachine::Devices::run(const DeviceProgram &program, MeshMemory &memory,
                           const std::vector<uint32_t> &inputs,
                           uint32_t launches) {
  MetalResult result;
  const uint64_t before = dramBytes();
  Result<std::unique_ptr<MetalProgram>> made =
      MetalProgram::make(program, *mesh);
  if (!made)
    return made.status();
  result.dramBytes = dramBytes() - before;

  // What a run before has left must not be taken for a result of this one.
  std::vector<bool> isInput(program.buffers.size());
  for (uint32_t input : inputs)
    isInput[input] = true;
  MeshCommandQueue &queue = mesh->mesh_command_queue();
  for (uint32_t device = 0; device < memory.size(); ++device)
    for (size_t i = 0; i < memory[device].size(); ++i) {
      PageBytes &bytes = memory[device][i];
      if (!isInput[i])
        bytes.assign(bytes.size(), 0xff);
      WriteShard(queue, (*made)->buffer(i), bytes,
                 MetalProgram::placeOf(device, *mesh), /*blocking=*/true);
    }
  for (uint32_t launch = 0; launch < launches; ++launch)
    EnqueueMeshWorkload(queue, (*made)->workload(), /*blocking=*/false);
  Finish(queue);
  if (Status status = (*made)->checkCounters(); !status)
    return status;
  for (uint32_t device = 0; device < memory.size(); ++device)
    for (size_t i = 0; i < memory[device].size(); ++i)
      ReadShard(queue, memory[device][i], (*made)->buffer(i),
                MetalProgram::placeOf(device, *mesh), /*blocking=*/true);
  return result;
}

MetalMachine::MetalMachine(std::unique_ptr<Devices> devices)
    : devices(std::move(devices)) {}

MetalMachine::~MetalMachine() = default;

Result<uint32_t> MetalMachine::devicesThere() {
  try {
    return static_cast<uint32_t>(GetNumAvailableDevices());
  } catch (const std::exception &problem) {
    return error("expects Tenstorrent devices or a simulator that "
                 "TT_METAL_SIMULATOR names, but TT-Metalium says: ",
                 reasonOf(problem));
  }
}

Result<std::unique_ptr<MetalMachine>>
MetalMachine::open(uint32_t rows, uint32_t columns, bool wraps) {
  if (!rows || !columns)
    return error("expects a mesh of at least 1 x 1 devices, but got ", rows,
                 " x ", columns);
  const Result<uint32_t> found = devicesThere();
  if (!found)
    return found.status();
  if (*found < uint64_t{rows} * columns)
    return error("expects a mesh of ", rows, " x ", columns,
                 " devices, but TT-Metalium found ", *found);
  try {
    auto devices = std::make_unique<Devices>();
    devices->open(rows, columns, wraps, *found);
    return std::unique_ptr<MetalMachine>(new MetalMachine(std::move(devices)));
  } catch (const std::exception &problem) {
    return error(
        "expects a mesh of ", rows, " x ", columns,
        " devices, but TT-Metalium could not open it: ", reasonOf(problem));
  }
}

uint32_t MetalMachine::rows() const {
  return static_cast<uint32_t>(devices->mesh->num_rows());
}

uint32_t MetalMachine::columns() const {
  return static_cast<uint32_t>(devices->mesh->num_cols());
}

uint64_t MetalMachine::dramBytesInUse() const { return devices->dramBytes(); }

Result<MetalResult> MetalMachine::run(const DeviceProgram &program,
                                      MeshMemory &memory,
                                      const std::vector<uint32_t> &inputs,
                                      const MetalOptions &options) {
  if (program.devices.size() != size_t{rows()} * columns())
    return error("expects a program for ", rows(), " x ", columns(),
                 " devices, but got one for ", program.devices.size());
  if (Status status = verify(program, options.limits); !status)
    return status;
  if (Status status = verifyMemory(program, memory, inputs); !status)
    return status;
  try {
    // Longer packets would arrive as nonsense, and nobody would say so.
    if (connects(program)) {
      const size_t most = tt::tt_fabric::get_tt_fabric_max_payload_size_bytes();
      if (options.limits.packetBytes > most)
        return error("expects packets of at most ", most,
                     " bytes, which the fabric carries, but got a program for ",
                     options.limits.packetBytes);
    }
    return devices->run(program, memory, inputs, options.launches);
  } catch (const std::exception &problem) {
    return error("expects TT-Metalium to run the program \"", program.name,
                 "\", but it failed: ", reasonOf(problem));
  }
}

} // namespace ring::rt
