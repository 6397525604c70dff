// SPDX-License-Identifier: Apache-2.0
// What an emitted program calls of TT-Metalium, with its names and signatures,
// on our tile machine: calls gather a device program, and a launch runs it.
// Addresses and places that are words there are marked words here, so that the
// program can be put together again.
#pragma once

#include "ring-runtime/AttentionProgram.h"
#include "ring-runtime/KernelSources.h"
#include "ring-runtime/TileMachine.h"

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace standin {
namespace rt = ring::rt;

/// Marks, in the high half of a word or in both of a place on the NoC.
constexpr uint32_t kAddress = 0x7a5a, kAccessor = 0x7a5b, kSemaphore = 0x7a5c, kConnection = 0x7a5d;
constexpr uint32_t kPlace = 0x5a00;

/// All that was made, on the one mesh that there is.
struct World {
  rt::DeviceProgram program;
  rt::MeshMemory memory;
  std::set<uint32_t> written;
  uint32_t rows = 1, columns = 1;
};
inline World world;
} // namespace standin

namespace tt {
enum class DataFormat { Float32, Float16_b };
}

namespace tt::tt_metal {

struct CoreCoord {
  CoreCoord(size_t x, size_t y) : x(x), y(y) {}
  size_t x, y;
};
struct CoreRange {
  explicit CoreRange(CoreCoord core) : core(core) {}
  bool operator<(const CoreRange &other) const {
    return std::pair(core.y, core.x) < std::pair(other.core.y, other.core.x);
  }
  CoreCoord core;
};
struct CoreRangeSet {
  explicit CoreRangeSet(const std::set<CoreRange> &ranges) {
    for (const CoreRange &range : ranges)
      cores.push_back({static_cast<uint32_t>(range.core.x), static_cast<uint32_t>(range.core.y)});
  }
  std::vector<ring::rt::DeviceCore> cores;
};

enum class MathFidelity { LoFi, HiFi2, HiFi3, HiFi4 };
enum class NOC { NOC_0, NOC_1 };
enum class DataMovementProcessor { RISCV_0, RISCV_1 };
enum class BufferType { DRAM, L1 };
struct DataMovementConfig {
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  NOC noc = NOC::NOC_0;
  std::vector<uint32_t> compile_args;
};
struct ComputeConfig {
  MathFidelity math_fidelity = MathFidelity::HiFi4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  std::vector<uint32_t> compile_args;
};

using KernelHandle = size_t;
struct Program {
  ring::rt::OneDevice device;
};
inline Program CreateProgram() { return {}; }

struct CircularBufferConfig {
  CircularBufferConfig(uint32_t bytes, const std::map<uint8_t, DataFormat> &formats) : bytes(bytes), formats(formats) {}
  CircularBufferConfig &set_page_size(uint8_t, uint32_t page) {
    pageBytes = page;
    return *this;
  }
  uint32_t bytes, pageBytes = 0;
  std::map<uint8_t, DataFormat> formats;
};
inline void CreateCircularBuffer(Program &program, const CoreRangeSet &cores, const CircularBufferConfig &config) {
  const auto [index, format] = *config.formats.begin();
  const bool wide = format == DataFormat::Float32;
  // Those that kernels reserve again with what they hold, by our own numbers.
  const bool inPlace = index == 6 || (index >= 11 && index <= 13) || (index >= 22 && index <= 24);
  program.device.circularBuffers.push_back({index, wide ? ring::rt::TileFormat::F32 : ring::rt::TileFormat::BF16,
                                            config.bytes / config.pageBytes, cores.cores, inPlace});
}
inline uint32_t CreateSemaphore(Program &program, const CoreRangeSet &cores, uint32_t initial) {
  program.device.semaphores.push_back({cores.cores, initial});
  return static_cast<uint32_t>(program.device.semaphores.size() - 1);
}

/// A word as what it was made of.
inline std::vector<ring::rt::DeviceArgument> argumentsOf(const std::vector<uint32_t> &words) {
  using Kind = ring::rt::DeviceArgument::Kind;
  std::vector<ring::rt::DeviceArgument> arguments;
  for (uint32_t word : words) {
    const uint32_t mark = word >> 16, number = word & 0xffff;
    if (mark == standin::kAddress)
      arguments.emplace_back(Kind::BufferAddress, number);
    else if (mark == standin::kAccessor)
      arguments.emplace_back(Kind::BufferAccessor, number);
    else if (mark == standin::kSemaphore)
      arguments.emplace_back(Kind::GlobalSemaphore, number);
    else if ((mark & 0xff00) == standin::kPlace && (number & 0xff00) == standin::kPlace)
      arguments.push_back(ring::rt::DeviceArgument::onNoc({number & 0xff, mark & 0xff}));
    else
      arguments.emplace_back(word);
  }
  return arguments;
}

inline KernelHandle CreateKernel(Program &program, const std::string &path, const CoreRangeSet &cores,
                                 const std::variant<DataMovementConfig, ComputeConfig> &config) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ring::rt::DeviceKernel kernel;
  for (const char *source : {"AttentionReader.cpp", "AttentionCompute.cpp", "AttentionWriter.cpp", "RingMover.cpp"})
    for (const std::vector<std::string> &defines :
         {std::vector<std::string>{}, std::vector<std::string>{"RING_APPROXIMATE_EXP"}})
      if (*ring::rt::kernelText(source, defines) == text) {
        kernel.source = source;
        kernel.defines = defines;
      }
  if (kernel.source.empty())
    throw std::runtime_error("expects the text of a kernel of ours in '" + path + "'");
  if (const auto *compute = std::get_if<ComputeConfig>(&config)) {
    kernel.processor = ring::rt::Processor::Compute;
    kernel.compute.fidelity = static_cast<ring::rt::MathFidelity>(compute->math_fidelity);
    kernel.compute.f32Destination = compute->fp32_dest_acc_en;
    kernel.compute.fullSync = compute->dst_full_sync_en;
    kernel.compileTime = argumentsOf(compute->compile_args);
  } else {
    const auto &mover = std::get<DataMovementConfig>(config);
    const bool first = mover.processor == DataMovementProcessor::RISCV_0;
    if (first != (mover.noc == NOC::NOC_0))
      throw std::runtime_error("expects each processor to have its own NoC");
    kernel.processor = first ? ring::rt::Processor::DataMovement0 : ring::rt::Processor::DataMovement1;
    kernel.compileTime = argumentsOf(mover.compile_args);
  }
  for (ring::rt::DeviceCore core : cores.cores)
    kernel.cores.push_back({core, {}, {}});
  program.device.kernels.push_back(kernel);
  return program.device.kernels.size() - 1;
}
inline void SetCommonRuntimeArgs(Program &program, KernelHandle kernel, const std::vector<uint32_t> &words) {
  program.device.kernels[kernel].common = argumentsOf(words);
}
inline void SetRuntimeArgs(Program &program, KernelHandle kernel, const CoreCoord &core,
                           std::vector<uint32_t> words) {
  std::vector<ring::rt::FabricConnection> connections;
  while (!words.empty() && words.back() >> 16 == standin::kConnection) {
    connections.insert(connections.begin(), {words.back() >> 8 & 0xff, words.back() & 0xff});
    words.pop_back();
  }
  for (ring::rt::KernelOnCore &share : program.device.kernels[kernel].cores)
    if (share.core.x == core.x && share.core.y == core.y) {
      share.arguments = argumentsOf(words);
      share.connections = connections;
    }
}

} // namespace tt::tt_metal
