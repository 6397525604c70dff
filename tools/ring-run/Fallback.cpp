// SPDX-License-Identifier: Apache-2.0
// The strategies in the order of what they hold beside a device's own shards:
//   halo                     the window's rows of the neighbours
//   ring, both directions    two shards of keys and values each way
//   ring, one direction      two shards of keys and values
//   ulysses                  1/P of the heads with all their rows, and no f32
//                            state, since every row meets all keys at once
// all_gather, with all keys and values, is what one falls back from; a window
// is asked for first since it moves least. A strategy that the planner refuses
// for this attention is passed over.

#include "Fallback.h"
#include "Execution.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

static constexpr StringLiteral kPipeline = "ring-attention-pipeline";
static constexpr StringLiteral kPlans[] = {
    "strategy=halo", "strategy=ring directions=both",
    "strategy=ring directions=forward", "strategy=ulysses"};
/// Options of the pipeline that make a plan; others, such as a mesh or the
/// target, stay as they were asked for.
static constexpr StringLiteral kPlanOptions[] = {"strategy", "directions",
                                                 "form", "ulysses"};

bool isOutOfMemory(StringRef message) {
  return message.contains("device memory is exceeded");
}

/// The options of every ring-attention-pipeline among the flags.
static SmallVector<StringRef> pipelinesOf(const Options &options) {
  SmallVector<StringRef> found;
  for (StringRef flag : ArrayRef(options.passFlags).drop_front()) {
    auto [name, value] = flag.ltrim('-').split('=');
    if (name == kPipeline)
      found.push_back(value);
  }
  return found;
}

std::string checkFallback(const Options &options) {
  if (options.bisect)
    return "expects no --bisect with --fallback, which may run another plan";
  size_t count = pipelinesOf(options).size();
  if (count != 1 || !options.pipeline.empty() || options.passFlags.size() != 2)
    return "expects --" + kPipeline.str() + " alone with --fallback, but got " +
           std::to_string(options.passFlags.size() - 1) +
           (options.pipeline.empty() ? " pass flags"
                                     : " pass flags and a --pipeline");
  return "";
}

/// `asked` with another plan: "mesh-shape=2x4 strategy=all_gather" becomes
/// "mesh-shape=2x4 strategy=ring directions=forward".
static std::string withPlan(StringRef asked, StringRef plan) {
  std::string text;
  SmallVector<StringRef> words;
  asked.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (!llvm::is_contained(kPlanOptions, word.split('=').first))
      text += word.str() + " ";
  return text + plan.str();
}

namespace {

/// Keeps errors to itself, so that a plan that cannot be had is no error of
/// the tool, and passes everything else on.
class QuietErrors : public ScopedDiagnosticHandler {
public:
  explicit QuietErrors(MLIRContext *context)
      : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (first.empty())
        first = diagnostic.str();
      return success();
    });
  }

  /// What went wrong first.
  std::string first;
};

} // namespace

/// Compiles and runs one plan; `why` says what is wrong with it.
static std::optional<FittingRun>
tryPlan(ModuleOp original, const Options &options,
        const std::vector<rt::PortTensors> &inputs, StringRef pipeline,
        std::optional<PlannedExample> *planned, std::string &why) {
  OwningOpRef<ModuleOp> module = original.clone();
  QuietErrors errors(original.getContext());
  PassManager passes(original.getContext());
  if (planned) {
    planned->reset();
    passes.addInstrumentation(std::make_unique<PlanWatcher>(*planned));
  }
  std::string text = (kPipeline + "{" + pipeline + "}").str();
  FailureOr<rt::Program> program = failure();
  if (succeeded(parsePassPipeline(text, passes, llvm::nulls())) &&
      succeeded(passes.run(*module)))
    program = loadProgram(*module, options.function);
  if (failed(program)) {
    why = errors.first.empty() ? "cannot read '" + text + "'" : errors.first;
    return std::nullopt;
  }
  rt::Result<rt::RunResult> result = rt::run(*program, inputs, options.run);
  if (!result) {
    why = result.message();
    return std::nullopt;
  }
  return FittingRun{std::move(*program), std::move(*result)};
}

FailureOr<FittingRun>
runWithLessMemory(ModuleOp original, const Options &options,
                  const std::vector<rt::PortTensors> &inputs, StringRef why,
                  std::optional<PlannedExample> *planned) {
  StringRef asked = pipelinesOf(options).front();
  original.emitRemark("fallback: drops the plan as asked for: ") << why;
  for (StringRef plan : kPlans) {
    std::string problem;
    std::optional<FittingRun> run = tryPlan(
        original, options, inputs, withPlan(asked, plan), planned, problem);
    if (run) {
      llvm::outs() << "fallback: ran with " << plan
                   << " in place of the plan that was asked for\n";
      return std::move(*run);
    }
    original.emitRemark("fallback: drops ") << plan << ": " << problem;
  }
  return original.emitError("cannot run: expects a plan that needs at most ")
         << options.run.deviceMemory
         << " bytes of a device, but got none; more devices on the axis of "
            "the sequence would hold less each";
}

} // namespace mlir::ring
