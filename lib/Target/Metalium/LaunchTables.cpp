// SPDX-License-Identifier: Apache-2.0

#include "LaunchTables.h"
#include "ring-runtime/KernelSources.h"
#include "ring/Target/Program.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace mlir::ring {

namespace {

namespace rt = ::ring::rt;
using Kind = rt::DeviceArgument::Kind;

class HeaderWriter {
public:
  HeaderWriter(LaunchOp launch, unsigned number, ArrayRef<int64_t> mesh,
               KernelFiles &kernels)
      : launch(launch), number(number), mesh(mesh), kernels(kernels),
        output(text) {}

  FailureOr<LaunchHeader> write();

private:
  LogicalResult describe();
  LogicalResult addKernels();
  void writeSizes();
  void writeTensors();
  void writeDevices();
  void writeKernel(const rt::DeviceKernel &kernel);
  LogicalResult writeRanks();
  FailureOr<std::pair<uint32_t, rt::RowRange>>
  originOf(uint32_t rank, uint32_t &store, rt::RowRange rows,
           std::optional<std::pair<uint32_t, uint32_t>> arrival);

  void write(const std::vector<rt::DeviceArgument> &arguments);
  void write(const std::vector<rt::DeviceCore> &cores);
  /// A named member of the table; a comma and a line's end follow.
  raw_ostream &member(const char *name) {
    return output << "    ." << name << " = ";
  }
  bool closes() const {
    const auto &ranks = description.schedule.devices;
    return ranks.size() > 2 &&
           (!ranks.back().sends[0].empty() || !ranks.front().sends[1].empty());
  }

  LaunchOp launch;
  unsigned number;
  ArrayRef<int64_t> mesh;
  KernelFiles &kernels;
  std::string text;
  llvm::raw_string_ostream output;
  rt::LaunchDescription description;
  rt::AttentionProgram attention;
  rt::DeviceProgram devices;
  /// The number of a store among those that are there from the start, or
  /// nothing if transfers land in it.
  std::vector<std::optional<uint32_t>> given;
};

LogicalResult HeaderWriter::describe() {
  FailureOr<rt::LaunchDescription> described = describeLaunch(launch);
  if (failed(described))
    return failure();
  description = std::move(*described);
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

/// A kernel's file has the name of its source, and a number where texts of one
/// source differ.
LogicalResult HeaderWriter::addKernels() {
  for (const rt::OneDevice &device : devices.devices)
    for (const rt::DeviceKernel &kernel : device.kernels) {
      auto [known, isNew] =
          kernels.try_emplace({kernel.source, kernel.defines});
      if (!isNew)
        continue;
      rt::Result<std::string> source =
          rt::kernelText(kernel.source, kernel.defines);
      if (!source)
        return launch.emitOpError(source.message());
      const auto alike = llvm::count_if(kernels, [&](const auto &file) {
        return file.first.first == kernel.source;
      });
      std::string stem = llvm::sys::path::stem(kernel.source).str();
      if (alike > 1)
        stem += std::to_string(alike);
      known->second = {stem + ".cpp", *source};
    }
  return success();
}

void HeaderWriter::writeSizes() {
  static const char *const kFidelities[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
  const rt::AttentionSizes &sizes = description.sizes;
  const rt::AttentionOptions &options = description.options;
  const ::ring::positions::Band &band = description.schedule.band;
  constexpr int64_t kAll = int64_t{1} << 40;
  member("name") << "\"launch " << number << "\",\n";
  member("keyHeads") << sizes.keyHeads << ",\n";
  member("queryRows") << sizes.queryRows << ",\n";
  member("valueDim") << sizes.valueDim << ",\n";
  member("scale") << llvm::format("%.9g", options.scale) << ",\n";
  member("before") << band.before.value_or(kAll) << ",\n";
  member("after") << band.after.value_or(kAll) << ",\n";
  member("wideOutputs") << (options.outputFormat == rt::TileFormat::F32
                                ? "true"
                                : "false")
                        << ",\n";
  member("fidelity") << "tt::tt_metal::MathFidelity::"
                     << kFidelities[static_cast<int>(options.compute.fidelity)]
                     << ",\n";
  member("globalSemaphores") << devices.globalSemaphores.size() << ",\n";
}

void HeaderWriter::writeTensors() {
  member("buffers") << "{\n";
  for (const rt::DeviceBuffer &buffer : devices.buffers)
    output << "        {\"" << buffer.name << "\", " << buffer.pageBytes << ", "
           << buffer.pages << "},\n";
  output << "    },\n";
  member("queries") << "{" << description.queries << ", " << attention.queries
                    << "},\n";
  member("stores") << "{\n";
  uint32_t stores = 0;
  given.resize(description.stores.size());
  for (auto [store, values] : llvm::enumerate(description.stores))
    if (values.keys != rt::kAbsent) {
      given[store] = stores++;
      output << "        {{" << values.keys << ", " << attention.keys[store]
             << "}, {" << values.values << ", " << attention.values[store]
             << "}, " << description.schedule.storeRows[store] << "},\n";
    }
  output << "    },\n";
  member("sinks") << "{";
  if (description.sink != rt::kAbsent)
    output << "{" << description.sink << ", " << attention.sinks << "}";
  output << "},\n";
  member("masks") << "{";
  if (const auto &mask = description.sizes.mask)
    output << "{{" << description.mask << ", " << attention.mask << "}, "
           << mask->parts << "}";
  output << "},\n";
  member("outputs") << attention.outputs << ",\n";
  member("logSums") << attention.logSums << ",\n";
}

void HeaderWriter::write(const std::vector<rt::DeviceArgument> &arguments) {
  static const char *const kKinds[] = {"Scalar",         "BufferAddress",
                                       "BufferAccessor", "GlobalSemaphore",
                                       "LocalSemaphore", "CoreOnNoc"};
  output << "{";
  llvm::interleaveComma(arguments, output, [&](const rt::DeviceArgument &one) {
    if (one.kind == Kind::Scalar)
      output << one.value << "u";
    else
      output << "{Kind::" << kKinds[static_cast<int>(one.kind)] << ", "
             << one.value << "u}";
  });
  output << "}";
}

void HeaderWriter::write(const std::vector<rt::DeviceCore> &cores) {
  output << "{";
  llvm::interleaveComma(cores, output, [&](rt::DeviceCore core) {
    output << "{" << core.x << ", " << core.y << "}";
  });
  output << "}";
}

void HeaderWriter::writeKernel(const rt::DeviceKernel &kernel) {
  static const char *const kProcessors[] = {"DataMovement0", "DataMovement1",
                                            "Compute"};
  output << "          {\"" << kernels.at({kernel.source, kernel.defines}).path
         << "\", Runs::" << kProcessors[static_cast<int>(kernel.processor)]
         << ", " << (kernel.compute.f32Destination ? "true" : "false") << ", "
         << (kernel.compute.fullSync ? "true" : "false") << ",\n           ";
  write(kernel.compileTime);
  output << ",\n           ";
  write(kernel.common);
  output << ",\n           {\n";
  for (const rt::KernelOnCore &share : kernel.cores) {
    output << "               {{" << share.core.x << ", " << share.core.y
           << "}, ";
    write(share.arguments);
    output << ", {";
    llvm::interleaveComma(share.connections, output, [&](const auto &way) {
      output << "{" << way.neighbour << ", " << way.link << "}";
    });
    output << "}},\n";
  }
  output << "           }},\n";
}

void HeaderWriter::writeDevices() {
  member("devices") << "{\n";
  for (auto [place, device] : llvm::enumerate(devices.devices)) {
    output << "        // Device " << place << "\n";
    for (const std::vector<uint32_t> &ring : description.rings)
      for (auto [rank, member] : llvm::enumerate(ring))
        if (member == place) {
          output << "        {" << rank << ", {";
          llvm::interleaveComma(ring, output);
          output << "},\n         {\n";
        }
    for (const rt::CircularBuffer &buffer : device.circularBuffers) {
      output << "          {" << buffer.index << ", "
             << (buffer.format == rt::TileFormat::F32 ? "true" : "false")
             << ", " << buffer.pages << ", ";
      write(buffer.cores);
      output << "},\n";
    }
    output << "         },\n         {\n";
    for (const rt::LocalSemaphore &semaphore : device.semaphores) {
      output << "          {";
      write(semaphore.cores);
      output << ", " << semaphore.initial << "},\n";
    }
    output << "         },\n         {\n";
    for (const rt::DeviceKernel &kernel : device.kernels)
      writeKernel(kernel);
    output << "         }},\n";
  }
  output << "    },\n";
}

/// Follows rows back through the transfers that brought them: the rank whose
/// shard they are of, the store there, and where in it.
FailureOr<std::pair<uint32_t, rt::RowRange>>
HeaderWriter::originOf(uint32_t rank, uint32_t &store, rt::RowRange rows,
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
  if (!given[store])
    return launch.emitOpError("expects rows that come from a shard");
  return std::make_pair(rank, rows);
}

LogicalResult HeaderWriter::writeRanks() {
  member("ranks") << "{\n";
  const auto &ranks = description.schedule.devices;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    output << "        {{";
    llvm::interleaveComma(
        ranks[rank].queries, output, [&](const rt::QueryRows &queries) {
          output << "{" << queries.firstRow << ", " << queries.position << ", "
                 << queries.stride << "}";
        });
    output << "},\n         {";
    for (const rt::AttentionStep &step : ranks[rank].steps)
      for (const rt::RowPiece &piece : step.pieces) {
        uint32_t store = piece.store;
        auto origin = originOf(rank, store, piece.rows, piece.arrival);
        if (failed(origin))
          return failure();
        output << "{" << origin->first << ", " << *given[store] << ", "
               << origin->second.first << ", " << piece.valid << ", "
               << piece.position << ", " << piece.stride << ", "
               << 32 * piece.maskColumn << "}, ";
      }
    output << "}},\n";
  }
  output << "    },\n";
  return success();
}

FailureOr<LaunchHeader> HeaderWriter::write() {
  if (failed(describe()) || failed(addKernels()))
    return failure();
  const std::string guard = "RING_LAUNCH" + std::to_string(number) + "_H";
  output << "// Written by ring-translate --mlir-to-metalium.\n"
            "// The tables of one attention with its transfers.\n\n#ifndef "
         << guard << "\n#define " << guard
         << "\n\n#include \"Tables.h\"\n\nnamespace ring {\n\ninline const "
            "LaunchTable kLaunch"
         << number << " = {\n";
  writeSizes();
  writeTensors();
  writeDevices();
  if (failed(writeRanks()))
    return failure();
  output << "};\n\n} // namespace ring\n\n#endif // " << guard << "\n";
  return LaunchHeader{{"Launch" + std::to_string(number) + ".h", text},
                      closes()};
}

} // namespace

FailureOr<LaunchHeader> writeLaunchHeader(LaunchOp launch, unsigned number,
                                          ArrayRef<int64_t> mesh,
                                          KernelFiles &kernels) {
  return HeaderWriter(launch, number, mesh, kernels).write();
}

} // namespace mlir::ring
