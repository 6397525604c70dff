// SPDX-License-Identifier: Apache-2.0

#include "HostText.h"

namespace mlir::ring {

const char kMetaliumStructures[] =
    R"cpp(#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;

/// A word, or what becomes words when the program is set up.
enum class Kind { Scalar, BufferAddress, BufferAccessor, GlobalSemaphore, LocalSemaphore, CoreOnNoc };
struct Argument {
  Argument(uint32_t value) : kind(Kind::Scalar), value(value) {}
  Argument(Kind kind, uint32_t value) : kind(kind), value(value) {}
  Kind kind;
  uint32_t value;
};
using Arguments = std::vector<Argument>;
using Cores = std::vector<std::pair<uint32_t, uint32_t>>;

struct Buffer {
  const char *name;
  uint32_t pageBytes, pages;
};
struct Circular {
  uint8_t index;
  bool wide; ///< f32, else bf16
  uint32_t pages;
  Cores cores;
};
struct Counter {
  Cores cores;
  uint32_t initial;
};
struct Connection {
  uint32_t neighbour, link;
};
struct OnCore {
  std::pair<uint32_t, uint32_t> core;
  Arguments own;
  std::vector<Connection> connections;
};
enum class Runs { DataMovement0, DataMovement1, Compute };
struct Kernel {
  int text;
  Runs runs;
  bool wideRegisters, fullSync;
  Arguments compileTime, common;
  std::vector<OnCore> cores;
};
struct Device {
  uint32_t rank; ///< in its ring
  std::vector<uint32_t> ring;
  std::vector<Circular> circulars;
  std::vector<Counter> counters;
  std::vector<Kernel> kernels;
};

/// Rows of keys that a rank sees: which rank's shard they come from, the input,
/// the row of tiles in it, how many keys, and where they are in the sequence.
struct Seen {
  uint32_t rank, input, row, keys;
  int64_t position, stride;
};
struct Queries {
  uint32_t row;
  int64_t position, stride;
};
struct Rank {
  std::vector<Queries> queries;
  std::vector<Seen> seen;
};
/// Keys and values that are there from the start.
struct Input {
  uint32_t keys, values; ///< buffers
  uint32_t rows;         ///< of tiles, of a head
};
)cpp";

const char kMetaliumHost[] =
    R"cpp(
//===----------------------------------------------------------------------===//
// Numbers and tiles
//===----------------------------------------------------------------------===//

using Matrix = std::vector<float>; ///< heads x rows x columns

float rounded(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, 4);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&number, &bits, 4);
  return number;
}

Matrix drawn(size_t count, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  Matrix numbers(count);
  for (float &number : numbers)
    number = rounded(normal(generator));
  return numbers;
}

/// Where a number is in tiles of 32 x 32, four faces of 16 x 16 each.
size_t placeOf(size_t row, size_t column, size_t columns) {
  const size_t tile = row / 32 * ((columns + 31) / 32) + column / 32;
  const size_t face = row % 32 / 16 * 2 + column % 32 / 16;
  return tile * 1024 + face * 256 + row % 16 * 16 + column % 16;
}

/// Rows of all heads behind each other, every head in whole tiles.
std::vector<uint8_t> tilesOf(const Matrix &numbers, size_t rows, size_t columns) {
  std::vector<uint8_t> bytes(rows * ((columns + 31) / 32 * 32) * 2);
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      uint32_t bits;
      std::memcpy(&bits, &numbers[row * columns + column], 4);
      const uint16_t high = bits >> 16;
      std::memcpy(&bytes[2 * placeOf(row, column, columns)], &high, 2);
    }
  return bytes;
}

float numberAt(const std::vector<uint8_t> &bytes, size_t place, bool wide) {
  uint32_t bits = 0;
  if (wide) {
    std::memcpy(&bits, &bytes[4 * place], 4);
  } else {
    uint16_t high;
    std::memcpy(&high, &bytes[2 * place], 2);
    bits = uint32_t{high} << 16;
  }
  float number;
  std::memcpy(&number, &bits, 4);
  return number;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

CoreRangeSet rangesOf(const Cores &cores) {
  std::set<CoreRange> ranges;
  for (auto [x, y] : cores)
    ranges.insert(CoreRange(CoreCoord(x, y)));
  return CoreRangeSet(ranges);
}

class Launch {
public:
  explicit Launch(MeshDevice &mesh) : mesh(mesh) {
    for (const Buffer &buffer : kBuffers)
      buffers.push_back(MeshBuffer::create(
          ReplicatedBufferConfig{.size = uint64_t{buffer.pageBytes} * buffer.pages},
          DeviceLocalBufferConfig{.page_size = buffer.pageBytes, .buffer_type = BufferType::DRAM}, &mesh));
    Cores all;
    for (const Device &device : kDevices)
      for (const Kernel &kernel : device.kernels)
        for (const OnCore &share : kernel.cores)
          all.push_back(share.core);
    for (uint32_t i = 0; i < kGlobalSemaphores; ++i)
      semaphores.push_back(CreateGlobalSemaphore(&mesh, rangesOf(all), 0));
    for (size_t number = 0; number < kDevices.size(); ++number)
      if (!kDevices[number].kernels.empty())
        workload.add_program(MeshCoordinateRange(placeOfDevice(number)), programOf(number));
  }

  MeshCoordinate placeOfDevice(size_t number) const {
    return MeshCoordinate(static_cast<uint32_t>(number / kColumns), static_cast<uint32_t>(number % kColumns));
  }

  MeshDevice &mesh;
  std::vector<std::shared_ptr<MeshBuffer>> buffers;
  std::vector<GlobalSemaphore> semaphores;
  MeshWorkload workload;

private:
  std::vector<uint32_t> wordsOf(const Arguments &arguments) {
    std::vector<uint32_t> words;
    for (const Argument &argument : arguments)
      switch (argument.kind) {
      case Kind::Scalar:
      case Kind::LocalSemaphore:
        words.push_back(argument.value);
        break;
      case Kind::BufferAddress:
        words.push_back(static_cast<uint32_t>(buffers[argument.value]->address()));
        break;
      case Kind::BufferAccessor:
        TensorAccessorArgs(*buffers[argument.value]).append_to(words);
        break;
      case Kind::GlobalSemaphore:
        words.push_back(static_cast<uint32_t>(semaphores[argument.value].address()));
        break;
      case Kind::CoreOnNoc: {
        const CoreCoord core = mesh.worker_core_from_logical_core(CoreCoord(argument.value & 0xffff, argument.value >> 16));
        words.push_back(static_cast<uint32_t>(core.x | core.y << 16));
        break;
      }
      }
    return words;
  }

  std::variant<DataMovementConfig, ComputeConfig> configOf(const Kernel &kernel) {
    if (kernel.runs == Runs::Compute) {
      ComputeConfig config;
      config.math_fidelity = kFidelity;
      config.fp32_dest_acc_en = kernel.wideRegisters;
      config.dst_full_sync_en = kernel.fullSync;
      config.compile_args = wordsOf(kernel.compileTime);
      return config;
    }
    DataMovementConfig config;
    config.processor = kernel.runs == Runs::DataMovement0 ? DataMovementProcessor::RISCV_0 : DataMovementProcessor::RISCV_1;
    config.noc = kernel.runs == Runs::DataMovement0 ? NOC::NOC_0 : NOC::NOC_1;
    config.compile_args = wordsOf(kernel.compileTime);
    return config;
  }

  Program programOf(size_t number) {
    const Device &device = kDevices[number];
    Program program = CreateProgram();
    for (const Circular &circular : device.circulars) {
      const uint32_t bytes = circular.wide ? 4096 : 2048;
      CircularBufferConfig config(circular.pages * bytes,
                                  {{circular.index, circular.wide ? tt::DataFormat::Float32 : tt::DataFormat::Float16_b}});
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
          CreateKernelFromString(program, kTexts[kernel.text], rangesOf(cores), configOf(kernel));
      if (!kernel.common.empty())
        SetCommonRuntimeArgs(program, handle, wordsOf(kernel.common));
      for (const OnCore &share : kernel.cores) {
        const CoreCoord core(share.core.first, share.core.second);
        std::vector<uint32_t> words = wordsOf(share.own);
        for (const Connection &connection : share.connections) {
          const auto from = mesh.get_fabric_node_id(placeOfDevice(number));
          const auto to = mesh.get_fabric_node_id(placeOfDevice(connection.neighbour));
          const std::vector<uint32_t> links = tt::tt_fabric::get_forwarding_link_indices(from, to);
          if (connection.link >= links.size())
            throw std::runtime_error("expects " + std::to_string(connection.link + 1) + " links to a neighbour, but got " +
                                     std::to_string(links.size()));
          tt::tt_fabric::append_fabric_connection_rt_args(from, to, links[connection.link], program, core, words);
        }
        SetRuntimeArgs(program, handle, core, words);
      }
    }
    return program;
  }
};

//===----------------------------------------------------------------------===//
// Numbers in, numbers out
//===----------------------------------------------------------------------===//

/// What every device holds when the launch begins.
struct Inputs {
  Matrix queries;
  std::vector<Matrix> keys, values; ///< by input
};

Inputs drawInputs(size_t device, uint64_t seed) {
  Inputs inputs;
  const uint64_t first = seed * 1000003 + device * 1009;
  inputs.queries = drawn(size_t{kBatch} * kQueryHeads * kQueryRows * 32 * kHeadDim, first);
  for (size_t i = 0; i < kInputs.size(); ++i) {
    const size_t rows = size_t{kBatch} * kKeyHeads * kInputs[i].rows * 32;
    inputs.keys.push_back(drawn(rows * kHeadDim, first + 2 * i + 1));
    inputs.values.push_back(drawn(rows * kValueDim, first + 2 * i + 2));
  }
  return inputs;
}

/// One row of the attention, in double precision.
std::vector<double> reference(const std::vector<Inputs> &inputs, const Device &device, size_t number, uint32_t head,
                              uint32_t row) {
  const Rank &rank = kRanks[device.rank];
  const Queries *queries = &rank.queries.front();
  for (const Queries &one : rank.queries)
    if (one.row <= row / 32)
      queries = &one;
  const int64_t position = queries->position + (int64_t{row} - queries->row * 32) * queries->stride;
  const float *query = &inputs[number].queries[(size_t{head} * kQueryRows * 32 + row) * kHeadDim];
  const uint32_t keyHead = head / (kQueryHeads / kKeyHeads);
  std::vector<double> output(kValueDim);
  double most = -INFINITY, sum = 0;
  for (const Seen &seen : rank.seen) {
    const Inputs &from = inputs[device.ring[seen.rank]];
    for (uint32_t i = 0; i < seen.keys; ++i) {
      const int64_t at = seen.position + i * seen.stride;
      if (at < position - kBefore || at > position + kAfter)
        continue;
      const size_t key = (size_t{keyHead} * kInputs[seen.input].rows + seen.row) * 32 + i;
      double score = 0;
      for (uint32_t d = 0; d < kHeadDim; ++d)
        score += double(query[d]) * from.keys[seen.input][key * kHeadDim + d];
      score *= kScale;
      const double next = std::max(most, score), old = std::exp(most - next), own = std::exp(score - next);
      for (uint32_t d = 0; d < kValueDim; ++d)
        output[d] = output[d] * old + own * from.values[seen.input][key * kValueDim + d];
      sum = sum * old + own;
      most = next;
    }
  }
  for (double &number : output)
    number = sum ? number / sum : 0;
  return output;
}

/// Writes what the devices gave as numbers in f32, device after device.
void save(const char *path, const std::vector<std::vector<uint8_t>> &outputs) {
  std::ofstream file(path, std::ios::binary);
  for (const std::vector<uint8_t> &bytes : outputs)
    for (size_t row = 0; row < size_t{kBatch} * kQueryHeads * kQueryRows * 32; ++row)
      for (size_t column = 0; column < kValueDim; ++column) {
        const float number = numberAt(bytes, placeOf(row, column, kValueDim), kWideOutputs);
        file.write(reinterpret_cast<const char *>(&number), 4);
      }
}

int run(uint64_t seed, const char *path) {
  if (kDevices.size() > 1)
    tt::tt_fabric::SetFabricConfig(kCloses ? tt::tt_fabric::FabricConfig::FABRIC_1D_RING
                                           : tt::tt_fabric::FabricConfig::FABRIC_1D);
  std::shared_ptr<MeshDevice> mesh = MeshDevice::create(MeshDeviceConfig(MeshShape(kRows, kColumns)));
  double squares = 0, wrong = 0, worst = 0;
  {
    Launch launch(*mesh);
    MeshCommandQueue &queue = mesh->mesh_command_queue();
    std::vector<Inputs> inputs;
    for (size_t device = 0; device < kDevices.size(); ++device) {
      inputs.push_back(drawInputs(device, seed));
      auto write = [&](uint32_t buffer, const Matrix &numbers, uint32_t columns) {
        std::vector<uint8_t> bytes = tilesOf(numbers, numbers.size() / columns, columns);
        WriteShard(queue, launch.buffers[buffer], bytes, launch.placeOfDevice(device), true);
      };
      write(kQueries, inputs.back().queries, kHeadDim);
      for (size_t i = 0; i < kInputs.size(); ++i) {
        write(kInputs[i].keys, inputs.back().keys[i], kHeadDim);
        write(kInputs[i].values, inputs.back().values[i], kValueDim);
      }
    }
    EnqueueMeshWorkload(queue, launch.workload, false);
    Finish(queue);

    std::vector<std::vector<uint8_t>> outputs(kDevices.size());
    for (size_t device = 0; device < kDevices.size(); ++device)
      ReadShard(queue, outputs[device], launch.buffers[kOutputs], launch.placeOfDevice(device), true);
    if (path)
      save(path, outputs);
    for (size_t device = 0; device < kDevices.size(); ++device)
      for (uint32_t head = 0; head < kBatch * kQueryHeads; ++head)
        for (uint32_t row = 0; row < kValidRows; ++row) {
          const std::vector<double> right = reference(inputs, kDevices[device], device, head, row);
          for (uint32_t d = 0; d < kValueDim; ++d) {
            const size_t place = placeOf(size_t{head} * kQueryRows * 32 + row, d, kValueDim);
            const double off = numberAt(outputs[device], place, kWideOutputs) - right[d];
            squares += right[d] * right[d];
            wrong += off * off;
            worst = std::isfinite(off) ? std::max(worst, std::fabs(off)) : INFINITY;
          }
        }
  }
  mesh->close();
  const double relative = std::sqrt(wrong / squares);
  const bool passed = std::isfinite(relative) && relative < 0.02;
  std::printf("%s: relative rms %.3g, worst %.3g\n", passed ? "passed" : "FAILED", relative, worst);
  return passed ? 0 : 1;
}

} // namespace

/// main [SEED [FILE]]: FILE gets the outputs of all devices in f32.
int main(int count, char **arguments) {
  try {
    return run(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1, count > 2 ? arguments[2] : nullptr);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
)cpp";

} // namespace mlir::ring
