// SPDX-License-Identifier: Apache-2.0
//
// From our description of a program to TT-Metalium's objects.

#include "Metal/MetalProgram.h"

#include "ring-runtime/KernelSources.h"

#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tt_metal.hpp>

#include <set>

namespace ring::rt {

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;
// Names that TT-Metalium's headers still have outside its namespace too.
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;

namespace {

CoreCoord coordOf(DeviceCore core) { return CoreCoord(core.x, core.y); }

CoreRangeSet rangesOf(const std::vector<DeviceCore> &cores) {
  std::set<CoreRange> ranges;
  for (DeviceCore core : cores)
    ranges.insert(CoreRange(coordOf(core)));
  return CoreRangeSet(ranges);
}

std::vector<DeviceCore> coresOf(const DeviceKernel &kernel) {
  std::vector<DeviceCore> cores;
  for (const KernelOnCore &share : kernel.cores)
    cores.push_back(share.core);
  return cores;
}

tt::DataFormat formatOf(TileFormat format) {
  return format == TileFormat::F32 ? tt::DataFormat::Float32
                                   : tt::DataFormat::Float16_b;
}

tt::tt_metal::MathFidelity fidelityOf(MathFidelity fidelity) {
  switch (fidelity) {
  case MathFidelity::LoFi:
    return tt::tt_metal::MathFidelity::LoFi;
  case MathFidelity::HiFi2:
    return tt::tt_metal::MathFidelity::HiFi2;
  case MathFidelity::HiFi3:
    return tt::tt_metal::MathFidelity::HiFi3;
  case MathFidelity::HiFi4:
    break;
  }
  return tt::tt_metal::MathFidelity::HiFi4;
}

/// How a kernel is compiled, and for which processor.
std::variant<DataMovementConfig, ComputeConfig>
configOf(const DeviceKernel &kernel, std::vector<uint32_t> compileTime) {
  if (kernel.processor == Processor::Compute) {
    ComputeConfig config;
    config.math_fidelity = fidelityOf(kernel.compute.fidelity);
    config.fp32_dest_acc_en = kernel.compute.f32Destination;
    config.dst_full_sync_en = kernel.compute.fullSync;
    config.math_approx_mode = false;
    config.compile_args = std::move(compileTime);
    return config;
  }
  const bool first = kernel.processor == Processor::DataMovement0;
  DataMovementConfig config;
  config.processor =
      first ? DataMovementProcessor::RISCV_0 : DataMovementProcessor::RISCV_1;
  config.noc = first ? NOC::NOC_0 : NOC::NOC_1;
  config.compile_args = std::move(compileTime);
  return config;
}

} // namespace

MeshCoordinate MetalProgram::placeOf(uint32_t device, const MeshDevice &mesh) {
  const auto columns = static_cast<uint32_t>(mesh.num_cols());
  return MeshCoordinate(device / columns, device % columns);
}

Result<std::unique_ptr<MetalProgram>>
MetalProgram::make(const DeviceProgram &program, MeshDevice &mesh) {
  std::unique_ptr<MetalProgram> made(new MetalProgram(program, mesh));
  made->allocate();
  for (uint32_t device = 0; device < program.devices.size(); ++device)
    if (Status status = made->makeDevice(device); !status)
      return status.in("device " + std::to_string(device));
  return made;
}

void MetalProgram::allocate() {
  for (const DeviceBuffer &buffer : program.buffers) {
    DeviceLocalBufferConfig local;
    local.page_size = buffer.pageBytes;
    local.buffer_type = BufferType::DRAM;
    ReplicatedBufferConfig global;
    global.size = uint64_t{buffer.pageBytes} * buffer.pages;
    buffers.push_back(MeshBuffer::create(global, local, &mesh));
  }
  // A semaphore has one address on all cores of all devices.
  std::vector<DeviceCore> cores;
  for (const OneDevice &device : program.devices)
    for (const DeviceKernel &kernel : device.kernels)
      for (DeviceCore core : coresOf(kernel))
        cores.push_back(core);
  for (size_t i = 0; i < program.globalSemaphores.size(); ++i)
    semaphores.push_back(CreateGlobalSemaphore(mesh, rangesOf(cores), 0));
}

Status MetalProgram::makeDevice(uint32_t number) {
  const OneDevice &device = program.devices[number];
  if (device.kernels.empty())
    return Status::success();
  current = CreateProgram();
  makeCircularBuffers(device);
  if (Status status = makeSemaphores(device); !status)
    return status;
  for (const DeviceKernel &kernel : device.kernels)
    if (Status status = makeKernel(number, kernel); !status)
      return status.in(kernel.source);
  launched.add_program(MeshCoordinateRange(placeOf(number, mesh)),
                       std::move(current));
  return Status::success();
}

void MetalProgram::makeCircularBuffers(const OneDevice &device) {
  for (const CircularBuffer &buffer : device.circularBuffers) {
    const auto index = static_cast<uint8_t>(buffer.index);
    const uint32_t bytes = tileBytes(buffer.format);
    CircularBufferConfig config(buffer.pages * bytes,
                                {{index, formatOf(buffer.format)}});
    config.set_page_size(index, bytes);
    CreateCircularBuffer(current, rangesOf(buffer.cores), config);
  }
}

/// Semaphores come before all else that takes numbers, connections above all:
/// tables name them by their place in the list.
Status MetalProgram::makeSemaphores(const OneDevice &device) {
  for (uint32_t i = 0; i < device.semaphores.size(); ++i) {
    const LocalSemaphore &semaphore = device.semaphores[i];
    const uint32_t number =
        CreateSemaphore(current, rangesOf(semaphore.cores), semaphore.initial);
    if (number != i)
      return error("expects semaphore ", i,
                   " to have its place in the list as its number, but "
                   "TT-Metalium gave it ",
                   number);
  }
  return Status::success();
}

std::vector<uint32_t>
MetalProgram::wordsOf(const std::vector<DeviceArgument> &arguments) const {
  using Kind = DeviceArgument::Kind;
  std::vector<uint32_t> words;
  for (const DeviceArgument &argument : arguments)
    switch (argument.kind) {
    case Kind::Scalar:
    case Kind::LocalSemaphore:
      words.push_back(argument.value);
      break;
    case Kind::BufferAddress:
      words.push_back(
          static_cast<uint32_t>(buffers[argument.value]->address()));
      break;
    case Kind::BufferAccessor:
      TensorAccessorArgs(*buffers[argument.value]).append_to(words);
      break;
    case Kind::GlobalSemaphore:
      words.push_back(
          static_cast<uint32_t>(semaphores[argument.value].address()));
      break;
    case Kind::CoreOnNoc: {
      const CoreCoord core = mesh.worker_core_from_logical_core(
          CoreCoord(argument.value & 0xffff, argument.value >> 16));
      words.push_back(static_cast<uint32_t>(core.x | core.y << 16));
      break;
    }
    }
  return words;
}

Status MetalProgram::makeKernel(uint32_t device, const DeviceKernel &kernel) {
  Result<std::string> text = kernelText(kernel.source, kernel.defines);
  if (!text)
    return text.status();
  const KernelHandle handle =
      CreateKernelFromString(current, *text, rangesOf(coresOf(kernel)),
                             configOf(kernel, wordsOf(kernel.compileTime)));
  if (!kernel.common.empty())
    SetCommonRuntimeArgs(current, handle, wordsOf(kernel.common));
  for (const KernelOnCore &share : kernel.cores) {
    std::vector<uint32_t> words = wordsOf(share.arguments);
    if (Status status = connect(device, share, words); !status)
      return status;
    SetRuntimeArgs(current, handle, coordOf(share.core), words);
  }
  return Status::success();
}

Status MetalProgram::connect(uint32_t device, const KernelOnCore &share,
                             std::vector<uint32_t> &words) {
  for (const FabricConnection &connection : share.connections) {
    const tt::tt_fabric::FabricNodeId from = mesh.get_fabric_node_id(
                                          placeOf(device, mesh)),
                                      to = mesh.get_fabric_node_id(
                                          placeOf(connection.neighbour, mesh));
    const std::vector<uint32_t> links =
        tt::tt_fabric::get_forwarding_link_indices(from, to);
    if (connection.link >= links.size())
      return error("expects ", connection.link + 1, " links to device ",
                   connection.neighbour, ", but got ", links.size());
    tt::tt_fabric::append_fabric_connection_rt_args(
        from, to, links[connection.link], current, coordOf(share.core), words);
  }
  return Status::success();
}

Status MetalProgram::checkCounters() const {
  const std::vector<IDevice *> devices = mesh.get_devices();
  for (size_t number = 0; number < program.devices.size(); ++number)
    for (const DeviceKernel &kernel : program.devices[number].kernels)
      for (DeviceCore core : coresOf(kernel))
        for (size_t i = 0; i < semaphores.size(); ++i) {
          std::vector<uint32_t> count;
          tt::tt_metal::detail::ReadFromDeviceL1(
              devices[number], coordOf(core),
              static_cast<uint32_t>(semaphores[i].address()), sizeof(uint32_t),
              count);
          if (count[0])
            return error("expects \"", program.globalSemaphores[i].name,
                         "\" to be 0 after the last launch, but on device ",
                         number, " it is ", count[0]);
        }
  return Status::success();
}

} // namespace ring::rt
