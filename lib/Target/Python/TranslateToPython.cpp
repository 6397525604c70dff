// SPDX-License-Identifier: Apache-2.0
// From TTNN to a Python script that runs by itself.

#include "../Host/HostCommandLine.h"
#include "../Host/SharedText.h"
#include "PythonPrinter.h"
#include "ScriptText.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/InitDialects.h"
#include "ring/Target/Python.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

using host::Function;
using host::HostProgram;

static void printHead(const HostProgram &program, raw_ostream &output) {
  bool hasRings = program.rings.semaphores > 0;
  output << "#!/usr/bin/env python3\n"
            "# Written by ring-translate --mlir-to-python.\n"
            "\"\"\"Runs "
         << llvm::join(host::publicNames(program), ", ") << " on a mesh of "
         << program.mesh[0] << " x " << program.mesh[1]
         << " devices, and checks the results.\n\"\"\"\n\n"
            "import argparse\n"
         << (hasRings ? "import itertools\n" : "")
         << "import sys\nimport time\n"
         << (hasRings ? "import types\n" : "")
         << "\nimport numpy as np\nimport ttnn\n\n"
         << "MESH = (" << program.mesh[0] << ", " << program.mesh[1] << ")\n"
         << "FABRIC = ttnn.FabricConfig." << host::nameOf(program.fabric)
         << "\n"
         << "# Where a tensor is: whole on the host, whole on every device, or "
            "something of\n# its own on every device.\n"
            "HOST, EVERY_DEVICE, DEVICES = range(3)\n";
}

/// The resources of rings, two sets of them in turn.
static void printRings(const HostProgram &program, raw_ostream &output) {
  output << "\n\ndef make_rings(device):\n";
  if (program.rings.semaphores == 0) {
    output << "    \"\"\"No function passes keys round a ring.\"\"\"\n"
              "    return None\n";
    return;
  }
  output
      << "    \"\"\"Two sets of semaphores and of room for the keys and values "
         "of all devices,\n"
         "    which calls take in turn: a neighbour may begin the next ring "
         "while this device\n"
         "    still reads from the last one.\"\"\"\n"
         "    grid = device.compute_with_storage_grid_size()\n"
         "    last = ttnn.CoreCoord(grid.x - 1, grid.y - 1)\n"
         "    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), "
         "last)])\n"
         "    sets = [\n"
         "        types.SimpleNamespace(\n"
         "            semaphores=[ttnn.create_global_semaphore(device, cores, "
         "0) for _ in range("
      << program.rings.semaphores << ")],\n";
  if (program.rings.choosesCores)
    output << "            # The last row of cores moves data, the others "
              "compute.\n"
              "            grid=ttnn.CoreCoord(grid.x, grid.y - 1),\n"
              "            offset=ttnn.CoreCoord(0, grid.y - 1),\n";
  for (const auto &[name, allocation] : program.rings.buffers)
    output << "            " << name << "=" << pythonText(allocation) << ",\n";
  output << "        )\n"
            "        for _ in range(2)\n"
            "    ]\n"
            "    # All devices have them before one of them uses any.\n"
            "    ttnn.synchronize_device(device)\n"
            "    return itertools.cycle(sets)\n";
}

static void printPorts(StringRef name, ArrayRef<host::Port> ports,
                       raw_ostream &output) {
  static constexpr StringRef kPlaces[] = {"HOST", "EVERY_DEVICE", "DEVICES"};
  output << "        \"" << name << "\": [\n";
  for (const host::Port &port : ports) {
    SmallVector<std::string> sizes;
    for (int64_t size : port.shape)
      sizes.push_back(std::to_string(size));
    output << "            ((" << llvm::join(sizes, ", ")
           << (sizes.size() == 1 ? "," : "") << "), "
           << pythonText(host::Expression::enumerator(port.type)) << ", "
           << kPlaces[static_cast<int>(port.place)] << "),\n";
  }
  output << "        ],\n";
}

/// What main runs, and what it is given.
static void printFunctions(const HostProgram &program, raw_ostream &output) {
  output << "\n\n# What runs, with shape, type and place of what it takes and "
            "gives.\nFUNCTIONS = {\n";
  for (const Function &function : program.functions) {
    if (!function.isPublic)
      continue;
    output << "    \"" << function.name
           << "\": {\n        \"run\": " << function.name
           << ",\n        \"rings\": "
           << (function.takesRings ? "True" : "False") << ",\n";
    printPorts("inputs", function.parameters, output);
    printPorts("outputs", function.results, output);
    output << "    },\n";
  }
  output << "}\n";
}

LogicalResult translateToPython(ModuleOp module, raw_ostream &output,
                                const HostOptions &options) {
  FailureOr<HostProgram> program = host::describeHostProgram(module, options);
  if (failed(program))
    return failure();
  printHead(*program, output);
  output << "\n" << kScriptTensors;
  printRings(*program, output);
  for (const Function &function : program->functions) {
    output << "\n\n";
    printPythonFunction(function, output);
  }
  printFunctions(*program, output);
  output << "\n\n" << kScriptMain;
  return success();
}

void registerToPythonTranslation() {
  host::addCommandLineOptions();
  TranslateFromMLIRRegistration registration(
      "mlir-to-python",
      "translate TTNN to a Python script that runs it with ttnn",
      [](ModuleOp module, raw_ostream &output) {
        return translateToPython(module, output, host::commandLineOptions());
      },
      [](DialectRegistry &registry) {
        registerRingDialects(registry);
        registerModelDialects(registry);
      });
}

} // namespace mlir::ring
