// SPDX-License-Identifier: Apache-2.0
// ring-explain: a table of what ring-plan would choose from.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Analysis/RaisedModule.h"
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Planner/PlanAdvice.h"
#include "ring/Planner/PlanReport.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGEXPLAIN
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingExplainPass : public impl::RingExplainBase<RingExplainPass>,
                        public PlanningPass {
public:
  using RingExplainBase::RingExplainBase;

  PlanOptionTexts optionTexts() const override {
    return PlanOptionTexts::copyAll<PlanOptionTexts>(*this);
  }

  void runOnOperation() override {
    if (!getCachedAnalysis<RaisedModule>())
      remarkIfUnraised(getOperation(), "ring-explain");
    AttentionPlanner planner(optionTexts(), *this);
    // The first of equal ones, and how many different ones a function has.
    std::vector<WholeAttentionOpInterface> different;
    llvm::DenseMap<Operation *, int> ofFunction;
    WalkResult result = getOperation().walk([&](WholeAttentionOpInterface op) {
      if (op.getPlanAttr())
        return WalkResult::advance();
      FailureOr<const PlannedAttention *> planned = planner.plan(op);
      if (failed(planned))
        return WalkResult::interrupt();
      if ((*planned)->count == 1) {
        different.push_back(op);
        ++ofFunction[op->getParentOp()];
      }
      return WalkResult::advance();
    });
    planned = planner.takePlanned();
    for (auto [op, plan] : llvm::zip_equal(different, planned))
      print(op, plan, ofFunction[op->getParentOp()] > 1);
    markAllAnalysesPreserved();
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  friend struct ::mlir::ring::PlanOptionTexts;

  /// Which attention it is, then the table. `withLine`: of several in a
  /// function.
  void print(WholeAttentionOpInterface op, const PlannedAttention &planned,
             bool withLine) {
    AttentionTraits traits = AttentionTraits::of(op);
    llvm::raw_ostream &out = llvm::outs();
    if (auto function = op->getParentOfType<func::FuncOp>()) {
      out << "@" << function.getName();
      auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (withLine && place)
        out << ", line " << place.getLine();
      out << ": ";
    }
    out << op->getName() << " of " << traits.heads << " heads";
    if (traits.kvHeads != traits.heads)
      out << " (" << traits.kvHeads << " of keys)";
    out << ", " << traits.queries << " x " << traits.keys;
    if (traits.joint)
      out << " and " << traits.joint << " joint tokens";
    if (PatternAttrInterface pattern = op.getPatternAttr())
      out << ", " << pattern;
    out << ", on " << planned.machine.spec.name;
    if (!planned.machine.isMadeUp)
      out << ", " << machine::shapeText(planned.machine.mesh);
    if (!planned.machine.chips.empty())
      out << " (" << planned.machine.chips << ")";
    out << ":\n";
    printTable(out, planned.result, planned.machine);
    if (!planned.result.best())
      out << "  " << planned.result.error << "\n";
    PlanAdvice advice = adviseOn(planned);
    if (!advice.bound.empty())
      out << "  " << advice.bound << "\n";
    for (const std::string &change : advice.changes)
      out << "  to be faster: " << change << "\n";
    out.flush();
  }
};

} // namespace
} // namespace mlir::ring
