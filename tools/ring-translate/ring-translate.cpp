// SPDX-License-Identifier: Apache-2.0
// From IR to files of other tools: program files for the runtime, and host
// programs for devices.

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/CommandLine/OwnWords.h"
#include "ring/CommandLine/ToolFiles.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/InitTTMLIR.h"
#include "ring/Support/BugReport.h"
#include "ring/Target/Cpp.h"
#include "ring/Target/Metalium.h"
#include "ring/Target/Program.h"
#include "ring/Target/Python.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ring;
namespace cl = llvm::cl;

static constexpr char kHelp[] =
    R"help(ring-translate: from IR to program files and host programs

usage: ring-translate --mlir-to-... [OPTIONS] [FILE.mlir]  without a file: stdin

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
  --fused-ops           for it: device ops that know a ring stay one
                        instruction, for the backend ttnn
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

exit code: 0 all went well, 1 a file could not be read, translated or written, 2
bad usage
)help";

/// Translates one module. MLIR's own main would show the op behind every
/// diagnostic, and end with 1 where the command line is wrong.
static LogicalResult translate(const Translation &translation,
                               std::unique_ptr<llvm::MemoryBuffer> source,
                               bool verifies, raw_ostream &output) {
  MLIRContext context;
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(source), llvm::SMLoc());
  if (!verifies) {
    SourceMgrDiagnosticHandler diagnostics(*sources, &context);
    nameKnownDialects(&context);
    return translation(sources, output, &context);
  }
  SourceMgrDiagnosticVerifierHandler diagnostics(*sources, &context);
  // What is expected may be that it fails.
  (void)translation(sources, output, &context);
  return diagnostics.verify();
}

namespace {

/// What a command line asks for.
struct Options {
  cl::list<std::string> inputs{cl::Positional, cl::desc("<input file>")};
  cl::opt<std::string> output{"o", cl::desc("Output filename"),
                              cl::value_desc("filename"), cl::init("-")};
  cl::opt<bool> splits{"split-input-file",
                       cl::desc("Translate the pieces of the file one by one")};
  cl::opt<bool> verifies{
      "verify-diagnostics",
      cl::desc("Hold diagnostics to expected-... comments in the file")};
  cl::list<const Translation *, bool, TranslationParser> translations{
      "", cl::desc("Translations to perform")};
};

} // namespace

static LogicalResult run(const ToolText &text, const Options &options,
                         StringRef input) {
  std::optional<ToolFiles> files = openFiles(text, input, options.output);
  if (!files)
    return failure();
  auto translatePiece = [&](std::unique_ptr<llvm::MemoryBuffer> piece,
                            raw_ostream &output) {
    return translate(*options.translations.front(), std::move(piece),
                     options.verifies, output);
  };
  if (failed(splitAndProcessBuffer(std::move(files->input), translatePiece,
                                   files->output->os(),
                                   options.splits ? kDefaultSplitMarker : "")))
    return failure();
  return keepOutput(text, *files->output);
}

int main(int argc, char **argv) {
  askForBugReports();
  llvm::InitLLVM init(argc, argv);
  ToolText text = {"ring-translate",
                   kHelp,
                   {"mlir-to-program", "function", "fused-ops",
                    "score-mebibytes", "mlir-to-python", "mlir-to-cpp",
                    "mlir-to-cpp-cmake", "mlir-to-metalium", "metalium-dir",
                    "split-input-file", "version", "help", "help-hidden"}};
  registerToProgramTranslation();
  registerToPythonTranslation();
  registerToCppTranslations();
  registerToMetaliumTranslation();
  for (std::string &flag : registerTTMLIRTranslations())
    text.options.push_back(std::move(flag));
  if (std::optional<int> code = startTool(argc, argv, text))
    return *code;
  Options options;
  registerAsmPrinterCLOptions();
  if (std::string problem =
          checkFlags(ArrayRef<char *>(argv + 1, argc - 1), text);
      !problem.empty())
    return failTool(text, problem);
  if (!cl::ParseCommandLineOptions(argc, argv, text.help, &llvm::errs()))
    return kToolBadUsage;
  if (size_t count = options.translations.size(); count != 1)
    return failTool(text, "expects one of --mlir-to-program, --mlir-to-python, "
                          "--mlir-to-cpp, --mlir-to-cpp-cmake or "
                          "--mlir-to-metalium, but got " +
                              Twine(count == 0 ? "none" : "several") +
                              " (see ring-translate --help)");
  std::optional<std::string> input =
      oneFile(text, options.inputs, options.output);
  if (!input)
    return kToolBadUsage;
  return succeeded(run(text, options, *input)) ? kToolOk : kToolFailed;
}
