// SPDX-License-Identifier: Apache-2.0
// From TTNN to a C++ program, and to the CMakeLists.txt that builds it.

#include "../Host/HostCommandLine.h"
#include "../Host/NumpyText.h"
#include "../Host/SharedText.h"
#include "CppPrinter.h"
#include "ProgramText.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/InitDialects.h"
#include "ring/Target/Cpp.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

using host::Function;
using host::HostProgram;

static void printHead(const HostProgram &program, raw_ostream &output) {
  output << "// Written by ring-translate --mlir-to-cpp.\n"
            "// Runs "
         << llvm::join(host::publicNames(program), ", ") << " on a mesh of "
         << program.mesh[0] << " x " << program.mesh[1]
         << " devices, and checks the results. ring-translate\n"
            "// --mlir-to-cpp-cmake writes the CMakeLists.txt that builds it "
            "as main.cpp.\n\n"
            "#include <algorithm>\n#include <array>\n#include <chrono>\n"
            "#include <cmath>\n#include <cstdint>\n#include <cstdio>\n"
            "#include <fstream>\n#include <functional>\n#include <limits>\n"
            "#include <memory>\n#include <optional>\n#include <random>\n"
            "#include <sstream>\n#include <stdexcept>\n#include <string>\n"
            "#include <utility>\n#include <vector>\n\n"
            "#include <tt-metalium/distributed.hpp>\n"
            "#include <tt-metalium/experimental/fabric/fabric.hpp>\n";
  std::set<std::string> headers{
      "ttnn/device.hpp",           "ttnn/distributed/api.hpp",
      "ttnn/global_semaphore.hpp", "ttnn/operations/core/core.hpp",
      "ttnn/tensor/tensor.hpp",    "ttnn/types.hpp"};
  for (const Function &function : program.functions)
    for (const host::Statement &statement : function.body)
      collectHeaders(statement.value, headers);
  for (const auto &[name, allocation] : program.rings.buffers)
    collectHeaders(allocation, headers);
  for (const std::string &header : headers)
    output << "#include \"" << header << "\"\n";
  output << "\nnamespace {\n\n"
            "const ttnn::MeshShape kMesh("
         << program.mesh[0] << ", " << program.mesh[1]
         << ");\n"
            "constexpr auto kFabric = tt::tt_fabric::FabricConfig::"
         << host::nameOf(program.fabric) << ";\n\n";
}

/// The resources of rings, two sets of them in turn.
static void printRings(const HostProgram &program, raw_ostream &output) {
  if (program.rings.semaphores == 0) {
    output << "\n/// No function passes keys round a ring.\n"
              "struct Rings {\n"
              "  explicit Rings(ttnn::MeshDevice &) {}\n"
              "};\n";
    return;
  }
  output << "\n/// Semaphores, and room for the keys and values of all "
            "devices.\n"
            "struct RingSet {\n"
            "  std::vector<ttnn::GlobalSemaphore> semaphores;\n";
  if (program.rings.choosesCores)
    output << "  /// The last row of cores moves data, the others compute.\n"
              "  ttnn::CoreCoord grid, offset;\n";
  for (const auto &[name, allocation] : program.rings.buffers)
    output << "  ttnn::Tensor " << name << ";\n";
  output
      << "};\n\n"
         "/// Two sets, which calls take in turn: a neighbour may begin the "
         "next ring while\n"
         "/// this device still reads from the last one.\n"
         "class Rings {\n"
         "public:\n"
         "  explicit Rings(ttnn::MeshDevice &device) {\n"
         "    ttnn::CoreCoord grid = device.compute_with_storage_grid_size();\n"
         "    ttnn::CoreRangeSet cores(\n"
         "        ttnn::CoreRange(ttnn::CoreCoord(0, 0), "
         "ttnn::CoreCoord(grid.x - 1, grid.y - 1)));\n"
         "    for (RingSet &set : sets) {\n"
         "      for (int i = 0; i < "
      << program.rings.semaphores
      << "; ++i)\n"
         "        set.semaphores.push_back(\n"
         "            ttnn::global_semaphore::create_global_semaphore(&device, "
         "cores, 0));\n";
  if (program.rings.choosesCores)
    output << "      set.grid = ttnn::CoreCoord(grid.x, grid.y - 1);\n"
              "      set.offset = ttnn::CoreCoord(0, grid.y - 1);\n";
  for (const auto &[name, allocation] : program.rings.buffers)
    output << "      set." << name << " = " << cppText(allocation) << ";\n";
  output
      << "    }\n"
         "    // All devices have them before one of them uses any.\n"
         "    tt::tt_metal::distributed::Synchronize(device, std::nullopt);\n"
         "  }\n\n"
         "  RingSet &next() { return sets[turn++ % sets.size()]; }\n\n"
         "private:\n"
         "  std::array<RingSet, 2> sets;\n"
         "  size_t turn = 0;\n"
         "};\n";
}

static void printPorts(ArrayRef<host::Port> ports, raw_ostream &output) {
  static constexpr StringRef kPlaces[] = {"Host", "EveryDevice", "Devices"};
  output << "     {\n";
  for (const host::Port &port : ports) {
    SmallVector<std::string> sizes;
    for (int64_t size : port.shape)
      sizes.push_back(std::to_string(size));
    output << "         {{" << llvm::join(sizes, ", ") << "}, "
           << cppText(host::Expression::enumerator(port.type))
           << ", Place::" << kPlaces[static_cast<int>(port.place)] << "},\n";
  }
  output << "     },\n";
}

/// What main runs, and what it is given.
static void printFunctions(const HostProgram &program, raw_ostream &output) {
  output
      << "\n/// Where a tensor is: whole on the host, whole on every device, "
         "or something of\n/// its own on every device.\n"
         "enum class Place { Host, EveryDevice, Devices };\n\n"
         "/// What a function takes or gives.\n"
         "struct Port {\n"
         "  std::vector<uint32_t> shape;\n"
         "  ttnn::DataType type;\n"
         "  Place place;\n"
         "};\n\n"
         "using Tensors = std::vector<ttnn::Tensor>;\n\n"
         "struct Function {\n"
         "  std::string name;\n"
         "  std::function<Tensors(ttnn::MeshDevice &, Rings &, const Tensors "
         "&)> run;\n"
         "  std::vector<Port> inputs, outputs;\n"
         "};\n\n"
         "const std::vector<Function> kFunctions = {\n";
  for (const Function &function : program.functions) {
    if (!function.isPublic)
      continue;
    SmallVector<std::string> arguments{"device"};
    if (function.takesRings)
      arguments.push_back("rings");
    for (size_t i = 0; i < function.parameters.size(); ++i)
      arguments.push_back("in[" + std::to_string(i) + "]");
    output << "    {\"" << function.name
           << "\",\n"
              "     []([[maybe_unused]] ttnn::MeshDevice &device, "
              "[[maybe_unused]] Rings &rings,\n"
              "        [[maybe_unused]] const Tensors &in) {\n"
              "       auto out = "
           << function.name << "(" << llvm::join(arguments, ", ")
           << ");\n"
              "       return Tensors(out.begin(), out.end());\n"
              "     },\n";
    printPorts(function.parameters, output);
    printPorts(function.results, output);
    output << "    },\n";
  }
  output << "};\n";
}

LogicalResult translateToCpp(ModuleOp module, raw_ostream &output,
                             const HostOptions &options) {
  FailureOr<HostProgram> program = host::describeHostProgram(module, options);
  if (failed(program))
    return failure();
  printHead(*program, output);
  output << kProgramTensors;
  printRings(*program, output);
  for (const Function &function : program->functions) {
    output << "\n";
    printCppFunction(function, output);
  }
  printFunctions(*program, output);
  output << "\n" << kNumpyFiles << "\n" << kProgramMain;
  return success();
}

LogicalResult translateToCppBuild(ModuleOp module, raw_ostream &output) {
  FailureOr<HostProgram> program =
      host::describeHostProgram(module, HostOptions());
  if (failed(program))
    return failure();
  StringRef name = host::publicNames(*program).front();
  output << "# Written by ring-translate --mlir-to-cpp-cmake.\n"
            "# cmake -B build -DCMAKE_PREFIX_PATH=<where TT-NN is installed> "
            "&& cmake --build build\n"
            "cmake_minimum_required(VERSION 3.16)\n"
            "project("
         << name
         << " CXX)\n\n"
            "find_package(TT-NN REQUIRED)\n\n"
            "add_executable("
         << name
         << " main.cpp)\n"
            "target_compile_features("
         << name
         << " PRIVATE cxx_std_20)\n"
            "target_link_libraries("
         << name << " PRIVATE TTNN::TTNN)\n";
  return success();
}

void registerToCppTranslations() {
  host::addCommandLineOptions();
  auto registerDialects = [](DialectRegistry &registry) {
    registerRingDialects(registry);
    registerModelDialects(registry);
  };
  TranslateFromMLIRRegistration program(
      "mlir-to-cpp", "translate TTNN to a C++ program that runs it with TT-NN",
      [](ModuleOp module, raw_ostream &output) {
        return translateToCpp(module, output, host::commandLineOptions());
      },
      registerDialects);
  TranslateFromMLIRRegistration build(
      "mlir-to-cpp-cmake",
      "write the CMakeLists.txt that builds what --mlir-to-cpp writes as "
      "main.cpp",
      [](ModuleOp module, raw_ostream &output) {
        return translateToCppBuild(module, output);
      },
      registerDialects);
}

} // namespace mlir::ring
