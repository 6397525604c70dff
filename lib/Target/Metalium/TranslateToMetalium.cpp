// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a launch as C++, between the parts that are the same in
// all programs.

#include "HostText.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring-runtime/KernelSources.h"
#include "ring/InitDialects.h"
#include "ring/Target/Metalium.h"
#include "ring/Target/Program.h"
#include "llvm/Support/Format.h"

#include <map>

namespace mlir::ring {

namespace {

namespace rt = ::ring::rt;
using Kind = rt::DeviceArgument::Kind;

class MetaliumWriter {
public:
  MetaliumWriter(LaunchOp launch, raw_ostream &output)
      : launch(launch), output(output) {}

  LogicalResult write();

private:
  LogicalResult describe();
  LogicalResult writeTexts();
  void writeSizes();
  void writeDevices();
  LogicalResult writeRanks();
  FailureOr<std::pair<uint32_t, rt::RowRange>>
  originOf(uint32_t rank, uint32_t &store, rt::RowRange rows,
           std::optional<std::pair<uint32_t, uint32_t>> arrival);

  void write(const std::vector<rt::DeviceArgument> &arguments);
  void write(const std::vector<rt::DeviceCore> &cores);
  int textOf(const rt::DeviceKernel &kernel) {
    return texts.at({kernel.source, kernel.defines});
  }

  LaunchOp launch;
  raw_ostream &output;
  rt::LaunchDescription description;
  rt::AttentionProgram attention;
  rt::DeviceProgram devices;
  SmallVector<int64_t> mesh = {1, 1};
  std::map<std::pair<std::string, std::vector<std::string>>, int> texts;
  /// The input of a store, or nothing if transfers land in it.
  std::vector<std::optional<uint32_t>> inputOf;
};

LogicalResult MetaliumWriter::describe() {
  FailureOr<rt::LaunchDescription> described = describeLaunch(launch);
  if (failed(described))
    return failure();
  description = std::move(*described);
  if (description.options.sink)
    return launch.emitOpError("expects no sink for TT-Metalium programs, which "
                              "draw queries, keys and values alone");
  launch.getBody().walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](AxisAttr axis) {
      mesh.assign(axis.getMesh().begin(), axis.getMesh().end());
    });
  });
  if (mesh.size() != 2)
    return launch.emitOpError("expects a mesh of two axes, but got ")
           << mesh.size();
  rt::Result<rt::AttentionProgram> made = rt::attentionProgram(
      description.schedule, description.sizes, description.options);
  if (!made)
    return launch.emitOpError(made.message());
  attention = std::move(*made);
  rt::Result<rt::DeviceProgram> all =
      rt::sideBySide(attention.program, description.rings, mesh[0] * mesh[1]);
  if (!all)
    return launch.emitOpError(all.message());
  devices = std::move(*all);
  return success();
}

LogicalResult MetaliumWriter::writeTexts() {
  output << "\nconst char *const kTexts[] = {\n";
  for (const rt::OneDevice &device : devices.devices)
    for (const rt::DeviceKernel &kernel : device.kernels) {
      auto [known, isNew] = texts.try_emplace({kernel.source, kernel.defines},
                                              static_cast<int>(texts.size()));
      if (!isNew)
        continue;
      rt::Result<std::string> text =
          rt::kernelText(kernel.source, kernel.defines);
      if (!text)
        return launch.emitOpError(text.message());
      output << "// " << kernel.source << "\nR\"kernel(" << *text
             << ")kernel\",\n";
    }
  output << "};\n";
  return success();
}

void MetaliumWriter::writeSizes() {
  const rt::AttentionSizes &sizes = description.sizes;
  auto constant = [&](const char *type, const char *name) -> raw_ostream & {
    return output << "constexpr " << type << " " << name << " = ";
  };
  auto number = [&](const char *name, int64_t value) {
    constant("uint32_t", name) << value << ";\n";
  };
  output << "\n";
  number("kRows", mesh[0]);
  number("kColumns", mesh[1]);
  number("kBatch", sizes.batch);
  number("kQueryHeads", sizes.queryHeads);
  number("kKeyHeads", sizes.keyHeads);
  number("kHeadDim", sizes.headDim);
  number("kValueDim", sizes.valueDim);
  number("kQueryRows", sizes.queryRows);
  number("kValidRows", cast<RankedTensorType>(
                           launch.getInputs()[description.queries].getType())
                           .getDimSize(2));
  number("kQueries", attention.queries);
  number("kOutputs", attention.outputs);
  number("kGlobalSemaphores", devices.globalSemaphores.size());
  const ::ring::positions::Band &band = description.schedule.band;
  constexpr int64_t kAll = int64_t{1} << 40;
  constant("int64_t", "kBefore") << band.before.value_or(kAll) << ";\n";
  constant("int64_t", "kAfter") << band.after.value_or(kAll) << ";\n";
  constant("double", "kScale")
      << llvm::format("%.9g", description.options.scale) << ";\n";
  constant("bool", "kWideOutputs")
      << (description.options.outputFormat == rt::TileFormat::F32) << ";\n";
  const auto &ranks = description.schedule.devices;
  const bool closes = ranks.size() > 2 && (!ranks.back().sends[0].empty() ||
                                           !ranks.front().sends[1].empty());
  constant("bool", "kCloses") << closes << ";\n";
  const char *const names[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
  constant("MathFidelity", "kFidelity")
      << "MathFidelity::"
      << names[static_cast<int>(description.options.compute.fidelity)] << ";\n";
  output << "\nconst std::vector<Buffer> kBuffers = {\n";
  for (const rt::DeviceBuffer &buffer : devices.buffers)
    output << "    {\"" << buffer.name << "\", " << buffer.pageBytes << ", "
           << buffer.pages << "},\n";
  output << "};\n\nconst std::vector<Input> kInputs = {\n";
  uint32_t inputs = 0;
  inputOf.resize(description.stores.size());
  for (size_t store = 0; store < description.stores.size(); ++store)
    if (description.stores[store].keys != rt::kAbsent) {
      inputOf[store] = inputs++;
      output << "    {" << attention.keys[store] << ", "
             << attention.values[store] << ", "
             << description.schedule.storeRows[store] << "},\n";
    }
  output << "};\n";
}

void MetaliumWriter::write(const std::vector<rt::DeviceArgument> &arguments) {
  static const char *const kKinds[] = {"Scalar",         "BufferAddress",
                                       "BufferAccessor", "GlobalSemaphore",
                                       "LocalSemaphore", "CoreOnNoc"};
  output << "{";
  for (const rt::DeviceArgument &one : arguments) {
    if (one.kind == Kind::Scalar)
      output << one.value << "u, ";
    else
      output << "{Kind::" << kKinds[static_cast<int>(one.kind)] << ", "
             << one.value << "u}, ";
  }
  output << "}";
}

void MetaliumWriter::write(const std::vector<rt::DeviceCore> &cores) {
  output << "{";
  for (rt::DeviceCore core : cores)
    output << "{" << core.x << ", " << core.y << "}, ";
  output << "}";
}

void MetaliumWriter::writeDevices() {
  static const char *const kProcessors[] = {"DataMovement0", "DataMovement1",
                                            "Compute"};
  output << "\nconst std::vector<Device> kDevices = {\n";
  for (uint32_t number = 0; number < devices.devices.size(); ++number) {
    const rt::OneDevice &device = devices.devices[number];
    for (const std::vector<uint32_t> &ring : description.rings)
      for (size_t rank = 0; rank < ring.size(); ++rank)
        if (ring[rank] == number) {
          output << "{" << rank << ", {";
          for (uint32_t member : ring)
            output << member << ", ";
          output << "},\n {";
        }
    for (const rt::CircularBuffer &buffer : device.circularBuffers) {
      output << "{" << buffer.index << ", "
             << (buffer.format == rt::TileFormat::F32) << ", " << buffer.pages
             << ", ";
      write(buffer.cores);
      output << "},\n  ";
    }
    output << "},\n {";
    for (const rt::LocalSemaphore &semaphore : device.semaphores) {
      output << "{";
      write(semaphore.cores);
      output << ", " << semaphore.initial << "},\n  ";
    }
    output << "},\n {";
    for (const rt::DeviceKernel &kernel : device.kernels) {
      output << "{" << textOf(kernel)
             << ", Runs::" << kProcessors[static_cast<int>(kernel.processor)]
             << ", " << kernel.compute.f32Destination << ", "
             << kernel.compute.fullSync << ",\n   ";
      write(kernel.compileTime);
      output << ",\n   ";
      write(kernel.common);
      output << ",\n   {";
      for (const rt::KernelOnCore &share : kernel.cores) {
        output << "{{" << share.core.x << ", " << share.core.y << "}, ";
        write(share.arguments);
        output << ", {";
        for (const rt::FabricConnection &connection : share.connections)
          output << "{" << connection.neighbour << ", " << connection.link
                 << "}, ";
        output << "}},\n    ";
      }
      output << "}},\n  ";
    }
    output << "}},\n";
  }
  output << "};\n";
}

/// Follows rows back through the transfers that brought them: the rank whose
/// shard they are of, the store there, and where in it.
FailureOr<std::pair<uint32_t, rt::RowRange>>
MetaliumWriter::originOf(uint32_t rank, uint32_t &store, rt::RowRange rows,
                         std::optional<std::pair<uint32_t, uint32_t>> arrival) {
  const auto ranks = static_cast<uint32_t>(description.schedule.devices.size());
  while (arrival) {
    auto [direction, number] = *arrival;
    rank = (rank + (direction ? 1 : ranks - 1)) % ranks;
    const rt::RowTransfer &send =
        description.schedule.devices[rank].sends[direction][number];
    rows.first = rows.first - send.toRow + send.rows.first;
    store = send.from;
    arrival.reset();
    if (send.arrival)
      arrival = std::make_pair(direction, *send.arrival);
  }
  if (!inputOf[store])
    return launch.emitOpError("expects rows that come from a shard");
  return std::make_pair(rank, rows);
}

LogicalResult MetaliumWriter::writeRanks() {
  output << "\nconst std::vector<Rank> kRanks = {\n";
  const auto &ranks = description.schedule.devices;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    output << "    {{";
    for (const rt::QueryRows &queries : ranks[rank].queries)
      output << "{" << queries.firstRow << ", " << queries.position << ", "
             << queries.stride << "}, ";
    output << "},\n     {";
    for (const rt::AttentionStep &step : ranks[rank].steps)
      for (const rt::RowPiece &piece : step.pieces) {
        uint32_t store = piece.store;
        auto origin = originOf(rank, store, piece.rows, piece.arrival);
        if (failed(origin))
          return failure();
        output << "{" << origin->first << ", " << *inputOf[store] << ", "
               << origin->second.first << ", " << piece.valid << ", "
               << piece.position << ", " << piece.stride << "}, ";
      }
    output << "}},\n";
  }
  output << "};\n";
  return success();
}

LogicalResult MetaliumWriter::write() {
  if (failed(describe()))
    return failure();
  output << "// Written by ring-translate --mlir-to-metalium.\n"
            "// Runs one attention on a mesh of "
         << mesh[0] << " x " << mesh[1]
         << " devices, and checks the results. ring-translate\n"
            "// --mlir-to-metalium-cmake writes the CMakeLists.txt that builds "
            "it as main.cpp.\n\n"
         << kMetaliumStructures;
  writeSizes();
  if (failed(writeTexts()))
    return failure();
  writeDevices();
  if (failed(writeRanks()))
    return failure();
  output << kMetaliumHost;
  return success();
}

} // namespace

LogicalResult translateToMetalium(ModuleOp module, raw_ostream &output) {
  SmallVector<LaunchOp> launches;
  module.walk([&](LaunchOp launch) { launches.push_back(launch); });
  if (launches.size() != 1)
    return emitError(module.getLoc(),
                     "expects one ring.launch, which the pipeline's "
                     "target=launch makes of an attention, but got ")
           << launches.size();
  return MetaliumWriter(launches.front(), output).write();
}

LogicalResult translateToMetaliumBuild(raw_ostream &output) {
  output << R"cmake(# Written by ring-translate --mlir-to-metalium-cmake.
cmake_minimum_required(VERSION 3.20)
project(attention CXX)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

# An installed TT-Metalium, or the build of one, in CMAKE_PREFIX_PATH.
find_package(TT-Metalium REQUIRED)
add_executable(attention main.cpp)
target_link_libraries(attention PRIVATE TT::Metalium)
)cmake";
  return success();
}

void registerToMetaliumTranslations() {
  auto registerDialects = [](DialectRegistry &registry) {
    registerRingDialects(registry);
    registerModelDialects(registry);
  };
  TranslateFromMLIRRegistration program(
      "mlir-to-metalium",
      "translate a launch to a C++ program that runs it with TT-Metalium",
      [](ModuleOp module, raw_ostream &output) {
        return translateToMetalium(module, output);
      },
      registerDialects);
  TranslateFromMLIRRegistration build(
      "mlir-to-metalium-cmake",
      "write the CMakeLists.txt that builds what --mlir-to-metalium writes as "
      "main.cpp",
      [](ModuleOp, raw_ostream &output) {
        return translateToMetaliumBuild(output);
      },
      registerDialects);
}

} // namespace mlir::ring
