// SPDX-License-Identifier: Apache-2.0
// The compiler as a filter: reads IR, runs passes, prints IR.

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "ring/CommandLine/OwnWords.h"
#include "ring/CommandLine/ToolFiles.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/InitAll.h"
#include "ring/InitTTMLIR.h"
#include "ring/Support/BugReport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::ring;

static constexpr char kHelp[] =
    R"help(ring-opt: the ring-attention compiler: reads IR, runs passes, prints IR

usage: ring-opt [OPTIONS] [PASS FLAGS] [FILE.mlir]      without a file: stdin

examples: the whole way, for the mesh that the file names
  ring-opt model.mlir --ring-attention-pipeline -o ring.mlir
a strategy of your own choice, as TTIR for tt-mlir
  ring-opt model.mlir --ring-attention-pipeline="strategy=ring target=ttir"
what the planner chooses from, and why the rest is not possible
  ring-opt model.mlir --ring-raise --ring-explain -o /dev/null

  --ring-attention-pipeline[="OPTION=VALUE ..."]
                        all passes in their order; its options are shown by
                        --help-passes=ring-attention-pipeline
  --help-passes[=NAME]  all passes in groups, or one with its options
  -o FILE               where the result goes (default: stdout)
  --pass-pipeline=TEXT  passes as MLIR writes them:
                        "builtin.module(ring-raise,ring-plan{strategy=ring})"
  --split-input-file    pieces of the file, divided by // -----, one by one
  --verify-diagnostics  hold diagnostics to expected-... comments in the file
  --mlir-print-ir-after-all
                        print the IR after every pass, to stderr
  --mlir-print-ir-after-change
                        with the above: only where it changed
  --mlir-print-op-on-diagnostic
                        show the op, in its generic form, behind a diagnostic
  --mlir-timing         show what each pass took
  --mlir-disable-threading
                        one thread, so that output comes in order
  --show-dialects       the dialects that can be read
  --list-passes         the names of all passes, MLIR's included
  --version             print the version
  --help                print this text
  --help-hidden         the options of MLIR and LLVM too

A mesh: the one that the file names (ttcore.meshes) counts. mesh-shape=2x4 is
for files that name none, or one of a single device; another is refused.

exit code: 0 all went well, 1 a file could not be read, compiled or written, 2
bad usage
)help";

/// Reads, runs the passes and writes, with remarks in one line where nobody
/// compares them.
static LogicalResult compile(StringRef input, StringRef output,
                             DialectRegistry &registry,
                             const MlirOptMainConfig &asked,
                             const ToolText &text) {
  std::optional<ToolFiles> files = openFiles(text, input, output);
  if (!files)
    return failure();
  MlirOptMainConfig config = asked;
  // MLIR's own handler is there by now, and ours comes before it.
  config.setPassPipelineSetupFn([&](PassManager &passes) {
    if (!asked.shouldVerifyDiagnostics())
      writeRemarksInOneLine(passes.getContext());
    return asked.setupPassPipeline(passes);
  });
  if (failed(MlirOptMain(files->output->os(), std::move(files->input), registry,
                         config)))
    return failure();
  return keepOutput(text, *files->output);
}

int main(int argc, char **argv) {
  ToolText text = {"ring-opt",
                   kHelp,
                   {"ring-attention-pipeline", "help-passes", "pass-pipeline",
                    "split-input-file", "verify-diagnostics",
                    "mlir-print-ir-after-all", "mlir-print-ir-after-change",
                    "mlir-print-op-on-diagnostic", "mlir-timing",
                    "mlir-disable-threading", "show-dialects", "list-passes",
                    "version", "help", "help-hidden"}};
  askForBugReports();
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerRingDialects(registry);
  registerModelDialects(registry);
  registerTTMLIRDialects(registry);
  registerTransformsPasses();
  registerRingPasses();
  registerTTMLIRPasses();
  if (std::optional<int> code = startTool(argc, argv, text))
    return *code;

  namespace cl = llvm::cl;
  cl::list<std::string> inputs(cl::Positional, cl::desc("<input file>"));
  cl::opt<std::string> output("o", cl::desc("Output filename"),
                              cl::value_desc("filename"), cl::init("-"));
  MlirOptMainConfig::registerCLOptions(registry);
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  tracing::DebugCounter::registerCLOptions();
  ArrayRef<const char *> arguments(argv + 1, argc - 1);
  if (std::string problem = checkFlags(arguments, text); !problem.empty())
    return failTool(text, problem);
  if (!cl::ParseCommandLineOptions(argc, argv, text.help, &llvm::errs()))
    return kToolBadUsage;
  if (std::string problem = checkPassOptions(arguments); !problem.empty())
    return failTool(text, problem);
  std::optional<std::string> input = oneFile(text, inputs, output);
  if (!input)
    return kToolBadUsage;
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  bool compiled =
      config.shouldShowDialects() || config.shouldListPasses()
          ? succeeded(MlirOptMain(argc, argv, *input, output, registry))
          : succeeded(compile(*input, output, registry, config, text));
  return endOutput(text, compiled ? kToolOk : kToolFailed);
}
