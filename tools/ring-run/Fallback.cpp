// SPDX-License-Identifier: Apache-2.0
// The planner ranks all explicit plans of the attention by time. Those that it
// predicts to fit the device are tried first, in its order; then the others,
// the smallest first, for its memory is an estimate: it counts neither copies
// nor scratch of the emulated mesh, and the runtime has the last word.

#include "Fallback.h"
#include "Execution.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "ring/Planner/PlanReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace mlir::ring {

namespace rt = ::ring::rt;

static constexpr StringLiteral kPipeline = "ring-attention-pipeline";
/// Options of the pipeline that make a plan; others, such as a mesh or the
/// target, stay as they were asked for.
static constexpr StringLiteral kPlanOptions[] = {"strategy", "directions",
                                                 "form", "ulysses"};

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

rt::Status checkFallback(const Options &options) {
  if (options.bisect)
    return rt::error(
        "expects no --bisect with --fallback, which may run another plan");
  if (options.run.backend == "mpi")
    return rt::error("expects no --fallback with --backend=mpi, whose ranks "
                     "make no further run after one that failed");
  size_t count = pipelinesOf(options).size();
  if (count != 1 || !options.pipeline.empty() || options.passFlags.size() != 2)
    return rt::error("expects --", kPipeline.str(),
                     " alone with --fallback, but got ",
                     options.passFlags.size() - 1,
                     options.pipeline.empty() ? " pass flags"
                                              : " pass flags and a --pipeline");
  return rt::Status::success();
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

namespace {

/// One way to plan the attention again.
struct OtherPlan {
  std::string options;
  double predictedBytes;
};

} // namespace

/// What `asked` says of an option of the pipeline; empty if nothing.
static StringRef valueOf(StringRef asked, StringRef name) {
  SmallVector<StringRef> words;
  asked.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.split('=').first == name)
      return word.split('=').second;
  return "";
}

/// "strategy=ring directions=forward".
static std::string optionsOf(PlanAttr plan) {
  std::string text = "strategy=" + stringifyStrategy(plan.getStrategy()).str();
  if (plan.getStrategy() == Strategy::Ring ||
      plan.getStrategy() == Strategy::Usp)
    text += " directions=" + stringifyDirections(plan.getDirections()).str();
  if (plan.getUlysses())
    text += " ulysses=" + std::to_string(*plan.getUlysses());
  return text;
}

/// The planner's plans in the order in which they are tried. Of those that
/// differ in layouts alone, which hold the same, the first.
static std::vector<OtherPlan> otherPlans(const PlannedExample &dropped,
                                         StringRef asked, int64_t limit) {
  PlannerMachine machine = machineOf(dropped, valueOf(asked, "machine"));
  if (!machine.error.empty())
    return {};
  PlanRequest request;
  request.form = Form::Explicit;
  StringRef layout = valueOf(asked, "layout");
  request.layout = symbolizeLayoutKind(layout);
  std::vector<OtherPlan> plans;
  llvm::StringSet<> known;
  known.insert(optionsOf(dropped.plan));
  for (const PlanCandidate &candidate :
       plansOf(dropped, request, machine).ranked) {
    std::string options = optionsOf(candidate.plan);
    if (!known.insert(options).second)
      continue;
    if (!request.layout)
      options +=
          " layout=" + stringifyLayoutKind(candidate.plan.getLayout()).str();
    plans.push_back({options + " form=explicit", candidate.cost.deviceBytes});
  }
  auto larger = std::stable_partition(
      plans.begin(), plans.end(), [&](const OtherPlan &plan) {
        return plan.predictedBytes <= static_cast<double>(limit);
      });
  std::stable_sort(larger, plans.end(),
                   [](const OtherPlan &a, const OtherPlan &b) {
                     return a.predictedBytes < b.predictedBytes;
                   });
  return plans;
}

/// Compiles and runs one plan; `why` says what is wrong with it.
static std::optional<FittingRun>
tryPlan(ModuleOp original, const Options &options,
        const std::vector<rt::PortTensors> &inputs, StringRef pipeline,
        std::optional<PlannedExample> &planned, std::string &why) {
  OwningOpRef<ModuleOp> module = original.clone();
  QuietErrors errors(original.getContext());
  PassManager passes(original.getContext());
  planned.reset();
  passes.addInstrumentation(std::make_unique<PlanWatcher>(planned));
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
                  std::optional<PlannedExample> &planned) {
  StringRef asked = pipelinesOf(options).front();
  int64_t limit = options.run.deviceMemory;
  emitRemark(original.getLoc(), "fallback: drops the plan as asked for: ")
      << why;
  std::vector<OtherPlan> plans;
  if (planned)
    plans = otherPlans(*planned, asked, limit);
  for (const OtherPlan &plan : plans) {
    std::string problem;
    std::optional<FittingRun> run =
        tryPlan(original, options, inputs, withPlan(asked, plan.options),
                planned, problem);
    if (run) {
      llvm::outs() << "fallback: ran with " << plan.options
                   << " in place of the plan that was asked for\n";
      return std::move(*run);
    }
    emitRemark(original.getLoc(), "fallback: drops ")
        << plan.options << ", predicted to need "
        << formatBytes(plan.predictedBytes) << ": " << problem;
  }
  return emitError(original.getLoc(),
                   "cannot run: expects a plan that needs at most ")
         << limit
         << " bytes of a device, but got none; more devices on the axis of "
            "the sequence would hold less each";
}

} // namespace mlir::ring
