// SPDX-License-Identifier: Apache-2.0
// The planner ranks all explicit plans of the attention by time. Those that it
// predicts to fit the device are tried first, in its order; then the others,
// the smallest first, for its memory is that of one attention: the rest of a
// model it does not count, and the runtime has the last word.

#include "Fallback.h"
#include "QuietErrors.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Tooling/Execution.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace mlir::ring {

namespace rt = ::ring::rt;

rt::Status checkFallback(const Options &options) {
  if (options.bisect)
    return rt::error(
        "expects no --bisect with --fallback, which may run another plan");
  if (options.run.backend == "mpi")
    return rt::error("expects no --fallback with --backend=mpi, whose ranks "
                     "make no further run after one that failed");
  if (!options.hasPasses())
    return rt::error("expects passes that plan with --fallback, such as "
                     "--ring-attention-pipeline, but got none");
  return rt::Status::success();
}

/// What to ask the planner for, to get the plan of a candidate again.
static PlanRequest requestFor(const PlanCandidate &candidate,
                              const PlanRequest &asked) {
  PlanRequest request = asked;
  PlanAttr plan = candidate.plan;
  request.strategy = plan.getStrategy();
  request.form = plan.getForm();
  request.directions = plan.getDirections();
  request.layout = plan.getLayout();
  request.headRanks = plan.getHeadRanks();
  request.innerRanks = plan.getInnerRanks();
  request.merge = plan.getMerge();
  return request;
}

/// The planner's plans in the order in which they are tried. Of those that
/// differ in layouts or in the heads' axis alone, which hold the same, the
/// first.
static std::vector<PlanCandidate> otherPlans(const PlannedExample &dropped,
                                             int64_t limit) {
  // What is no plan stays as it was asked for.
  PlanRequest request = dropped.request;
  request.form = Form::Explicit;
  request.strategy = std::nullopt;
  request.directions = std::nullopt;
  request.headRanks = request.innerRanks = std::nullopt;
  request.merge = std::nullopt;
  auto way = [](PlanAttr plan) {
    return std::tuple(plan.getStrategy(), plan.getDirections(),
                      plan.getHeadRanks(), plan.getInnerRanks(),
                      plan.getMerge());
  };
  std::vector<PlanCandidate> plans;
  for (const PlanCandidate &candidate :
       searchPlans(dropped.traits, dropped.place, request, dropped.machine)
           .ranked) {
    auto known = [&](const PlanCandidate &other) {
      return way(other.plan) == way(candidate.plan);
    };
    if (way(candidate.plan) != way(dropped.plan()) &&
        llvm::none_of(plans, known))
      plans.push_back(candidate);
  }
  auto larger = std::stable_partition(
      plans.begin(), plans.end(), [&](const PlanCandidate &plan) {
        return plan.cost.deviceBytes <= static_cast<double>(limit);
      });
  std::stable_sort(larger, plans.end(),
                   [](const PlanCandidate &a, const PlanCandidate &b) {
                     return a.cost.deviceBytes < b.cost.deviceBytes;
                   });
  return plans;
}

/// The reason alone: which device met it first, and at which instruction, is no
/// matter of a plan.
static std::string whyOf(StringRef message) {
  size_t at = message.find("device memory is exceeded");
  return message.drop_front(at == StringRef::npos ? 0 : at).str();
}

FailureOr<FittingRun>
runWithLessMemory(ModuleOp original, const Options &options,
                  const Recompile &recompile,
                  const std::vector<rt::PortTensors> &inputs, StringRef why,
                  std::optional<PlannedExample> &planned) {
  int64_t limit = options.run.deviceMemory;
  emitRemark(original.getLoc(), "fallback: drops the plan as asked for")
      << (planned ? ", " + describe(*planned->result.best()) : "") << ": "
      << whyOf(why);
  std::vector<PlanCandidate> plans;
  PlanRequest asked;
  if (planned) {
    plans = otherPlans(*planned, limit);
    asked = planned->request;
  }
  for (const PlanCandidate &plan : plans) {
    OwningOpRef<ModuleOp> module = original.clone();
    FailureOr<rt::Program> program = failure();
    std::string problem;
    {
      QuietErrors errors(original.getContext());
      if (succeeded(recompile(*module, requestFor(plan, asked), planned)))
        program = loadProgram(*module, options.function);
      problem = errors.first;
    }
    if (succeeded(program)) {
      auto result = rt::run(*program, inputs, options.run);
      if (result) {
        llvm::outs() << "fallback: ran with " << describe(plan)
                     << " in place of the plan that was asked for\n";
        return FittingRun{std::move(*program), std::move(*result)};
      }
      problem = whyOf(result.message());
    }
    emitRemark(original.getLoc(), "fallback: drops ")
        << describe(plan) << ", predicted to need "
        << formatBytes(plan.cost.deviceBytes) << ": " << problem;
  }
  return emitError(original.getLoc(),
                   "cannot run: expects a plan that needs at most ")
         << limit
         << " bytes of a device, but got none; more devices on the axis of "
            "the sequence would hold less each";
}

} // namespace mlir::ring
