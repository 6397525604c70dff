// SPDX-License-Identifier: Apache-2.0
// ring-plan: what the options leave open is searched, and the fastest plan is
// taken.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGPLAN
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingPlanPass : public impl::RingPlanBase<RingPlanPass>,
                     public PlanningPass {
public:
  using RingPlanBase::RingPlanBase;

  void runOnOperation() override {
    AttentionPlanner planner(PlanOptionTexts::copy<PlanOptionTexts>(*this),
                             *this);
    WalkResult result = getOperation().walk([&](WholeAttentionOpInterface op) {
      LogicalResult result =
          op.getPlanAttr() ? planner.verifyPlan(op) : plan(planner, op);
      return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
    });
    planned = planner.takePlanned();
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  friend struct ::mlir::ring::PlanOptionTexts;
  /// Once is enough for all layers.
  bool warnedOfOneDevice = false;

  LogicalResult plan(AttentionPlanner &planner, WholeAttentionOpInterface op) {
    FailureOr<const PlannedAttention *> planned = planner.plan(op);
    if (failed(planned))
      return failure();
    const PlanSearchResult &result = (*planned)->result;
    if (!result.best())
      return op.emitOpError() << result.error;
    op.setPlanAttr(result.best()->plan);
    AxisAttr axis = result.best()->plan.getAxis();
    if (axis.getRanks() == 1 && !result.best()->plan.getOuter() &&
        !std::exchange(warnedOfOneDevice, true))
      emitWarning(op.getLoc(), "ring-plan: nothing is distributed, since the "
                               "sequence's axis has one device: ")
          << axis;
    emitRemark(op.getLoc(), "ring-plan: ")
        << summarise(result, (*planned)->machine);
    const AttentionTraits &traits = (*planned)->traits;
    if (traits.valuesInKeys)
      emitRemark(op.getLoc(), "ring-plan: values are the first ")
          << traits.valueDim << " of the " << traits.dim
          << " columns of the keys, so that keys alone travel and are kept";
    if (auto dilated = dyn_cast_or_null<DilatedAttr>(op.getPatternAttr());
        dilated && dilated.getOrder() != KeyOrder::Identity)
      emitRemark(op.getLoc(), "ring-plan: keys are visited in ")
          << stringifyKeyOrder(dilated.getOrder())
          << " order: no result depends on it, but every device copies its "
             "keys and values"
          << (dilated.getCausal() ? ", and masks blocks key by key" : "");
    return success();
  }
};

} // namespace
} // namespace mlir::ring
