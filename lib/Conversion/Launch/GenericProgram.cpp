// SPDX-License-Identifier: Apache-2.0
// Writes the text of a ttnn program, which our subset keeps as it is and a real
// tt-mlir parses. Comments say what its runtime does with it.

#include "GenericProgram.h"
#include "CoreRanges.h"
#include "mlir/AsmParser/AsmParser.h"
#include "ring-runtime/KernelSources.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

namespace {

using Kind = rt::DeviceArgument::Kind;

/// Semaphores that the runtime makes for each connection of each kernel.
constexpr int64_t kConnectionSemaphores = 2;
/// Words that it writes behind a core's own: of the mesh, without the number of
/// its devices, and of each connection.
constexpr int64_t kFabricWords = 13, kConnectionWords = 4;

std::string join(ArrayRef<std::string> parts) {
  return "[" + llvm::join(parts, ", ") + "]";
}

std::string rangesText(const std::vector<rt::DeviceCore> &cores) {
  SmallVector<std::string> ranges;
  for (const CoreRectangle &range : rectanglesOf(cores))
    ranges.push_back(llvm::formatv("#ttnn.core_range<({0},{1}), ({2},{3})>",
                                   range.first.x, range.first.y, range.last.x,
                                   range.last.y)
                         .str());
  return "#ttnn.core_range_set<" + join(ranges) + ">";
}

/// Writes the programs of single devices.
class ProgramText {
public:
  ProgramText(ArrayRef<unsigned> tensorOf, size_t coresOfKernel)
      : tensorOf(tensorOf), coresOfKernel(coresOfKernel) {}

  rt::Result<std::string> of(const rt::OneDevice &device) {
    SmallVector<std::string> kernels, buffers, semaphores;
    for (const rt::DeviceKernel &kernel : device.kernels)
      if (rt::Status status = addKernel(kernel, kernels); !status)
        return status;
    for (const rt::CircularBuffer &buffer : device.circularBuffers)
      buffers.push_back(circularBuffer(buffer));
    for (auto [number, semaphore] : llvm::enumerate(device.semaphores))
      semaphores.push_back(
          llvm::formatv("#ttnn.kernel_semaphore<id = {0}, core_type = worker, "
                        "core_ranges = {1}, initial_value = {2}>",
                        number, rangesText(semaphore.cores), semaphore.initial)
              .str());
    return "#ttnn.program<kernels = " + join(kernels) +
           ", cbs = " + join(buffers) + ", semaphores = " + join(semaphores) +
           ">";
  }

private:
  static std::string circularBuffer(const rt::CircularBuffer &buffer) {
    uint32_t bytes = rt::tileBytes(buffer.format);
    return llvm::formatv(
               "#ttnn.kernel_cb<total_size = {0}, core_ranges = {1}, formats = "
               "[<buffer_index = {2}, dtype = {3}, page_size = {4}>]>",
               buffer.pages * bytes, rangesText(buffer.cores), buffer.index,
               buffer.format == rt::TileFormat::F32 ? "f32" : "bf16", bytes)
        .str();
  }

  /// A runtime argument. Numbers have names there, which nobody asks for.
  std::string argument(const rt::DeviceArgument &argument) const {
    auto text = [](const char *kind, uint32_t number) {
      return llvm::formatv("#ttnn.kernel_arg_{0}<{1}>", kind, number).str();
    };
    switch (argument.kind) {
    case Kind::BufferAddress:
      return text("address_of_tensor", tensorOf[argument.value]);
    case Kind::BufferAccessor:
      return text("tensor_accessor_args", tensorOf[argument.value]);
    case Kind::GlobalSemaphore:
      return text("global_semaphore", tensorOf.size() + argument.value);
    case Kind::LocalSemaphore:
      return text("semaphore_at", argument.value);
    case Kind::Scalar:
    case Kind::CoreOnNoc: // its logical place, which the kernel looks up
      return llvm::formatv(
                 "#ttnn.kernel_named_arg<name = \"word\", value = {0}>",
                 argument.value)
          .str();
    }
    llvm_unreachable("unknown kind of argument");
  }
  std::string arguments(const std::vector<rt::DeviceArgument> &list) const {
    SmallVector<std::string> parts;
    for (const rt::DeviceArgument &one : list)
      parts.push_back(argument(one));
    return join(parts);
  }

  /// The kernel's text in quotes. Numbers cannot be compile-time arguments, and
  /// there are no defines: both stand in the text.
  static rt::Result<std::string> source(const rt::DeviceKernel &kernel) {
    std::vector<std::string> defines = kernel.defines;
    SmallVector<std::string> constants;
    for (const rt::DeviceArgument &one : kernel.compileTime)
      if (one.kind == Kind::Scalar)
        constants.push_back(std::to_string(one.value) + "u");
    if (!constants.empty())
      defines.push_back("RING_CONSTANTS=" + llvm::join(constants, ", "));
    defines.push_back("RING_LOGICAL_CORES");
    defines.push_back("RING_ROUTED_CONNECTIONS");
    rt::Result<std::string> text = rt::kernelText(kernel.source, defines);
    if (!text)
      return text;
    std::string quoted;
    llvm::raw_string_ostream stream(quoted);
    stream << '"';
    llvm::printEscapedString(rt::withoutComments(*text), stream);
    stream << '"';
    return quoted;
  }

  /// One attribute for as many cores as a kernel may have.
  rt::Status addKernel(const rt::DeviceKernel &kernel,
                       SmallVectorImpl<std::string> &kernels) const {
    rt::Result<std::string> text = source(kernel);
    if (!text)
      return text.status();
    std::vector<rt::DeviceArgument> accessors;
    llvm::copy_if(
        kernel.compileTime, std::back_inserter(accessors),
        [](const auto &one) { return one.kind == Kind::BufferAccessor; });
    std::string shared = ", ct_args = " + arguments(accessors) +
                         ", common_rt_args = " + arguments(kernel.common) +
                         ", rt_args = ";
    for (size_t first = 0; first < kernel.cores.size();
         first += coresOfKernel) {
      ArrayRef<rt::KernelOnCore> group =
          ArrayRef<rt::KernelOnCore>(kernel.cores)
              .drop_front(first)
              .take_front(coresOfKernel);
      std::vector<rt::DeviceCore> cores;
      SmallVector<std::string> own;
      for (const rt::KernelOnCore &share : group) {
        cores.push_back(share.core);
        own.push_back(llvm::formatv("#ttnn.core_runtime_args<core_coord = "
                                    "#ttnn.core_coord<{0}, {1}>, args = {2}>",
                                    share.core.x, share.core.y,
                                    arguments(share.arguments))
                          .str());
      }
      kernels.push_back(llvm::formatv("#ttnn.source_{0}_kernel<source = ",
                                      kindOf(kernel.processor))
                            .str() +
                        *text + ", core_ranges = " + rangesText(cores) +
                        settingsOf(kernel) + shared + join(own) + ">");
    }
    return rt::Status::success();
  }

  /// A read kernel has NoC 0, and a write kernel NoC 1. Their processors are
  /// the other way round than ours, which makes no difference.
  static const char *kindOf(rt::Processor processor) {
    switch (processor) {
    case rt::Processor::DataMovement0:
      return "read";
    case rt::Processor::DataMovement1:
      return "write";
    case rt::Processor::Compute:
      return "compute";
    }
    llvm_unreachable("unknown processor");
  }
  static std::string settingsOf(const rt::DeviceKernel &kernel) {
    if (kernel.processor != rt::Processor::Compute)
      return "";
    return llvm::formatv(
               ", math_fidelity = {0}, fp32_dest_acc_en = {1}, "
               "dst_full_sync_en = {2}, unpack_to_dest_modes = [default], "
               "bfp8_pack_precise = false, math_approx_mode = false",
               nameOf(kernel.compute.fidelity),
               kernel.compute.f32Destination ? "true" : "false",
               kernel.compute.fullSync ? "true" : "false")
        .str();
  }

  ArrayRef<unsigned> tensorOf;
  size_t coresOfKernel;
};

//===----------------------------------------------------------------------===//
// What the runtime stops at
//===----------------------------------------------------------------------===//

/// Neighbours that the runtime connects a device to, whether it needs them or
/// not: the most that any device has.
int64_t mostNeighbours(const LaunchProgram &program) {
  int64_t neighbours = 0;
  for (int64_t devices : program.mesh)
    neighbours += devices > 2 ? 2 : devices - 1;
  return neighbours;
}

LogicalResult verifyFabric(LaunchOp launch, const LaunchProgram &program) {
  if (failed(verifyRoutes(launch, program)))
    return failure();
  const rt::ChipLimits &limits = program.description.options.limits;
  const int64_t neighbours = mostNeighbours(program);
  for (const rt::OneDevice &device : program.devices.devices)
    for (const rt::DeviceKernel &kernel : device.kernels)
      for (const rt::KernelOnCore &share : kernel.cores) {
        auto isHere = [&](rt::DeviceCore core) { return core == share.core; };
        int64_t kernels =
            llvm::count_if(device.kernels, [&](const rt::DeviceKernel &one) {
              return llvm::any_of(one.cores, [&](const rt::KernelOnCore &it) {
                return isHere(it.core);
              });
            });
        int64_t own = llvm::count_if(device.semaphores,
                                     [&](const rt::LocalSemaphore &one) {
                                       return llvm::any_of(one.cores, isHere);
                                     });
        int64_t semaphores = own + kernels * neighbours * kConnectionSemaphores;
        if (semaphores > limits.semaphores)
          return launch.emitOpError("expects at most ")
                 << limits.semaphores
                 << " semaphores of a core, of which tt-mlir's runtime takes "
                 << kConnectionSemaphores
                 << " for each neighbour and kernel, but got " << semaphores
                 << " with " << neighbours << " neighbours of a device";
        int64_t words = share.arguments.size() + kFabricWords +
                        program.devices.devices.size() +
                        neighbours * kConnectionWords;
        if (words > limits.arguments)
          return launch.emitOpError("expects at most ")
                 << limits.arguments << " arguments of " << kernel.source
                 << ", connections included, but got " << words;
      }
  return success();
}

} // namespace

FailureOr<Attribute> genericProgram(LaunchOp launch,
                                    const LaunchProgram &program,
                                    ArrayRef<unsigned> tensorOf,
                                    int64_t numLinks) {
  if (numLinks < 1)
    return launch.emitOpError("expects at least one link, but got ")
           << numLinks;
  if (rt::Status status =
          rt::verify(program.devices, program.description.options.limits);
      !status)
    return launch.emitOpError(status.message());

  // The devices that run each text, as cores of a grid that is the mesh.
  std::vector<std::pair<std::string, std::vector<rt::DeviceCore>>> programs;
  auto write = [&](size_t coresOfKernel) {
    programs.clear();
    ProgramText text(tensorOf, coresOfKernel);
    for (auto [number, device] : llvm::enumerate(program.devices.devices)) {
      rt::Result<std::string> own = text.of(device);
      if (!own)
        return LogicalResult(launch.emitOpError(own.message()));
      auto known = llvm::find_if(
          programs, [&](const auto &one) { return one.first == *own; });
      if (known == programs.end())
        known = programs.insert(known, {*own, {}});
      known->second.push_back(
          {static_cast<uint32_t>(number % program.mesh[1]),
           static_cast<uint32_t>(number / program.mesh[1])});
    }
    return success();
  };
  auto parse = [&](StringRef text) -> FailureOr<Attribute> {
    Attribute attribute = parseAttribute(text, launch.getContext());
    if (!attribute)
      return failure();
    return attribute;
  };

  if (!program.moves()) {
    if (failed(write(SIZE_MAX)))
      return failure();
    if (programs.size() == 1)
      return parse(programs.front().first);
  }
  // A program for each device comes with a fabric, needed or not.
  if (failed(verifyFabric(launch, program)) || failed(write(numLinks)))
    return failure();
  SmallVector<std::string> ranges;
  for (const auto &[text, devices] : programs)
    for (const CoreRectangle &range : rectanglesOf(devices))
      ranges.push_back(
          llvm::formatv("#ttnn.mesh_program<range = #ttnn.mesh_range<({0},{1}),"
                        " ({2},{3})>, program = ",
                        range.first.y, range.first.x, range.last.y,
                        range.last.x)
              .str() +
          text + ">");
  return parse(
      "#ttnn.mesh_program_descriptor<" + join(ranges) +
      llvm::formatv(
          ", fabric_connection_config = #ttcore.fabric_connection_config<"
          "noc_index = noc0, topology = {0}, cluster_axis = {1}, routing_mode "
          "= bidir_line_mesh, num_links = {2}>>",
          program.topology(), program.axis.value_or(0), numLinks)
          .str());
}

} // namespace mlir::ring
