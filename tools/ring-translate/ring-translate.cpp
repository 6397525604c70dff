// SPDX-License-Identifier: Apache-2.0
// From IR to files of other tools: program files for the runtime, and host
// programs for devices.

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/InitTTMLIR.h"
#include "ring/Support/BugReport.h"
#include "ring/Target/Cpp.h"
#include "ring/Target/Metalium.h"
#include "ring/Target/Program.h"
#include "ring/Target/Python.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ring;

static constexpr char kHelp[] =
    R"help(ring-translate: from IR to program files and host programs

usage: ring-translate --mlir-to-... [OPTIONS] [FILE.mlir]     without a file: stdin

examples: a program file, which ring-exec runs without LLVM
  ring-opt model.mlir --ring-attention-pipeline -o ring.mlir
  ring-translate --mlir-to-program ring.mlir -o model.ring
a Python script that calls ttnn
  ring-opt model.mlir --ring-attention-pipeline="target=ttnn" -o ttnn.mlir
  ring-translate --mlir-to-python ttnn.mlir -o model.py
a C++ program with our own device kernels, to build next to tt-metal
  ring-opt model.mlir --ring-attention-pipeline="target=launch" -o launches.mlir
  ring-translate --mlir-to-metalium launches.mlir --metalium-dir=program

  --mlir-to-program     TTIR, ring or TTNN as a program file of the runtime
  --function=NAME       for it: the function to translate (default: the only
                        public one)
  --fused-ops           for it: device ops that know a ring stay one instruction,
                        for the backend ttnn
  --mlir-to-python      TTNN as a Python script that calls ttnn
  --mlir-to-cpp         TTNN as a C++ program that calls TT-NN
  --mlir-to-cpp-cmake   the CMakeLists.txt that builds what --mlir-to-cpp writes
  --score-mebibytes=N   for both: the most that the scores of a block take on a
                        device, in MiB
  --mlir-to-metalium    launches as a C++ program for TT-Metalium
  --metalium-dir=DIR    for it: the folder to write (default: all files, one
                        behind the other, to the output)
  -o FILE               where the result goes (default: stdout)
  --split-input-file    pieces of the file, divided by // -----, one by one
  --version             print the version
  --help                print this text
  --help-hidden         the options of MLIR and LLVM too

exit code: 0 all went well, 1 the file could not be read or translated, 2 bad
usage
)help";

int main(int argc, char **argv) {
  askForBugReports();
  ToolText text = {"ring-translate",
                   kHelp,
                   {"mlir-to-program",
                    "function",
                    "fused-ops",
                    "score-mebibytes",
                    "mlir-to-python",
                    "mlir-to-cpp",
                    "mlir-to-cpp-cmake",
                    "mlir-to-metalium",
                    "metalium-dir",
                    "o",
                    "split-input-file",
                    "version",
                    "help",
                    "help-hidden",
                    "help-list",
                    "help-list-hidden",
                    "verify-diagnostics",
                    "allow-unregistered-dialect",
                    "error-diagnostics-only",
                    "no-implicit-module",
                    "output-split-marker"}};
  registerToProgramTranslation();
  registerToPythonTranslation();
  registerToCppTranslations();
  registerToMetaliumTranslation();
  for (std::string &flag : registerTTMLIRTranslations())
    text.options.push_back(std::move(flag));
  if (std::optional<int> code = startTool(argc, argv, text))
    return *code;
  if (std::string problem =
          checkFlags(ArrayRef<char *>(argv + 1, argc - 1), text);
      !problem.empty())
    return failTool(text, problem);
  auto translates = [](StringRef argument) {
    return argument.contains("-to-") || argument.starts_with("--help") ||
           argument == "--version";
  };
  if (llvm::none_of(ArrayRef<char *>(argv + 1, argc - 1), translates))
    return failTool(text, "expects one of --mlir-to-program, --mlir-to-python, "
                          "--mlir-to-cpp, --mlir-to-cpp-cmake or "
                          "--mlir-to-metalium (see ring-translate --help)");
  return succeeded(mlirTranslateMain(argc, argv, text.help)) ? kToolOk
                                                             : kToolFailed;
}
