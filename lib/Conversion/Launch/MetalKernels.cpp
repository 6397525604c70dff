// SPDX-License-Identifier: Apache-2.0

#include "MetalKernels.h"
#include "CoreRanges.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring-runtime/KernelSources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

namespace {

using Kind = rt::DeviceArgument::Kind;

/// What tt-mlir puts between `void kernel_main() {` and `}`. Our text has
/// headers and functions of its own: it closes that function first, after a
/// call of what our kernel is called here, and leaves another one open.
rt::Result<std::string> kernelBody(const rt::DeviceKernel &kernel,
                                   MetalAddresses addresses) {
  std::vector<std::string> defines = kernel.defines;
  SmallVector<std::string> constants;
  for (const rt::DeviceArgument &one : kernel.compileTime)
    if (one.kind == Kind::Scalar)
      constants.push_back(std::to_string(one.value) + "u");
  if (!constants.empty())
    defines.push_back("RING_CONSTANTS=" + llvm::join(constants, ", "));
  defines.push_back("RING_LOGICAL_CORES");
  defines.push_back("RING_ROUTED_CONNECTIONS");
  defines.push_back("RING_WORDS_ADDRESS=" + std::to_string(addresses.words));
  defines.push_back("RING_SEMAPHORES_ADDRESS=" +
                    std::to_string(addresses.semaphores));
  defines.push_back("kernel_main=ring_kernel");
  rt::Result<std::string> text = rt::kernelText(kernel.source, defines);
  if (!text)
    return text;
  return "void ring_kernel();\nring_kernel();\n}\n" +
         rt::withoutComments(*text) + "void ring_kernel_end() {";
}

std::string symbolOf(const rt::DeviceKernel &kernel) {
  StringRef stem = StringRef(kernel.source).drop_back(StringRef(".cpp").size());
  return llvm::convertToSnakeFromCamelCase(stem);
}

/// A rectangle as ttmetal writes it: first row and column, then how many.
std::string rangeText(const CoreRectangle &range) {
  return llvm::formatv("#ttmetal.core_range<{0}x{1}, {2}x{3}>", range.first.y,
                       range.first.x, range.last.y - range.first.y + 1,
                       range.last.x - range.first.x + 1)
      .str();
}

} // namespace

FailureOr<ArrayAttr> metalKernels(LaunchOp launch, const LaunchProgram &program,
                                  ArrayRef<unsigned> operandOf,
                                  MetalAddresses addresses,
                                  SymbolTable &symbols) {
  MLIRContext *context = launch.getContext();
  OpBuilder builder(context);
  SmallVector<Attribute> configs;
  auto parse = [&](const std::string &text) {
    return parseAttribute(text, context);
  };
  // Devices differ in words alone.
  for (const rt::DeviceKernel &kernel : program.devices.devices[0].kernels) {
    rt::Result<std::string> body = kernelBody(kernel, addresses);
    if (!body)
      return launch.emitOpError(body.message());
    SmallVector<std::string> named, specified;
    for (const rt::DeviceArgument &one : kernel.compileTime)
      if (one.kind == Kind::BufferAccessor) {
        unsigned operand = operandOf[one.value];
        named.push_back(
            llvm::formatv("<tensor_accessor_args[{0}]>", operand).str());
        specified.push_back(
            llvm::formatv("<arg_type = tensor_accessor_args, operand_index = "
                          "{0}>",
                          operand)
                .str());
      }
    auto lists = [](ArrayRef<std::string> list) {
      return list.empty() ? std::string()
                          : "ct_args = [" + llvm::join(list, ", ") + "]";
    };

    const bool computes = kernel.processor == rt::Processor::Compute;
    auto function = func::FuncOp::create(launch.getLoc(), symbolOf(kernel),
                                         builder.getFunctionType({}, {}));
    function.setPrivate();
    function->setAttr("tt.function_type", builder.getStringAttr("kernel"));
    function->setAttr("ttkernel.arg_spec",
                      parse("#ttkernel.arg_spec<" + lists(specified) + ">"));
    function->setAttr("ttkernel.thread",
                      parse(computes ? "#ttkernel.thread<compute>"
                                     : "#ttkernel.thread<noc>"));
    builder.setInsertionPointToStart(function.addEntryBlock());
    emitc::VerbatimOp::create(builder, launch.getLoc(), *body, ValueRange());
    func::ReturnOp::create(builder, launch.getLoc());
    symbols.insert(function);

    std::vector<rt::DeviceCore> cores;
    bool connects = false;
    for (const rt::KernelOnCore &share : kernel.cores) {
      cores.push_back(share.core);
      connects |= !share.connections.empty();
    }
    for (const CoreRectangle &range : rectanglesOf(cores)) {
      std::string start =
          llvm::formatv("<@{0}, {1}, #ttmetal.kernel_args<{2}>, ",
                        function.getSymName(), rangeText(range), lists(named))
              .str();
      const bool first = kernel.processor == rt::Processor::DataMovement0;
      configs.push_back(parse(
          computes ? "#ttmetal.compute_config" + start +
                         llvm::formatv(
                             "{0}, {1}, {2}, false, [default]>",
                             nameOf(kernel.compute.fidelity),
                             kernel.compute.f32Destination ? "true" : "false",
                             kernel.compute.fullSync ? "true" : "false")
                             .str()
                   : "#ttmetal.noc_config" + start +
                         (first ? "dm_core = 0, noc0" : "dm_core = 1, noc1") +
                         (connects ? ", fabric_config_index = 0>" : ">")));
      if (!configs.back())
        return failure();
    }
  }
  return builder.getArrayAttr(configs);
}

} // namespace mlir::ring
