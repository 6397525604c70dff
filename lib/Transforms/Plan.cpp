// SPDX-License-Identifier: Apache-2.0
// ring-plan: what the options leave open is searched, and the fastest plan is
// taken: of each attention, and of the attentions of a function together.

#include "JointPlans.h"
#include "ring/Analysis/RaisedModule.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Strategies/FusedForms.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace mlir::ring {

#define GEN_PASS_DEF_RINGPLAN
#include "ring/Transforms/Passes.h.inc"

namespace {

/// An attention as it was planned by itself, before its neighbours are asked.
struct OwnPlan {
  WholeAttentionOpInterface op;
  AttentionTraits traits;
  PlanRequest request;
  PlannerMachine machine;
  PlanSearchResult result;
};

class RingPlanPass : public impl::RingPlanBase<RingPlanPass>,
                     public PlanningPass {
public:
  using RingPlanBase::RingPlanBase;

  PlanOptionTexts optionTexts() const override {
    return PlanOptionTexts::copyAll<PlanOptionTexts>(*this);
  }

  void runOnOperation() override {
    if (!getCachedAnalysis<RaisedModule>())
      remarkIfUnraised(getOperation(), "ring-plan");
    AttentionPlanner planner(optionTexts(), *this);
    // In the order of the program, by the function that they are in.
    llvm::MapVector<Operation *, std::vector<OwnPlan>> functions;
    WalkResult result = getOperation().walk([&](WholeAttentionOpInterface op) {
      LogicalResult result =
          op.getPlanAttr() ? planner.verifyPlan(op)
                           : plan(planner, op, functions[op->getParentOp()]);
      return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
    });
    bool fails = result.wasInterrupted();
    for (auto &[function, plans] : functions) {
      if (fails)
        break;
      takeTogether(planner, function, plans);
      fails |= failed(fitTogether(planner, function, plans));
      for (OwnPlan &plan : plans)
        tell(plan);
    }
    planned = planner.takePlanned();
    if (fails)
      signalPassFailure();
  }

private:
  friend struct ::mlir::ring::PlanOptionTexts;
  /// Once is enough for all layers.
  bool warnedOfOneDevice = false;

  LogicalResult plan(AttentionPlanner &planner, WholeAttentionOpInterface op,
                     std::vector<OwnPlan> &plans) {
    FailureOr<const PlannedAttention *> planned = planner.plan(op);
    if (failed(planned))
      return failure();
    if (!(*planned)->result.best()) {
      lacksMemory = (*planned)->result.lacksMemory;
      return emitAttentionError(op) << (*planned)->result.error;
    }
    plans.push_back({op, (*planned)->traits, (*planned)->request,
                     (*planned)->machine, (*planned)->result});
    op.setPlanAttr((*planned)->result.best()->plan);
    return success();
  }

  static void take(AttentionPlanner &planner, OwnPlan &plan,
                   const PlanCandidate &candidate) {
    plan.result.putFirst(candidate);
    plan.op.setPlanAttr(candidate.plan);
    planner.choose(plan.op, candidate);
  }

  /// Lets attentions that hand tokens to each other agree. Devices that share a
  /// processor read rows wherever they are, and a device's own function has its
  /// tokens gathered around every attention: there each stays by itself.
  void takeTogether(AttentionPlanner &planner, Operation *parent,
                    std::vector<OwnPlan> &plans) {
    auto function = dyn_cast<func::FuncOp>(parent);
    if (!function || !function.getBody().hasOneBlock() || plans.empty() ||
        plans.front().machine.isProcessor())
      return;
    bool any = false;
    for (OwnPlan &plan : plans) {
      if (plan.op.getPerDevice() ||
          plan.machine.spec.name != plans.front().machine.spec.name)
        return;
      any |= hasSurroundings(plan.op);
    }
    if (!any)
      return;
    std::vector<AttentionChoice> choices;
    for (OwnPlan &plan : plans)
      choices.push_back({plan.op, plan.result.ranked});
    addLayoutsOfOthers(planner, plans, choices);
    JointPlans joint =
        planTogether(function, std::move(choices), plans.front().machine);
    for (auto [plan, choice] : llvm::zip_equal(plans, joint.choices)) {
      if (choice.taken == 0)
        continue;
      PlanCandidate alone = *plan.result.best();
      const PlanCandidate &taken = choice.candidates[choice.taken];
      take(planner, plan, taken);
      emitRemark(plan.op.getLoc(), "ring-plan: ")
          << describe(taken)
          << " for its neighbours' sake: " << formatSeconds(taken.cost.seconds)
          << " in place of " << formatSeconds(alone.cost.seconds) << " by "
          << describe(alone) << ", but "
          << formatSeconds(joint.together.seconds()) << " in place of "
          << formatSeconds(joint.alone.seconds()) << " for " << plans.size()
          << (plans.size() == 1 ? " attention" : " attentions")
          << " and what is exchanged around them";
    }
  }

  /// An attention without a pattern is only tried in order; its neighbours may
  /// have a reason for more.
  void addLayoutsOfOthers(AttentionPlanner &planner,
                          const std::vector<OwnPlan> &plans,
                          std::vector<AttentionChoice> &choices) {
    std::set<LayoutKind> layouts;
    for (const OwnPlan &plan : plans)
      layouts.insert(plan.result.best()->plan.getLayout());
    for (AttentionChoice &choice : choices)
      for (LayoutKind layout : layouts) {
        bool known = llvm::any_of(choice.candidates,
                                  [&](const PlanCandidate &candidate) {
                                    return candidate.plan.getLayout() == layout;
                                  });
        if (!known)
          llvm::append_range(choice.candidates,
                             planner.candidatesIn(choice.op, layout));
      }
  }

  /// Holds a function to the memory of a device. Attentions make do with less,
  /// in more time, where that helps.
  LogicalResult fitTogether(AttentionPlanner &planner, Operation *parent,
                            std::vector<OwnPlan> &plans) {
    auto function = dyn_cast<func::FuncOp>(parent);
    if (!function || !function.getBody().hasOneBlock() || plans.empty())
      return success();
    const OwnPlan &first = plans.front();
    std::optional<int64_t> limit = memoryLimit(first.request, first.machine);
    if (!limit || mostThatCanBeHeld(function, plans) <= double(*limit))
      return success();
    constexpr int kMostTrials = 4;
    for (int trial = 0;; ++trial) {
      HeldBytes held = heldBytesOf(function, plans);
      if (held.most <= *limit)
        return success();
      // What the attentions may hold if everything else stays.
      OwnPlan *largest = &plans.front();
      for (OwnPlan &plan : plans)
        if (bytesOf(plan) > bytesOf(*largest))
          largest = &plan;
      double room = bytesOf(*largest) - double(held.most - *limit);
      bool changed = trial < kMostTrials;
      for (OwnPlan &plan : plans) {
        if (!changed || bytesOf(plan) <= room)
          continue;
        auto smaller = llvm::find_if(
            plan.result.ranked, [&](const PlanCandidate &candidate) {
              return candidate.cost.deviceBytes <= room;
            });
        changed = smaller != plan.result.ranked.end();
        if (!changed)
          continue;
        // A copy, since taking it moves the candidates that it is one of.
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
        PlanCandidate taken = *smaller;
        emitRemark(plan.op.getLoc(), "ring-plan: ")
            << describe(taken) << " to fit: with "
            << describe(*plan.result.best()) << " all of @"
            << function.getName() << " needs " << formatBytes(double(held.most))
            << " a device, " << describeLimit(plan.request, plan.machine);
        take(planner, plan, taken);
      }
      if (!changed)
        return tellWhatWouldFit(planner, function, *largest, held, room);
    }
  }

  static double bytesOf(const OwnPlan &plan) {
    return plan.result.best()->cost.deviceBytes;
  }

  /// All tensors of a function as if nothing were split or ever died.
  static double mostThatCanBeHeld(func::FuncOp function,
                                  const std::vector<OwnPlan> &plans) {
    double bytes = 0;
    auto add = [&](Value value) {
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        bytes += double(sizeInBytes(type));
    };
    for (BlockArgument argument : function.getArguments())
      add(argument);
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults())
        add(result);
    double attention = 0;
    for (const OwnPlan &plan : plans)
      attention = std::max(attention, bytesOf(plan));
    return bytes + attention;
  }

  /// What a function holds by a trial, which is a schedule. Device ops have
  /// buffers of their own, and other targets parts that wait to be merged.
  static HeldBytes heldBytesOf(func::FuncOp function,
                               const std::vector<OwnPlan> &plans) {
    PlansOfFunction chosen;
    double buffers = 0;
    for (const OwnPlan &plan : plans) {
      PlanAttr taken = plan.result.best()->plan;
      chosen[plan.op] = taken;
      buffers = std::max(buffers,
                         bytesOf(plan) -
                             deviceBytesOf(plan.traits, inExplicitForm(taken)));
    }
    HeldBytes held = heldBytes(function, chosen);
    held.most += static_cast<int64_t>(buffers);
    return held;
  }

  LogicalResult tellWhatWouldFit(AttentionPlanner &planner,
                                 func::FuncOp function, OwnPlan &largest,
                                 const HeldBytes &held, double room) {
    lacksMemory = true;
    const PlanRequest &request = largest.request;
    double limit = double(*memoryLimit(request, largest.machine));
    std::string text = llvm::formatv(
        "cannot be planned: all of @{0} needs {1} a device, {2} of it weights "
        "and {3} an attention by {4}, {5}",
        function.getName(), formatBytes(double(held.most)),
        formatBytes(double(held.weights)), formatBytes(bytesOf(largest)),
        nameOfStrategy(*largest.result.best()),
        describeLimit(request, largest.machine));
    if (request.strategy)
      for (const PlanCandidate &other : planner.candidatesOfAll(largest.op))
        if (other.cost.deviceBytes <= room) {
          text += "; " + nameOfStrategy(other) + " would fit";
          break;
        }
    // Weights stay as they are on more devices of the sequence.
    AxisAttr axis = largest.result.best()->plan.getAxis();
    double tokens = double(held.most - held.weights);
    constexpr int64_t kMostTimes = 1 << 10;
    for (int64_t times = 2; times <= kMostTimes; times *= 2)
      if (double(held.weights) + tokens / double(times) <= limit) {
        text += llvm::formatv("; about {0} devices would do",
                              axis.getNumDevices() * times)
                    .str();
        break;
      }
    Type element = largest.traits.elementType;
    if (element.isF32() && double(held.most) / 2 <= limit)
      text += "; bf16 would do";
    else if (element.isBF16() && double(held.most) * 1088 / 2048 <= limit)
      text += "; bfp8_b would do";
    return emitAttentionError(largest.op, text);
  }

  void tell(OwnPlan &plan) {
    WholeAttentionOpInterface op = plan.op;
    AxisAttr axis = op.getPlanAttr().getAxis();
    if (axis.getRanks() == 1 && !op.getPlanAttr().getOuter() &&
        !std::exchange(warnedOfOneDevice, true))
      emitWarning(op.getLoc(), "ring-plan: nothing is distributed, since the "
                               "sequence's axis has one device: ")
          << axis;
    emitRemark(op.getLoc(), "ring-plan: ")
        << summarise(plan.result, plan.machine);
    if (plan.traits.valuesInKeys)
      emitRemark(op.getLoc(), "ring-plan: values are the first ")
          << plan.traits.valueDim << " of the " << plan.traits.dim
          << " columns of the keys, so that keys alone travel and are kept";
    if (auto dilated = dyn_cast_or_null<DilatedAttr>(op.getPatternAttr());
        dilated && dilated.getOrder() != KeyOrder::Identity)
      emitRemark(op.getLoc(), "ring-plan: keys are visited in ")
          << stringifyKeyOrder(dilated.getOrder())
          << " order: no result depends on it, but every device copies its "
             "keys and values"
          << (dilated.getCausal() ? ", and masks blocks key by key" : "");
  }
};

} // namespace
} // namespace mlir::ring
