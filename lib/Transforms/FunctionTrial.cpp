// SPDX-License-Identifier: Apache-2.0
// Trying plans on a copy of a function.

#include "FunctionTrial.h"
#include "KeepSharded.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ring/Planner/DeviceTimeline.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ring/Strategies/FusedForms.h"
#include "ring/Strategies/Strategies.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

/// Marks the transfers that strategies wrote.
constexpr StringLiteral kOwn = "ring.own";

/// The same shards by another strategy.
PlanAttr withStrategy(PlanAttr plan, Strategy strategy) {
  return PlanAttr::get(
      plan.getContext(), strategy, plan.getAxis(), plan.getHeadsAxis(),
      plan.getLayout(), Directions::Forward, Form::Explicit, plan.getTopology(),
      /*head_ranks=*/std::nullopt, /*inner_ranks=*/std::nullopt,
      plan.getOuter(), plan.getNumLinks(), plan.getCompute(),
      plan.getBalanced(),
      /*merge=*/std::nullopt);
}

/// A copy of a function whose attentions are written out and whose other ops
/// are moved to the devices.
class Trial {
public:
  /// `shape`: of an attention only its shards are asked for, which a trade of
  /// heads has like a ring, in fewer ops.
  Trial(func::FuncOp function, const PlansOfFunction &plans, bool shape) {
    ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic &said) {
      return success(said.getSeverity() == DiagnosticSeverity::Remark);
    });
    IRMapping mapping;
    copy = cast<func::FuncOp>(function->clone(mapping));
    SmallVector<WholeAttentionOpInterface> attentions;
    for (auto [op, plan] : plans) {
      auto attention = cast<WholeAttentionOpInterface>(mapping.lookup(op));
      attention.setPlanAttr(shape ? shapeOf(attention, plan) : plan);
    }
    copy->walk([&](WholeAttentionOpInterface op) { attentions.push_back(op); });
    for (WholeAttentionOpInterface attention : attentions)
      if (PlanAttr plan = attention.getPlanAttr()) {
        attention.setPlanAttr(inExplicitForm(plan));
        writeOut(attention);
      }
    // Marks would keep equal ops apart, so they are set only where they are
    // read.
    if (shape)
      for (Operation &op : body())
        op.setAttr(kOwn, UnitAttr::get(op.getContext()));
    keepSharded(body());
  }

  Block &body() { return copy->getBody().front(); }
  func::FuncOp function() { return *copy; }

private:
  static PlanAttr shapeOf(WholeAttentionOpInterface attention, PlanAttr plan) {
    // A trade of heads has no second level.
    if (!infoOf(plan.getStrategy()).goesRound || plan.getOuter())
      return plan;
    PlanAttr simple = withStrategy(plan, Strategy::Ulysses);
    return refusalOf(AttentionTraits::of(attention), simple) ? plan : simple;
  }

  OwningOpRef<func::FuncOp> copy;
};

bool isExchange(Operation &op) {
  if (op.hasAttr(kOwn))
    return false;
  if (auto shard = dyn_cast<ShardOp>(op))
    return shard.getReplicated();
  if (auto unshard = dyn_cast<UnshardOp>(op))
    return unshard.getReplicated();
  return isa<TransferOpInterface>(op) ||
         isa<ttir::AllGatherOp, ttir::AllReduceOp, ttir::MeshPartitionOp>(op);
}

} // namespace

double secondsBetween(func::FuncOp function, const PlansOfFunction &plans,
                      const PlannerMachine &machine) {
  Trial trial(function, plans, /*shape=*/true);
  SmallVector<Operation *> exchanges;
  for (Operation &op : trial.body())
    if (isExchange(op))
      exchanges.push_back(&op);
  return exchangeSeconds(trial.body(), exchanges, machine);
}

HeldBytes heldBytes(func::FuncOp function, const PlansOfFunction &plans) {
  Trial trial(function, plans, /*shape=*/false);
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    name.getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(trial.function(), std::move(patterns));
  IRRewriter rewriter(context);
  DominanceInfo dominance(trial.function());
  eliminateCommonSubExpressions(rewriter, dominance, trial.function());
  HeldBytes held;
  for (Operation &op : trial.body())
    if (auto shard = dyn_cast<ShardOp>(op);
        shard && !shard.getSharding().getSequence())
      held.weights += sizeInBytes(shard.getResult().getType());
  if (succeeded(carryStates(trial.function()))) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(trial.body())))
      if (isOpTriviallyDead(&op))
        op.erase();
    overlapTransfers(trial.body());
  }
  held.most = deviceBytesOf(trial.body());
  return held;
}

} // namespace mlir::ring
