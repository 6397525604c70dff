// SPDX-License-Identifier: Apache-2.0
// Compiles a file and runs it on an emulated mesh in one go.

#include "Bisection.h"
#include "Explanation.h"
#include "Fallback.h"
#include "Options.h"
#include "SweepRun.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/CommandLine/OwnWords.h"
#include "ring/CommandLine/PassTexts.h"
#include "ring/CommandLine/ToolFiles.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/Conversion/Passes.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ring/InitAll.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Support/BugReport.h"
#include "ring/Target/Program.h"
#include "ring/Tooling/Execution.h"
#include "ring/Tooling/ReportedPlans.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ring;
namespace rt = ::ring::rt;
using namespace ::ring::rt::tooling;

namespace {

int fail(const Twine &message, ExitCode code) {
  return fail("ring-run", message.str(), code);
}

/// All ranks of an MPI run compile the same: remarks and warnings are rank 0's,
/// and errors of another say whose they are.
class QuietRank : public ScopedDiagnosticHandler {
public:
  explicit QuietRank(MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([](Diagnostic &diagnostic) {
      if (launchedRank() == 0)
        return failure();
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        fail(diagnostic.str(), kRunFailed);
      return success();
    });
  }
};

//===----------------------------------------------------------------------===//
// What is given
//===----------------------------------------------------------------------===//

/// Reads the command line; how to end if there is nothing to run. All ranks of
/// an MPI run have the same one, of which rank 0 speaks.
std::optional<int> readCommandLine(int argc, char **argv, Options &options) {
  auto refuse = [](const Twine &reason) {
    return launchedRank() == 0 ? fail(reason, kBadUsage) : kBadUsage;
  };
  ToolText text = {"ring-run", options.helpText(), options.names(), kBadUsage};
  if (std::optional<int> code = startTool(argc, argv, text))
    return code;
  rt::Status status = options.parse(argc, argv);
  if (status && (options.listsMachines() || options.explainMachine == "help")) {
    llvm::outs() << machineHelp();
    return kOk;
  }
  if (status && options.fallback)
    status = checkFallback(options);
  // A flag that nobody has may be why a word behind it seems to be a file.
  if (std::string problem =
          checkFlags(ArrayRef(options.passFlags).drop_front(), text);
      !problem.empty())
    return refuse(problem);
  if (!status)
    return refuse(status.message() + "; see ring-run --help");
  if (!llvm::cl::ParseCommandLineOptions(
          options.passFlags.size(), options.passFlags.data(),
          "ring-run: pass flags\n", &llvm::errs()))
    return kBadUsage;
  if (std::string problem =
          checkPassOptions(ArrayRef(options.passFlags).drop_front());
      !problem.empty())
    return refuse(problem);
  if (std::string problem = checkPipeline(options.pipeline); !problem.empty())
    return refuse("--pipeline: " + problem);
  if (!options.explainMachine.empty())
    if (auto machine = ::ring::machine::loadMachine(options.explainMachine);
        !machine)
      return refuse(machine.error);
  status = rt::checkWritable({options.sweepTable});
  // What the file itself has to say about the machine comes first.
  if (status && !options.lacksMachine())
    status = options.checkSurroundings();
  if (!status)
    return refuse(status.message());
  return std::nullopt;
}

/// Who names no machine to simulate gets the one that has the file's mesh, as
/// the planner does; how to end where no machine that has a name does.
std::optional<int> takeMachineOfMesh(ModuleOp module, Options &options) {
  if (!options.lacksMachine())
    return std::nullopt;
  if (SmallVector<int64_t> mesh = findMeshShape(module); !mesh.empty()) {
    std::string name = findPlannerMachine("", mesh).spec.name;
    if (::ring::machine::loadMachine(name))
      options.run.machine = name;
  }
  if (rt::Status status = options.checkSurroundings(); !status)
    return fail(status.message(), kBadUsage);
  return std::nullopt;
}

/// Says so where a file asks for rings and no pass is there to make them. An
/// attention's own annotation goes when it is compiled; that of a function or a
/// module stays, and says nothing.
void tellOfMissingPasses(ModuleOp module, const Options &options) {
  if (options.hasPasses() || launchedRank() != 0)
    return;
  WalkResult asks = module.walk([](Operation *op) {
    return op->getNumRegions() == 0 && op->hasAttr(kParallelAttrName)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (asks.wasInterrupted())
    llvm::errs() << "ring-run: runs the file as it is; to make rings of what "
                    "has ring.parallel, say --ring-attention-pipeline\n";
}

/// Reads a file, for the mesh of the command line.
OwningOpRef<ModuleOp> readModule(StringRef path, StringRef mesh,
                                 llvm::SourceMgr &sources,
                                 MLIRContext *context) {
  std::string error;
  auto file = openModule(path, error);
  if (!file)
    return fail(error, kBadUsage), nullptr;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, context);
  nameKnownDialects(context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
  if (module && !mesh.empty() && failed(setMesh(*module, mesh)))
    return fail("expects --mesh like 2x4, but got '" + mesh + "'", kBadUsage),
           nullptr;
  return module;
}

/// Makes the inputs and, where results are checked, finds out what is meant;
/// how to end if that cannot be had.
std::optional<int> makeReference(ModuleOp module, const Options &options,
                                 Progress &progress, Reference &reference) {
  if (failed(findFunctionToRun(module, options.function)))
    return kBadUsage;
  FailureOr<rt::Program> given = loadProgram(module, options.function);
  if (failed(given))
    return kRunFailed;
  if (rt::Status status = checkOutputs(*given, options); !status)
    return fail(status.message(), kBadUsage);
  markShards(module, *given);
  FailureOr<rt::Program> meaning = given;
  if (!options.meaning.empty()) {
    llvm::SourceMgr sources;
    OwningOpRef<ModuleOp> other =
        readModule(options.meaning, options.mesh, sources, module.getContext());
    if (!other || failed(findFunctionToRun(*other, options.function)))
      return kBadUsage;
    meaning = loadProgram(*other, options.function);
    if (failed(meaning))
      return kRunFailed;
  }
  if (rt::Status status = checkHostMemory(*meaning, options); !status)
    return fail(status.message(), kRunFailed);
  progress.begin("makes inputs");
  auto inputs = makeInputs(*meaning, options);
  progress.end();
  if (!inputs)
    return fail(inputs.message(), kBadUsage);
  reference.inputs = std::move(*inputs);
  if (!options.check && !options.bisect)
    return std::nullopt;
  auto truth =
      findTruth(*given, *meaning, reference.inputs, options.sample, &progress);
  if (!truth) {
    emitError(module.getLoc(), "cannot run: ") << truth.message();
    return kRunFailed;
  }
  reference.truth = std::move(*truth);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Adds the passes of the command line. What is simulated on a machine is
/// planned for it, unless an option says otherwise; `request` takes the place
/// of the options.
LogicalResult addPasses(PassManager &passes, const PassPipelineCLParser &flags,
                        const Options &options,
                        const std::optional<PlanRequest> &request) {
  auto report = [&](const Twine &message) {
    return fail(message, kBadUsage), failure();
  };
  if (failed(flags.addToPipeline(passes, report)) ||
      (!options.pipeline.empty() &&
       failed(parsePassPipeline(options.pipeline, passes))))
    return failure();
  if (std::string problem = checkPlanning(passes); !problem.empty())
    return fail(problem, kBadUsage), failure();
  // What runs is held to its memory while it runs.
  std::string memory;
  if (options.run.backend == "sim" && options.run.deviceMemory > 0)
    memory = std::to_string(options.run.deviceMemory);
  setUpPlanning(passes, options.run.machine, memory, request);
  return success();
}

/// Prints what the planner would choose from, of attentions as the passes of
/// the command line raise them; without passes, of those that the file names.
int explain(ModuleOp module, const PassPipelineCLParser &flags,
            const Options &options) {
  auto passes = PassManager::on<ModuleOp>(module.getContext(),
                                          PassManager::Nesting::Implicit);
  if (options.hasPasses()) {
    if (failed(addPasses(passes, flags, options, std::nullopt)))
      return kBadUsage;
  } else {
    passes.addPass(createRingRaise());
  }
  return succeeded(explain(module, passes, options)) ? kOk : kRunFailed;
}

/// Says what --bisect found.
ExitCode concludeBisection(const BisectionResult &found) {
  std::string verdict = "every pass keeps the result";
  ExitCode code = kOk;
  if (!found.culprit.empty()) {
    verdict = "the first pass that changes the result: " + found.culprit;
    code = kCheckFailed;
  } else if (!found.shortage.empty()) {
    verdict = "no pass before " + found.shortage +
              " changes the result; what it leaves needs more memory than a "
              "device may hold";
    code = kOutOfMemory;
  }
  if (found.speaks)
    llvm::outs() << verdict << "\n";
  return code;
}

/// Runs the passes, and says what --bisect found; how to end if there is
/// nothing more to do.
std::optional<int> compile(ModuleOp module, const PassPipelineCLParser &flags,
                           const Options &options, const Reference &reference,
                           std::optional<PlannedExample> &planned) {
  BisectionResult bisection;
  std::vector<PlannedAttention> found;
  auto passes = PassManager::on<ModuleOp>(module.getContext(),
                                          PassManager::Nesting::Implicit);
  if (options.bisect) {
    // The module is run after every function: one after the other.
    module.getContext()->disableMultithreading();
    passes.addInstrumentation(
        std::make_unique<Bisection>(reference, options, bisection));
  }
  if (!options.report.empty() || options.fallback)
    passes.addInstrumentation(std::make_unique<PlanWatcher>(found));
  if (failed(addPasses(passes, flags, options, std::nullopt)))
    return kBadUsage;
  bool compiled = succeeded(passes.run(module));
  planned = largestOf(found);
  bool finished = bisection.culprit.empty() && bisection.shortage.empty();
  if (!compiled && finished)
    return lackedMemory(passes) ? kOutOfMemory : kRunFailed;
  if (!options.bisect)
    return std::nullopt;
  return concludeBisection(bisection);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs what was compiled, or what fits in its place.
FailureOr<FittingRun> runProgram(ModuleOp module, ModuleOp original,
                                 const PassPipelineCLParser &flags,
                                 const Options &options,
                                 const Reference &reference,
                                 std::optional<PlannedExample> &planned,
                                 Progress &progress, int &code) {
  code = kRunFailed;
  FailureOr<rt::Program> program = loadProgram(module, options.function);
  if (failed(program))
    return failure();
  if (options.dump && launchedRank() == 0)
    llvm::outs() << program->text();
  beginRun(*program, options, progress);
  auto result = rt::run(*program, reference.inputs, options.run);
  progress.end();
  if (result)
    return FittingRun{std::move(*program), std::move(*result)};
  code = codeOf(result.status());
  auto recompile = [&](ModuleOp again, const PlanRequest &request,
                       std::optional<PlannedExample> &example) {
    auto passes = PassManager::on<ModuleOp>(again.getContext(),
                                            PassManager::Nesting::Implicit);
    std::vector<PlannedAttention> found;
    passes.addInstrumentation(std::make_unique<PlanWatcher>(found));
    if (failed(addPasses(passes, flags, options, request)) ||
        failed(passes.run(again)))
      return failure();
    example = largestOf(found);
    return success();
  };
  if (options.fallback && code == kOutOfMemory)
    return runWithLessMemory(original, options, recompile, reference.inputs,
                             result.message(), planned);
  InFlightDiagnostic error = emitError(module.getLoc(), "cannot run: ")
                             << result.message();
  if (code == kOutOfMemory && options.hasPasses())
    error << "; --fallback tries the planner's other plans";
  return error;
}

/// Says what a run gave, writes it down and judges it.
int conclude(const FittingRun &run, const Options &options,
             const Reference &reference,
             const std::optional<PlannedExample> &planned,
             const std::optional<Sweep> &sweep) {
  // The other ranks of an MPI run have no results.
  if (run.result.rank != 0)
    return kOk;
  llvm::outs() << summaryOf(run.program, run.result);
  rt::OutputJudgements judged;
  if (options.check)
    judged =
        rt::judge(run.program, run.result, reference.truth->meaning,
                  reference.truth->outputs, options.tolerance, options.sample);
  auto addSections = [&](rt::Report &page) {
    if (planned)
      addReportedPlans(*planned, page);
    if (options.check)
      rt::addCheck(judged, page);
    if (sweep)
      sweep->addTo(page);
  };
  if (rt::Status status =
          writeResults(options, run.program, run.result, addSections);
      !status)
    return fail(status.message(), kBadUsage);
  llvm::outs() << judged.text;
  return judged.passed ? kOk : kCheckFailed;
}

int runTool(int argc, char **argv) {
  registerTransformsPasses();
  registerRingPasses();
  PassPipelineCLParser flags("", "Compiler passes to run first");
  Options options;
  if (std::optional<int> code = readCommandLine(argc, argv, options))
    return *code;
  Progress progress("ring-run", options.progress);
  options.prepareRun(progress);

  DialectRegistry registry;
  registerRingDialects(registry);
  registerModelDialects(registry);
  MLIRContext context(registry);
  // Meshes and placements are written down here, whatever the file uses.
  context.loadDialect<tt::ttcore::TTCoreDialect>();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  writeRemarksInOneLine(&context);
  QuietRank quiet(&context);
  OwningOpRef<ModuleOp> module =
      readModule(options.file, options.mesh, sources, &context);
  if (!module)
    return kBadUsage;
  if (options.explain)
    return explain(*module, flags, options);

  if (std::optional<int> code = takeMachineOfMesh(*module, options))
    return *code;
  std::optional<Sweep> sweep;
  if (options.sweep) {
    if (std::optional<int> code = runSweep(*module, options, sweep))
      return *code;
    if (options.report.empty())
      return kOk;
  }

  Reference reference;
  if (std::optional<int> code =
          makeReference(*module, options, progress, reference))
    return *code;
  OwningOpRef<ModuleOp> original;
  if (options.fallback)
    original = module->clone();
  std::optional<PlannedExample> planned;
  progress.begin("compiles");
  if (std::optional<int> code =
          compile(*module, flags, options, reference, planned))
    return *code;
  tellOfMissingPasses(*module, options);
  int code = kOk;
  FailureOr<FittingRun> run = runProgram(*module, *original, flags, options,
                                         reference, planned, progress, code);
  return succeeded(run) ? conclude(*run, options, reference, planned, sweep)
                        : code;
}

} // namespace

int main(int argc, char **argv) {
  askForBugReports();
  llvm::InitLLVM init(argc, argv);
  return endOutput({"ring-run", "", {}, kBadUsage}, runTool(argc, argv));
}
