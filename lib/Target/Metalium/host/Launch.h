// SPDX-License-Identifier: Apache-2.0
// A launch on a mesh: its buffers, and a program for every device.

#ifndef RING_METALIUM_LAUNCH_H
#define RING_METALIUM_LAUNCH_H

#include "Tables.h"

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <variant>

namespace ring {

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

inline CoreRangeSet rangesOf(const Cores &cores) {
  std::set<CoreRange> ranges;
  for (auto [x, y] : cores)
    ranges.insert(CoreRange(CoreCoord(x, y)));
  return CoreRangeSet(ranges);
}

class Launch {
public:
  Launch(MeshDevice &mesh, uint32_t columns, const LaunchTable &table)
      : mesh(mesh), columns(columns), table(table) {
    for (const Buffer &buffer : table.buffers)
      buffers.push_back(MeshBuffer::create(
          ReplicatedBufferConfig{.size =
                                     uint64_t{buffer.pageBytes} * buffer.pages},
          DeviceLocalBufferConfig{.page_size = buffer.pageBytes,
                                  .buffer_type = BufferType::DRAM},
          &mesh));
    Cores all;
    for (const Device &device : table.devices)
      for (const Kernel &kernel : device.kernels)
        for (const OnCore &share : kernel.cores)
          all.push_back(share.core);
    for (uint32_t i = 0; i < table.globalSemaphores; ++i)
      semaphores.push_back(CreateGlobalSemaphore(&mesh, rangesOf(all), 0));
    for (size_t number = 0; number < table.devices.size(); ++number)
      if (!table.devices[number].kernels.empty())
        workload.add_program(MeshCoordinateRange(placeOf(number)),
                             programOf(number));
  }

  void write(uint32_t buffer, size_t device, std::vector<uint8_t> bytes) {
    WriteShard(mesh.mesh_command_queue(), buffers[buffer], bytes,
               placeOf(device), true);
  }
  void run() {
    EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
    Finish(mesh.mesh_command_queue());
  }
  std::vector<uint8_t> read(uint32_t buffer, size_t device) {
    std::vector<uint8_t> bytes;
    ReadShard(mesh.mesh_command_queue(), bytes, buffers[buffer],
              placeOf(device), true);
    return bytes;
  }

private:
  MeshCoordinate placeOf(size_t device) const {
    return MeshCoordinate(static_cast<uint32_t>(device / columns),
                          static_cast<uint32_t>(device % columns));
  }

  std::vector<uint32_t> wordsOf(const Arguments &arguments) {
    std::vector<uint32_t> words;
    for (const Argument &argument : arguments)
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

  std::variant<DataMovementConfig, ComputeConfig>
  configOf(const Kernel &kernel) {
    if (kernel.runs == Runs::Compute) {
      ComputeConfig config;
      config.math_fidelity = table.fidelity;
      config.fp32_dest_acc_en = kernel.wideRegisters;
      config.dst_full_sync_en = kernel.fullSync;
      config.compile_args = wordsOf(kernel.compileTime);
      return config;
    }
    const bool first = kernel.runs == Runs::DataMovement0;
    DataMovementConfig config;
    config.processor =
        first ? DataMovementProcessor::RISCV_0 : DataMovementProcessor::RISCV_1;
    config.noc = first ? NOC::NOC_0 : NOC::NOC_1;
    config.compile_args = wordsOf(kernel.compileTime);
    return config;
  }

  Program programOf(size_t number) {
    const Device &device = table.devices[number];
    Program program = CreateProgram();
    for (const Circular &circular : device.circulars) {
      const uint32_t bytes = circular.wide ? 4096 : 2048;
      CircularBufferConfig config(
          circular.pages * bytes,
          {{circular.index, circular.wide ? tt::DataFormat::Float32
                                          : tt::DataFormat::Float16_b}});
      config.set_page_size(circular.index, bytes);
      CreateCircularBuffer(program, rangesOf(circular.cores), config);
    }
    // Before connections, which take numbers too: tables name them by place.
    for (const Counter &counter : device.counters)
      CreateSemaphore(program, rangesOf(counter.cores), counter.initial);
    for (const Kernel &kernel : device.kernels) {
      Cores cores;
      for (const OnCore &share : kernel.cores)
        cores.push_back(share.core);
      const KernelHandle handle =
          CreateKernel(program, std::string(RING_KERNELS) + kernel.file,
                       rangesOf(cores), configOf(kernel));
      if (!kernel.common.empty())
        SetCommonRuntimeArgs(program, handle, wordsOf(kernel.common));
      for (const OnCore &share : kernel.cores) {
        const CoreCoord core(share.core.first, share.core.second);
        std::vector<uint32_t> words = wordsOf(share.own);
        for (const Connection &connection : share.connections)
          connect(program, number, connection, core, words);
        SetRuntimeArgs(program, handle, core, words);
      }
    }
    return program;
  }

  void connect(Program &program, size_t number, const Connection &connection,
               const CoreCoord &core, std::vector<uint32_t> &words) {
    const auto from = mesh.get_fabric_node_id(placeOf(number));
    const auto to = mesh.get_fabric_node_id(placeOf(connection.neighbour));
    const std::vector<uint32_t> links =
        tt::tt_fabric::get_forwarding_link_indices(from, to);
    if (connection.link >= links.size())
      throw std::runtime_error(
          "expects " + std::to_string(connection.link + 1) +
          " links to a neighbour, but got " + std::to_string(links.size()));
    tt::tt_fabric::append_fabric_connection_rt_args(
        from, to, links[connection.link], program, core, words);
  }

  MeshDevice &mesh;
  uint32_t columns;
  const LaunchTable &table;
  std::vector<std::shared_ptr<MeshBuffer>> buffers;
  std::vector<GlobalSemaphore> semaphores;
  MeshWorkload workload;
};

} // namespace ring

#endif // RING_METALIUM_LAUNCH_H
