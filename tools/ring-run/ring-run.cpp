// SPDX-License-Identifier: Apache-2.0
// Compiles a file and runs it on an emulated mesh in one go. Exit codes: 0 when
// all went well, 1 when a check failed, 2 for bad usage or input, 3 when the
// program could not be compiled or run, 4 when a device's memory did not
// suffice.

#include "Bisection.h"
#include "Execution.h"
#include "Fallback.h"
#include "Options.h"
#include "PlanSections.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "ring-runtime/Judgement.h"
#include "ring-runtime/Report.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ring/InitAll.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ring;
namespace rt = ::ring::rt;

namespace {

constexpr int kCheckFailed = 1, kBadUsage = 2, kRunFailed = 3, kOutOfMemory = 4;

int fail(const Twine &message, int code) {
  llvm::errs() << "ring-run: " << message << "\n";
  return code;
}

std::string formatBytes(int64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = bytes;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return llvm::formatv(unit ? "{0:F1} {1}" : "{0:F0} {1}", value, kUnits[unit])
      .str();
}

/// Replaces the mesh that the module names.
LogicalResult setMesh(ModuleOp module, StringRef text) {
  SmallVector<int64_t> shape;
  for (StringRef piece : llvm::split(text, 'x'))
    if (piece.getAsInteger(10, shape.emplace_back()) || shape.back() <= 0)
      return failure();
  MLIRContext *context = module.getContext();
  auto mesh = tt::ttcore::MeshAttr::get(
      context, StringAttr::get(context, "mesh"), shape);
  module->setAttr("ttcore.meshes",
                  tt::ttcore::MeshesAttr::get(context, {mesh}));
  return success();
}

//===----------------------------------------------------------------------===//
// One run against the reference
//===----------------------------------------------------------------------===//

/// What is left of a device's function may have no transfer that shows where
/// it runs, so its arguments say themselves that they are shards.
void markShards(ModuleOp module, const rt::Program &program) {
  auto presharded = tt::ttcore::ShardStatusAttr::get(
      module.getContext(), tt::ttcore::ShardStatus::Presharded);
  module.walk([&](func::FuncOp function) {
    if (function.getName() != program.name() ||
        function.getNumArguments() != program.inputs().size())
      return;
    for (auto [index, input] : llvm::enumerate(program.inputs()))
      if (program.values()[input.value].placement == rt::Placement::Local)
        function.setArgAttr(index, "ttcore.shard_status", presharded);
  });
}

/// The arguments of a program: those with a file read, the rest generated. A
/// simulation has none.
rt::Result<std::vector<rt::PortTensors>>
makeArguments(const rt::Program &program, const Options &options) {
  if (options.run.backend == "sim")
    return std::vector<rt::PortTensors>();
  auto arguments =
      rt::generateInputs(program, options.seed, options.distribution);
  if (!arguments)
    return arguments;
  if (options.inputs.size() > arguments->size())
    return rt::error("expects at most ", arguments->size(),
                     " input files, but got ", options.inputs.size());
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const rt::ValueType &type = program.values()[program.inputs()[i].value];
    auto tensor = rt::readNpy(options.inputs[i], type.element);
    if (!tensor)
      return tensor.status();
    if (type.placement == rt::Placement::Whole) {
      (*arguments)[i] = {std::move(*tensor)};
      continue;
    }
    auto shards = rt::unstack(*tensor, program.deviceCount());
    if (!shards)
      return shards.status().in("cannot use " + options.inputs[i]);
    (*arguments)[i] = std::move(*shards);
  }
  if (rt::Status status = rt::checkInputs(program, *arguments); !status)
    return status;
  return arguments;
}

void printSummary(const rt::Program &program, const rt::RunResult &result) {
  if (result.prediction) {
    llvm::outs() << rt::describePrediction(program, result);
    return;
  }
  rt::DeviceStatistics most;
  for (const rt::DeviceStatistics &device : result.devices) {
    most.bytesSent = std::max(most.bytesSent, device.bytesSent);
    most.peakBytes = std::max(most.peakBytes, device.peakBytes);
    most.flops = std::max(most.flops, device.flops);
  }
  llvm::outs() << "@" << program.name() << " on ";
  llvm::interleave(program.mesh(), llvm::outs(), "x");
  llvm::outs() << llvm::formatv(
      " ({0} device{1}): {2} instruction{3} in {4:F3} s\n",
      program.deviceCount(), program.deviceCount() == 1 ? "" : "s",
      program.instructions().size(),
      program.instructions().size() == 1 ? "" : "s", result.seconds);
  if (!result.devices.empty())
    llvm::outs() << llvm::formatv(
        "a device at most: {0} sent, {1} held, {2:F3} GFLOP\n",
        formatBytes(most.bytesSent), formatBytes(most.peakBytes),
        most.flops * 1e-9);
}

/// What is simulated on a machine is planned for it, unless a pass says
/// otherwise.
void planFor(StringRef machine, PassManager &passes) {
  for (Pass &pass : passes.getPasses()) {
    if (pass.getArgument() != "ring-plan" &&
        pass.getArgument() != "ring-explain")
      continue;
    std::string options;
    llvm::raw_string_ostream out(options);
    pass.printAsTextualPipeline(out);
    // All options are printed, those without a value as "machine= ".
    StringRef value = StringRef(options).split(" machine=").second;
    bool says = !value.empty() && value.front() != ' ' && value.front() != '}';
    auto report = [](const Twine &) { return failure(); };
    if (!says &&
        failed(pass.initializeOptions(("machine=" + machine).str(), report)))
      llvm_unreachable("both passes take a machine");
  }
}

/// Prints what the planner would choose from.
LogicalResult explain(ModuleOp module, StringRef machine) {
  PassManager passes(module.getContext());
  passes.addPass(createRingRaise());
  RingExplainOptions options;
  options.machineName = machine.str();
  passes.addPass(createRingExplain(options));
  return passes.run(module);
}

int writeResults(const Options &options, const rt::Program &program,
                 const rt::RunResult &result,
                 const std::optional<PlannedExample> &planned) {
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    const rt::PortTensors &shards = result.outputs[i];
    auto stacked = shards.size() == 1 ? rt::Result<rt::Tensor>(shards.front())
                                      : rt::stack(shards);
    rt::Status status =
        stacked ? rt::writeNpy(options.outputs[i], *stacked) : stacked.status();
    if (!status)
      return fail(status.message(), kRunFailed);
  }
  if (!options.statistics.empty())
    if (rt::Status status =
            rt::writeStatistics(options.statistics, program, result);
        !status)
      return fail(status.message(), kRunFailed);
  if (!options.trace.empty())
    if (rt::Status status = rt::writeTrace(options.trace, program, result);
        !status)
      return fail(status.message(), kRunFailed);
  if (!options.report.empty()) {
    rt::Report page = rt::makeReport(program, result);
    if (options.run.deviceMemory > 0)
      page.memoryLimit = options.run.deviceMemory;
    if (planned)
      addPlanSections(*planned, options.run.machine, page);
    if (rt::Status status = rt::writeReport(options.report, page); !status)
      return fail(status.message(), kRunFailed);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerTransformsPasses();
  registerRingPasses();
  Options options;
  if (std::string message = options.parse(argc, argv); !message.empty())
    return fail(message + "; see ring-run --help", kBadUsage);
  if (options.help) {
    llvm::outs() << helpText();
    return 0;
  }
  if (options.fallback)
    if (std::string message = checkFallback(options); !message.empty())
      return fail(message + "; see ring-run --help", kBadUsage);
  PassPipelineCLParser passFlags("", "Compiler passes to run first");
  if (!llvm::cl::ParseCommandLineOptions(
          options.passFlags.size(), options.passFlags.data(),
          "ring-run: pass flags\n", &llvm::errs()))
    return kBadUsage;
  if (rt::Status status = rt::checkOptions(options.run); !status)
    return fail(status.message(), kBadUsage);
  std::vector<std::string> written = options.outputs;
  written.insert(written.end(),
                 {options.statistics, options.trace, options.report});
  // Rank 0 alone writes, and where it is others may have no such folder.
  if (options.run.backend != "mpi")
    if (rt::Status status = rt::checkWritable(written); !status)
      return fail(status.message(), kBadUsage);
  if (llvm::sys::Process::StandardErrIsDisplayed())
    options.run.progress = [](int64_t done, int64_t all) {
      llvm::errs() << "\rring-run: " << 100 * done / std::max<int64_t>(all, 1)
                   << " % " << (done == all ? "\n" : "");
    };

  DialectRegistry registry;
  registerRingDialects(registry);
  registerModelDialects(registry);
  MLIRContext context(registry);
  // Meshes and placements are written down here, whatever the file uses.
  context.loadDialect<tt::ttcore::TTCoreDialect>();
  std::string error;
  auto file = openInputFile(options.file, &error);
  if (!file)
    return fail(error, kBadUsage);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return kBadUsage;
  if (!options.mesh.empty() && failed(setMesh(*module, options.mesh)))
    return fail("expects --mesh like 2x4, but got '" + options.mesh + "'",
                kBadUsage);

  if (options.explain)
    return succeeded(explain(*module, options.explainMachine)) ? 0 : kRunFailed;

  FailureOr<rt::Program> given = loadProgram(*module, options.function);
  if (failed(given))
    return kRunFailed;
  if (options.outputs.size() > given->outputs().size())
    return fail("expects at most " + Twine(given->outputs().size()) +
                    " output files, but got " + Twine(options.outputs.size()),
                kBadUsage);
  markShards(*module, *given);
  auto arguments = makeArguments(*given, options);
  if (!arguments)
    return fail(arguments.message(), kBadUsage);
  Reference reference{*given, std::move(*arguments), {}};
  if (options.check || options.bisect) {
    auto outputs = rt::runReference(*given, reference.inputs);
    if (!outputs) {
      emitError(module->getLoc(), "cannot run: ") << outputs.message();
      return kRunFailed;
    }
    reference.outputs = std::move(*outputs);
  }

  OwningOpRef<ModuleOp> original;
  if (options.fallback)
    original = module->clone();
  BisectionResult bisection;
  auto passes =
      PassManager::on<ModuleOp>(&context, PassManager::Nesting::Implicit);
  if (options.bisect) {
    // The module is run after every function: one after the other.
    context.disableMultithreading();
    passes.addInstrumentation(
        std::make_unique<Bisection>(reference, options, bisection));
  }
  std::optional<PlannedExample> planned;
  if (!options.report.empty() || options.fallback)
    passes.addInstrumentation(std::make_unique<PlanWatcher>(planned));
  auto report = [&](const Twine &message) {
    return fail(message, kBadUsage), failure();
  };
  if (failed(passFlags.addToPipeline(passes, report)) ||
      (!options.pipeline.empty() &&
       failed(parsePassPipeline(options.pipeline, passes))))
    return kBadUsage;
  if (options.run.backend == "sim")
    planFor(options.run.machine, passes);
  bool compiled = succeeded(passes.run(*module));
  if (options.bisect && !bisection.culprit.empty()) {
    if (bisection.speaks)
      llvm::outs() << "the first pass that changes the result: "
                   << bisection.culprit << "\n";
    return kCheckFailed;
  }
  if (!compiled)
    return kRunFailed;
  if (options.bisect) {
    if (bisection.speaks)
      llvm::outs() << "every pass keeps the result\n";
    return 0;
  }

  FailureOr<rt::Program> program = loadProgram(*module, options.function);
  if (failed(program))
    return kRunFailed;
  if (options.dump)
    llvm::outs() << program->text();
  rt::Result<rt::RunResult> result =
      rt::run(*program, reference.inputs, options.run);
  if (!result && options.fallback && result.status().shortage()) {
    FailureOr<FittingRun> fitting = runWithLessMemory(
        *original, options, reference.inputs, result.message(), planned);
    if (failed(fitting))
      return kOutOfMemory;
    program = std::move(fitting->program);
    result = std::move(fitting->result);
  }
  if (!result) {
    emitError(module->getLoc(), "cannot run: ") << result.message();
    return result.status().shortage() ? kOutOfMemory : kRunFailed;
  }
  // The other ranks of an MPI run have no results.
  if (result->rank != 0)
    return 0;
  printSummary(*program, *result);
  if (int code = writeResults(options, *program, *result, planned))
    return code;
  if (!options.check)
    return 0;
  rt::OutputJudgements judged =
      rt::judge(*program, *result, reference.meaning, reference.outputs);
  llvm::outs() << judged.text;
  return judged.passed ? 0 : kCheckFailed;
}
